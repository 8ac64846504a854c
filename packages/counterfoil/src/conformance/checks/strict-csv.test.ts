import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseStrictCsv } from './reports.ts'

const record = fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 4 })
const rows = fc.array(record, { minLength: 1, maxLength: 4 })

test.each([',', ';'])('reads a well-formed file with %j between fields', (delimiter) => {
  fc.assert(
    fc.property(rows, fc.boolean(), (written, quoted) => {
      const form = { delimiter, quoted, quoted_empty: quoted, quoted_match: /[\r\n]/ }
      const text = stringify(written, { ...form, record_delimiter: '\r\n' })
      const { records, isWellFormed } = parseStrictCsv(text, delimiter)
      expect(records.map(({ fields }) => fields)).toEqual(written)
      expect(isWellFormed).toBe(true)
      expect(records.every(({ isQuoted }) => isQuoted) || !quoted).toBe(true)
    }),
  )
})

test.each([
  ['a quote that nothing closes', 'a,b\r\n"c,d\r\n', 1],
  ['a single quote at the end', 'a,b\r\nc,"', 1],
  ['a quote in a field', 'a,b"c\r\n', 0],
  ['two quotes in a field', 'a,"b"\r\nc,d"e"f\r\n', 1],
  ['text after a quote', 'a,"b"c\r\n', 0],
])('finds %s', (_, text, before) => {
  const { records, isWellFormed } = parseStrictCsv(text, ',')
  expect([records.length, isWellFormed]).toEqual([before, false])
})

test('says how each record ends', () => {
  const { records } = parseStrictCsv('"a"\r\n"b\n"\n"c"\r"d",', ',')
  expect(records.map(({ end }) => end)).toEqual(['\r\n', '\n', '\r', ''])
  expect(records.at(-1)?.fields).toEqual(['d', ''])
})
