import { expect, test } from 'vitest'
import { joinLines } from './join-lines.ts'

async function join(text: string, chunkBytes: number, lengthMin: number): Promise<string[]> {
  async function* chunks() {
    const bytes = Buffer.from(text)
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      yield { bytes: bytes.subarray(start, start + chunkBytes) }
    }
  }
  const texts: string[] = []
  for await (const lines of joinLines(chunks(), lengthMin)) texts.push(lines)
  return texts
}

const TEXT = 'eins\nzwei\n\u{1f600}drei\nvier\n'

test.each([1, 3, 7, 100])('joins chunks of %i bytes to complete lines', async (chunkBytes) => {
  const texts = await join(TEXT, chunkBytes, 8)
  expect(texts.join('')).toBe(TEXT)
  expect(texts.filter((text) => !text.endsWith('\n'))).toEqual([])
  expect(texts.slice(0, -1).filter((text) => text.length < 8)).toEqual([])
})

test('makes several texts of a long result', async () => {
  expect(await join(TEXT, 1, 8)).toEqual(['eins\nzwei\n', '\u{1f600}drei\nvier\n'])
})

test('makes no text of an empty result', async () => {
  expect(await join('', 1, 8)).toEqual([])
})
