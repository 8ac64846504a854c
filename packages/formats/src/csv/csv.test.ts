import { expect, test } from 'vitest'
import { literal } from '../../../engine/src/dialect/literals.ts'
import { reportFile, USUAL_STYLE } from '../../../gateway/test/kit/report-file.ts'
import { csv } from './csv.ts'
import type { FileStyle } from '../format/format.ts'

const TITLES = ['Plain', 'a "b"', 'x,y', 'x;y', 'two words', 'é漢😀', ' ', '']

function planned(change: Partial<FileStyle> = {}, titles: readonly string[] = TITLES) {
  const columns = titles.map((title) => ({ title, kind: 'text' }) as const)
  return csv.plan(reportFile(columns, {}, { style: { ...USUAL_STYLE, ...change } }))
}

async function* of(...texts: string[]) {
  for (const text of texts) yield { bytes: Buffer.from(text), rows: 1 }
}

async function fileOf(change: Partial<FileStyle> = {}, ...rows: string[]): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const { bytes } of planned(change).write(of(...rows))) pieces.push(bytes)
  // An empty piece would end a response in chunked coding.
  expect(pieces.filter(({ length }) => length === 0)).toEqual([])
  return Buffer.concat(pieces)
}

async function head(change: Partial<FileStyle> = {}): Promise<string> {
  return (await fileOf(change)).toString()
}

test('writes the titles first, all of them quoted, and then the rows of the engine', async () => {
  expect(await head()).toBe('"Plain","a ""b""","x,y","x;y","two words","é漢😀"," ",""\r\n')
  expect(await head({ delimiter: ';', lineEnd: '\n' })).toMatch(/^"Plain";"a ""b""";.*;""\n$/)
  expect((await fileOf({}, 'a', 'b')).toString()).toBe(`${await head()}ab`)
})

test('with minimal quotes, quotes only the titles that need quotes', async () => {
  const minimal = { quoteAll: false }
  expect(await head(minimal)).toBe('Plain,"a ""b""","x,y",x;y,two words,é漢😀, ,\r\n')
  expect(await head({ ...minimal, delimiter: ';' })).toContain(';"x,y";"x;y";')
  expect(await head({ ...minimal, delimiter: ' ' })).toContain(' "two words" ')
  expect(await head({ ...minimal, delimiter: '漢' })).toContain('漢two words漢"é漢😀"漢')
  expect(await head({ ...minimal, delimiter: '😀' })).toContain('😀"é漢😀"😀')
  expect(await head({ ...minimal, delimiter: 'y' })).toContain('y"x,y"y"x;y"y')
})

test('without a header row, writes nothing before the rows except a byte order mark', async () => {
  expect(await head({ header: false })).toBe('')
  expect([...(await fileOf({ header: false, byteOrderMark: true }))]).toEqual([0xef, 0xbb, 0xbf])
  expect(await head({ byteOrderMark: true })).toMatch(/^\ufeff"Plain",/)
})

test('ends the rows of the engine if the reader leaves after the titles', async () => {
  let ended = false
  const rows = async function* () {
    try {
      yield* of('a')
    } finally {
      ended = true
    }
  }
  for await (const _ of planned().write(rows())) break
  expect(ended).toBe(true)
})

test('a delimiter cannot end the SQL of a row', () => {
  const column = { kind: 'integer', sql: 'a' } as const
  for (const delimiter of ["'", '\\', '"']) {
    const sql = planned({ delimiter }).select([column, column])
    expect(sql).toContain(`'"', ${literal(delimiter)}, '"'`)
  }
})
