import { expect, test } from 'vitest'
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

function head(change: Partial<FormatStyle> = {}): string {
  return Buffer.from(csv.head(TITLES, { ...USUAL, ...change })).toString()
}

test('CSV says what it is', () => {
  expect(csv.extension).toBe('csv')
  expect(csv.contentType(USUAL)).toBe('text/csv; charset=UTF-8')
  // RFC 4180, 3: whoever reads it need not guess.
  expect(csv.contentType({ ...USUAL, header: false })).toBe(
    'text/csv; charset=UTF-8; header=absent',
  )
})

test('the titles come first, all of them quoted', () => {
  expect(head()).toBe('"Plain","a ""b""","x,y","x;y","two words","é漢😀"," ",""\r\n')
  expect(head({ delimiter: ';', lineEnd: '\n' })).toMatch(/^"Plain";"a ""b""";.*;""\n$/)
})

test('of minimal quotes, only the titles that need them have some', () => {
  const minimal = { quoteAll: false }
  expect(head(minimal)).toBe('Plain,"a ""b""","x,y",x;y,two words,é漢😀, ,\r\n')
  expect(head({ ...minimal, delimiter: ';' })).toContain(';x,y;"x;y";')
  expect(head({ ...minimal, delimiter: ' ' })).toContain(' "two words" ')
  expect(head({ ...minimal, delimiter: 'y' })).toContain('y"x,y"y"x;y"y')
})

test('without a header row there is nothing before the rows, or a byte order mark alone', () => {
  expect(head({ header: false })).toBe('')
  expect([...csv.head(TITLES, { ...USUAL, header: false, byteOrderMark: true })]).toEqual([
    0xef, 0xbb, 0xbf,
  ])
  expect(head({ byteOrderMark: true })).toMatch(/^\ufeff"Plain",/)
})

test('the engine writes the rows, with the delimiter and the line end that were asked for', () => {
  expect(csv.engine({ ...USUAL, delimiter: '|' })).toEqual({
    format: 'CSV',
    settings: { format_csv_delimiter: '|', output_format_csv_crlf_end_of_line: 1 },
  })
  expect(csv.engine({ ...USUAL, lineEnd: '\n' }).settings).toMatchObject({
    output_format_csv_crlf_end_of_line: 0,
  })
  expect(csv.engine({ ...USUAL, quoteAll: false, lineEnd: '\n' })).toEqual({
    format: 'CustomSeparated',
    settings: {
      format_custom_escaping_rule: 'Raw',
      format_custom_field_delimiter: ',',
      format_custom_row_after_delimiter: '\n',
    },
  })
})

test('formats and encodings are written in capitals: requests may write them in any case', () => {
  for (const name of [...Object.keys(FORMATS), ...ENCODINGS]) expect(name).toBe(name.toUpperCase())
})
