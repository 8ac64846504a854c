import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseStrictCsv } from './strict-csv.ts'

const record = fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 4 })
const rows = fc.array(record, { minLength: 1, maxLength: 4 })

test.each([',', ';', '\t', '|', '^', '-', ']', '\\'])(
  'reads a well-formed file with %j between fields',
  (delimiter) => {
    fc.assert(
      fc.property(rows, fc.boolean(), (written, quoted) => {
        const form = { delimiter, quoted, quoted_empty: quoted, quoted_match: /[\r\n]/ }
        const text = stringify(written, { ...form, record_delimiter: '\r\n' })
        const { records, ...faults } = parseStrictCsv(text, delimiter)
        expect(records.map(({ fields }) => fields)).toEqual(written)
        expect(faults).toEqual({})
        expect(records.every(({ isQuoted }) => isQuoted) || !quoted).toBe(true)
      }),
    )
  },
)

test.each([
  ['a quote that nothing closes', 'a,b\r\n"c,d\r\n', 2],
  ['a single quote at the end', 'a,b\r\nc,"', 2],
  ['a quote in a field', 'a,b"c\r\n', 1],
  ['two quotes in a field', 'a,"b"\r\nc,d"e"f\r\n', 2],
  ['text after a quote', 'a,"b"c\r\n', 1],
])('finds %s', (_, text, at) => {
  expect(parseStrictCsv(text, ',').badQuote).toBe(at)
})

test.each([
  ['LF', '"a"\r\n"b"\n"c"\r\n', 2],
  ['CR', '"a"\r"b"\r\n', 1],
  ['none at the end', '"a"\r\n"b"', undefined],
  ['line ends in a field', '"a\nb\rc"\r\n', undefined],
])('finds another line end: %s', (_, text, found) => {
  expect(parseStrictCsv(text, ',').otherLineEnd).toBe(found)
})

test('reads a field of 3 MB', () => {
  const field = '"" '.repeat(1_000_000)
  expect(parseStrictCsv(`"${field}"`, ',').records).toHaveLength(1)
})
