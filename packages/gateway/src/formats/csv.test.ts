import { expect, test } from 'vitest'
import { literal } from '../clickhouse/literals.ts'
import type { FormatStyle } from './format.ts'
import { ENCODINGS, FORMATS } from './formats.ts'

const { CSV: csv } = FORMATS
const USUAL: FormatStyle = {
  delimiter: ',',
  header: true,
  quoteAll: true,
  lineEnd: '\r\n',
  byteOrderMark: false,
}
const TITLES = ['Plain', 'a "b"', 'x,y', 'x;y', 'two words', 'é漢😀', ' ', '']

const text = (sql: string) => ({ text: sql, mayHoldQuotes: true })
const number = (sql: string) => ({ text: sql, mayHoldQuotes: false })

function head(change: Partial<FormatStyle> = {}): string {
  return Buffer.from(csv.head(TITLES, { ...USUAL, ...change })).toString()
}

test('CSV has its extension and content type', () => {
  expect(csv.extension).toBe('csv')
  expect(csv.contentType(USUAL)).toBe('text/csv; charset=UTF-8')
  // RFC 4180, 3: the parameter tells readers that there is no header row.
  expect(csv.contentType({ ...USUAL, header: false })).toBe(
    'text/csv; charset=UTF-8; header=absent',
  )
})

test('writes the titles first, all of them quoted', () => {
  expect(head()).toBe('"Plain","a ""b""","x,y","x;y","two words","é漢😀"," ",""\r\n')
  expect(head({ delimiter: ';', lineEnd: '\n' })).toMatch(/^"Plain";"a ""b""";.*;""\n$/)
})

test('with minimal quotes, quotes only the titles that need quotes', () => {
  const minimal = { quoteAll: false }
  expect(head(minimal)).toBe('Plain,"a ""b""","x,y",x;y,two words,é漢😀, ,\r\n')
  expect(head({ ...minimal, delimiter: ';' })).toContain(';x,y;"x;y";')
  expect(head({ ...minimal, delimiter: ' ' })).toContain(' "two words" ')
  expect(head({ ...minimal, delimiter: 'y' })).toContain('y"x,y"y"x;y"y')
})

test('without a header row, writes nothing before the rows except a byte order mark', () => {
  expect(head({ header: false })).toBe('')
  expect([...csv.head(TITLES, { ...USUAL, header: false, byteOrderMark: true })]).toEqual([
    0xef, 0xbb, 0xbf,
  ])
  expect(head({ byteOrderMark: true })).toMatch(/^\ufeff"Plain",/)
})

test('a row is one text of the engine, with the requested delimiter and line end', () => {
  expect(csv.engineFormat).toBe('RawBLOB')
  expect(csv.row([text('a'), text('b'), number('c')], { ...USUAL, delimiter: '|' })).toBe(
    String.raw`concat('"', replaceAll(a, '"', '""'), '"', '|', '"', replaceAll(b, '"', '""'), '"', '|', '"', c, '"', '\x0d\x0a')`,
  )
  expect(csv.row([text('a')], { ...USUAL, lineEnd: '\n', quoteAll: false })).toBe(
    String.raw`concat(if(match(a, '["\\r\\n\\x2c]'), concat('"', replaceAll(a, '"', '""'), '"'), a), '\x0a')`,
  )
})

test('a delimiter cannot end the SQL of a row', () => {
  for (const delimiter of ["'", '\\', '"']) {
    const sql = csv.row([text('a'), text('b')], { ...USUAL, delimiter })
    expect(sql).toContain(`'"', ${literal(delimiter)}, '"'`)
  }
})

test('the names of formats and encodings are in capitals, because requests may use any case', () => {
  for (const name of [...Object.keys(FORMATS), ...ENCODINGS]) expect(name).toBe(name.toUpperCase())
})
