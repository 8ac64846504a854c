import { expect, test } from 'vitest'
import { peek } from './open-report.ts'

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

test.each([
  [['abcdef'], 'abcdef'],
  [['a', '', 'bc', 'def'], 'abc'],
  [['a'], 'a'],
  [[], ''],
])('reads the beginning of %j, and passes on all of it', async (texts, expected) => {
  const decoder = new TextDecoder()
  const { beginning, chunks } = await peek(chunksOf(...texts), 3)
  expect(decoder.decode(beginning)).toBe(expected)
  const all: string[] = []
  for await (const chunk of chunks) all.push(decoder.decode(chunk))
  expect(all).toEqual(texts)
})

test('closes the body when its reader leaves', async () => {
  let isClosed = false
  const body = async function* () {
    try {
      yield* chunksOf('a', 'b', 'c')
    } finally {
      isClosed = true
    }
  }
  const { chunks } = await peek(body(), 1)
  for await (const _ of chunks) break
  expect(isClosed).toBe(true)
})
