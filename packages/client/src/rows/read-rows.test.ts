import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { expect, test } from 'vitest'
import { CounterfoilError } from '../errors/counterfoil-error.ts'
import { type CsvForm, readRows } from './read-rows.ts'
import type { Row } from './csv-parser.ts'

const TITLES = ['Id', 'Words', 'Last']
/** Everything that a field may hold: quotes, line ends, delimiters, emoji, nothing, text that looks like CSV. */
const HOSTILE = csvOf([
  TITLES,
  ['1', 'a "b", c', '"'],
  ['2', 'line\r\nbreak \u{1F4C4}', 'ä\n'],
  ['3', '', '""'],
  ['', '\r\n', ','],
  ['5', '","', '"\r\n"'],
])

function csvOf(records: readonly (readonly string[])[], delimiter = ',', lineEnd = '\r\n'): string {
  const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`
  return records.map((fields) => fields.map(quoted).join(delimiter) + lineEnd).join('')
}

async function* cut(bytes: Uint8Array, ...offsets: readonly number[]) {
  const ends = [...offsets, bytes.length]
  for (const [index, end] of ends.entries()) yield bytes.subarray(ends[index - 1] ?? 0, end)
}

async function* inPieces(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

/** The rows of a text, and the code of the error at their end. */
async function read(text: string | Uint8Array, form?: CsvForm, chunks = cut(Buffer.from(text))) {
  const rows: Row[] = []
  let message: string | undefined
  let code: string | undefined
  try {
    for await (const row of readRows(chunks, form)) rows.push(row)
  } catch (error) {
    if (!(error instanceof CounterfoilError)) throw error
    ;({ code, message } = error)
  }
  return { rows, code, message }
}

/** The rows as another library reads them, and whether it refuses the text. */
function readByOther(text: string): { readonly rows: readonly Row[]; readonly refused: boolean } {
  const records: string[][] = []
  let refused = false
  try {
    const on_record = (record: string[]) => void records.push(record)
    parse(text, { record_delimiter: ['\r\n', '\n'], on_record })
  } catch {
    refused = true
  }
  const [titles = [], ...rows] = records
  return { rows: rows.map((row) => rowOf(titles, row)), refused }
}

function rowOf(titles: readonly string[], fields: readonly string[]): Row {
  return Object.fromEntries(titles.map((title, index) => [title, fields[index] ?? null]))
}

test('gives the same rows wherever the bytes are cut', async () => {
  const bytes = Buffer.from(HOSTILE)
  const { rows } = readByOther(HOSTILE)
  expect(rows).toHaveLength(5)
  for (let offset = 0; offset <= bytes.length; offset += 1) {
    const { rows: ours, code } = await read('', {}, cut(bytes, offset))
    expect({ ours, code, offset }).toEqual({ ours: rows, code: undefined, offset })
  }
  for (const length of [1, 2, 3, 7]) {
    expect((await read('', {}, inPieces(bytes, length))).rows).toEqual(rows)
  }
})

test('fails if the report ends inside a row, at every offset', async () => {
  const bytes = Buffer.from(HOSTILE)
  let refused = 0
  for (let offset = 1; offset < bytes.length; offset += 1) {
    const other = readByOther(bytes.toString('utf8', 0, offset))
    const { rows, code } = await read(bytes.subarray(0, offset))
    const expected = { rows: other.rows, code: other.refused ? 'truncated' : undefined, offset }
    expect({ rows, code, offset }).toEqual(expected)
    if (other.refused) refused += 1
  }
  expect(refused).toBeGreaterThan(bytes.length / 2)
  expect(await read('')).toMatchObject({ rows: [], code: 'truncated' })
})

const field = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.stringMatching(/^[",;\r\n ab]{0,6}$/),
)
const file = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(',', ';', '\t', '|'))
  .chain(([columns, delimiter]) => {
    const record = fc.array(field, { minLength: columns, maxLength: columns })
    return fc.record({
      titles: fc.uniqueArray(field, { minLength: columns, maxLength: columns }),
      records: fc.array(record, { maxLength: 8 }),
      delimiter: fc.constant(delimiter),
      quoted: fc.boolean(),
      lineEnd: fc.constantFrom('\r\n', '\n'),
      chunkLength: fc.integer({ min: 1, max: 40 }),
    })
  })

test('reads what another library writes as another library reads it', async () => {
  await fc.assert(
    fc.asyncProperty(file, async ({ titles, records, delimiter, quoted, lineEnd, chunkLength }) => {
      const options = { delimiter, quoted, quoted_match: /[\r\n]/, record_delimiter: lineEnd }
      const bytes = Buffer.from(stringify([titles, ...records], options))
      const parsed: string[][] = parse(bytes, { delimiter, record_delimiter: lineEnd, bom: true })
      const [header = [], ...others] = parsed
      fc.pre(new Set(header).size === titles.length)
      const { rows, message } = await read('', { delimiter }, inPieces(bytes, chunkLength))
      expect(message).toBe(undefined)
      expect(rows).toEqual(others.map((fields) => rowOf(header, fields)))
      expect(rows).toHaveLength(records.length)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['a header alone', '"A","B"\r\n', []],
  [
    'LF, no quotes, no last line end',
    'A,B\n1,2\n,',
    [
      { A: '1', B: '2' },
      { A: '', B: '' },
    ],
  ],
  ['a byte order mark', '\ufeff"A"\r\n"1"\r\n', [{ A: '1' }]],
  ['one column with empty lines', 'A\n\nx\n""\n', [{ A: '' }, { A: 'x' }, { A: '' }]],
  ['a title that objects have', '__proto__,a\n1,2\n', [JSON.parse('{"__proto__":"1","a":"2"}')]],
])('reads %s', async (_, text, rows) => {
  expect(await read(text)).toEqual({ rows, code: undefined, message: undefined })
})

test.each([
  ['a field too few', 'A,B\n1,2\n3\n4,5\n', 'row 2 has fewer than 2 fields'],
  ['a field too many', 'A,B\n1,2,3\n', 'row 1 has more than 2 fields'],
  ['a quoted field too many', 'A,B\n"1","2","3"\n', 'row 1 has more than 2 fields'],
  ['text behind a closing quote', 'A,B\n"1"x,2\n', 'row 1 is not valid CSV'],
  ['a quote inside a field without quotes', 'A,B\n1",2\n', 'row 1 is not valid CSV'],
  ['lines that end in CR', 'A,B\r1,2\r\n', 'the header is not valid CSV'],
  ['a CR behind a closing quote', '"A"\r\n"1"\r"2"\r\n', 'row 1 is not valid CSV'],
  ['a title twice', 'A,B,A\n1,2,3\n', 'the header names a column twice: A, B, A'],
  ['more columns than any report', `${'A,'.repeat(1000)}A\n`, 'has more than 1000 fields'],
])('refuses %s', async (_, text, message) => {
  const { code, ...rest } = await read(text)
  expect(code).toBe('unexpected-body')
  expect(rest.message).toContain(message)
})

test('gives the rows before a malformed one, wherever the bytes are cut', async () => {
  const bytes = Buffer.from('A,B\n1,2\n3,4\n5\n6,7\n')
  for (let offset = 0; offset < bytes.length; offset += 1) {
    const { rows, message } = await read('', {}, cut(bytes, offset))
    expect(message).toBe('row 3 has fewer than 2 fields')
    expect(rows).toEqual([
      { A: '1', B: '2' },
      { A: '3', B: '4' },
    ])
  }
})

test('refuses bytes that are no text of the encoding', async () => {
  const invalid = Buffer.from([0x41, 0x0a, 0xff, 0x0a])
  expect(await read(invalid)).toMatchObject({ code: 'unexpected-body', rows: [] })
  const inside = Buffer.from('A\nä').subarray(0, -1)
  expect(await read(inside)).toMatchObject({ code: 'truncated' })
  expect(await read('A\n', { charset: 'no-such' })).toMatchObject({ code: 'unexpected-body' })
})

test('reads other encodings', async () => {
  const text = Buffer.from('\ufeff"A"\r\n"ä"\r\n', 'utf16le')
  const chunks = inPieces(text, 3)
  expect((await read('', { charset: 'UTF-16LE' }, chunks)).rows).toEqual([{ A: 'ä' }])
  const russian = Buffer.from([0x41, 0x0a, 0xc4, 0xe0, 0x0a])
  expect((await read(russian, { charset: 'windows-1251' })).rows).toEqual([{ A: 'Да' }])
})

test('gives rows as soon as their bytes have arrived', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* slow() {
    yield Buffer.from('A\n1\n2')
    await promise
    yield Buffer.from('\n')
  }
  const rows = readRows(slow())
  expect(await rows.next()).toEqual({ done: false, value: { A: '1' } })
  const [second, end] = [rows.next(), rows.next()]
  resolve()
  expect(await second).toEqual({ done: false, value: { A: '2' } })
  expect(await end).toEqual({ done: true, value: undefined })
})

test('stops reading when the loop is left', async () => {
  let isClosed = false
  async function* endless() {
    try {
      yield Buffer.from('A\n')
      for (;;) yield Buffer.from('1\n2\n')
    } finally {
      isClosed = true
    }
  }
  let seen = 0
  for await (const row of readRows(endless())) {
    expect(Object.keys(row)).toEqual(['A'])
    seen += 1
    if (seen === 3) break
  }
  expect({ seen, isClosed }).toEqual({ seen: 3, isClosed: true })
})

test('refuses a row that never ends, whose text it would have to keep', async () => {
  async function* endless() {
    yield Buffer.from('A\n"')
    for (;;) yield Buffer.alloc(65_536, 'x')
  }
  const result = await read('', {}, endless())
  expect(result).toMatchObject({ rows: [], code: 'unexpected-body' })
  expect(result.message).toContain('16777216 characters')
})
