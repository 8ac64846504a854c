import { placeholderTypes } from '../parameter-types.ts'
import { parametersOf } from '../period.ts'
import type { Template } from '../template.ts'
import type { CheckedWords } from './check-words.ts'
import type { Fault } from './fault.ts'
import type { Piece } from './pieces.ts'

/** Placeholders of a type that does not hold every value of their parameter: the engine would bind another one. */
export function placeholderFaults(
  template: Template,
  pieces: readonly Piece[],
  words: readonly CheckedWords[],
): readonly Fault[] {
  const types = new Map([
    ['now', ["DateTime64(3, 'UTC')"]],
    ['timezoneName', ['String']],
    ...parametersOf(template).map((parameter) => {
      return [parameter.name, placeholderTypes(parameter)] as const
    }),
  ])
  return pieces.flatMap(({ path }, index) => {
    return (words[index]?.placeholders ?? []).flatMap(({ written, name, type }): Fault[] => {
      const accepted = types.get(name)
      // Of a name that callers would choose, the words say more.
      const isName = type.trim() === 'Identifier'
      if (!accepted || isName || accepted.some((known) => isSameType(known, type))) return []
      const wanted = accepted.map((known) => `{${name}:${known}}`).join(' or ')
      return [{ path, expected: `expected ${wanted}, got ${written}` }]
    })
  })
}

function isSameType(one: string, other: string): boolean {
  return one.replaceAll(/\s/g, '') === other.replaceAll(/\s/g, '')
}
