import { expect, test } from 'vitest'
import { countTurns } from '../../../gateway/test/kit/count-turns.ts'
import { reportFile } from '../../../gateway/test/kit/report-file.ts'
import { checkEncodable, encodePieces } from './encode-report.ts'
import { type Encoding, findEncoding } from './encodings.ts'
import type { FilePiece } from '../format/format.ts'

/** As large as a block of the engine with long texts. */
const TEXT = `${'\u{1f600}'.repeat(2000)}\u{1e}`.repeat(1000)

function named(label: string): Encoding {
  const encoding = findEncoding(label)
  if (!encoding) throw new Error(`expected an encoding with the label ${label}`)
  return encoding
}

async function* of(...pieces: readonly FilePiece[]) {
  yield* pieces
}

async function read(pieces: AsyncIterable<FilePiece>) {
  const all: FilePiece[] = []
  for await (const piece of pieces) all.push(piece)
  return {
    text: Buffer.concat(all.map(({ bytes }) => bytes)),
    rows: all.reduce((sum, { rows }) => sum + rows, 0),
    replaced: all.reduce((sum, { replaced = 0 }) => sum + replaced, 0),
  }
}

test('a large piece is encoded completely, and others have their turn meanwhile', async () => {
  const text = `a,${TEXT}`
  const turns = await countTurns(async () => {
    const chunk = { bytes: Uint8Array.from(Buffer.from(text)), rows: 7 }
    const encoded = await read(encodePieces(of(chunk), named('GB18030'), false))
    expect([encoded.rows, encoded.replaced]).toEqual([7, 0])
    expect(new TextDecoder('gb18030').decode(encoded.text) === text).toBe(true)
  })
  expect(turns).toBeGreaterThan(2)
})

test('slices of ASCII keep their bytes, and a piece without bytes keeps its rows', async () => {
  const ascii = Buffer.alloc(600_000, 'abc')
  const pieces = [
    { bytes: Uint8Array.from(ascii), rows: 3 },
    { bytes: Uint8Array.from(Buffer.from('é'.repeat(100_000))), rows: 0 },
    { bytes: Uint8Array.from(ascii), rows: 1 },
    { bytes: new Uint8Array(), rows: 9 },
  ]
  const { text, rows, replaced } = await read(encodePieces(of(...pieces), named('US-ASCII'), false))
  expect([rows, replaced]).toEqual([13, 100_000])
  expect(text.equals(Buffer.concat([ascii, Buffer.alloc(100_000, '?'), ascii]))).toBe(true)
})

test('others have their turn while a large piece is checked, and the check names the first character', async () => {
  const file = reportFile([{ title: 'Text', kind: 'text' }], {})
  const check = (label: string) => {
    const chunk = { bytes: Buffer.from(`${TEXT}aé😀\u{1e}`), rows: 2 }
    return checkEncodable(file, named(label)).read(of(chunk))
  }
  expect(await countTurns(async () => await check('GB18030'))).toBeGreaterThan(2)
  const ascii = { bytes: Buffer.from('a\u{1e}bé😀\u{1e}'), rows: 2 }
  await expect(checkEncodable(file, named('US-ASCII')).read(of(ascii))).rejects.toThrow(
    'lacks 2 characters of the report, first U+00E9 in row 2, column Text',
  )
  await expect(check('Shift_JIS')).rejects.toThrow('first U+1F600 in row 1, column Text')
})
