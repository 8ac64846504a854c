import bidiFactory from 'bidi-js'
import { expect, test } from 'vitest'
import { resolveIsolates } from './resolve-isolates.ts'

const bidi = (typeof bidiFactory === 'function' ? bidiFactory : bidiFactory.default)()
const typeOf = (character: string): string => bidi.getBidiCharTypeName(character)
const levelsOf = (text: string): readonly number[] => [...bidi.getEmbeddingLevels(text).levels]

test('an isolate has the direction of its first strong character, as in bidi-js', () => {
  const parts = ['a', 'א', 'ع', '1', ' ', '(', '\u2066', '\u2067', '\u2068', '\u2069', '\u202e']
  let state = 1
  const draw = (): string => {
    state = (state * 48_271) % 2_147_483_647
    return parts[state % parts.length] ?? ''
  }
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: 12 }, draw).join('')
    const resolved = resolveIsolates(text, typeOf)
    expect(resolved).not.toContain('\u2068')
    expect([JSON.stringify(text), levelsOf(resolved)]).toEqual([
      JSON.stringify(text),
      levelsOf(text),
    ])
  }
})
