import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CountedCsv, createRowCounter } from './prove-report.ts'

test.each([
  ['nothing', '', 0],
  ['a header without an end', 'a,b', 0],
  ['a last row without an end', 'a,b\r\n1,2\r\n3,4', 2],
  ['a byte order mark', '\u{FEFF}"a"\r\n"1"\r\n', 1],
  ['quotes that are still open', '"a"\r\n"1\r\n', 1],
])('counts the rows of %s', (_, csv, rows) => {
  expect(rowsOf([Buffer.from(csv)])).toBe(rows)
})

test('agrees with csv-parse, wherever the chunks end', () => {
  const field = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('"', '\r', '\n', '\r\n', ',', ';', 'x', 'ž'))
      .map((parts) => parts.join('')),
  )
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(field, { minLength: width, maxLength: width }), { maxLength: 8 }),
    )
  const shape = fc.record({
    table,
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    lineEnd: fc.constantFrom('\r\n', '\n'),
    lastEnd: fc.boolean(),
    quoteAll: fc.boolean(),
    cuts: fc.array(fc.nat(200)),
  })
  fc.assert(
    fc.property(shape, ({ table: records, delimiter, lineEnd, lastEnd, quoteAll, cuts }) => {
      const lines = records.map((record) => {
        return record.map((text) => quote(text, delimiter, quoteAll)).join(delimiter)
      })
      const csv = lines.join(lineEnd) + (lastEnd && lines.length > 0 ? lineEnd : '')
      const parsed: string[][] = parse(csv, { delimiter, record_delimiter: lineEnd })
      expect(parsed).toEqual(records)
      expect(rowsOf(cutAt(Buffer.from(csv), cuts))).toBe(Math.max(0, parsed.length - 1))
    }),
  )
})

/** Quotes empty fields too, because CSV readers ignore an empty line at the end. */
function quote(text: string, delimiter: string, quoteAll: boolean): string {
  const needed = quoteAll || text === '' || /["\r\n]/.test(text) || text.includes(delimiter)
  return needed ? `"${text.replaceAll('"', '""')}"` : text
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  return places.map((place, index) => bytes.subarray(place, places[index + 1]))
}

function rowsOf(chunks: readonly Buffer[], csv: CountedCsv = { hasHeader: true }): number {
  const counter = createRowCounter(csv)
  for (const chunk of chunks) counter.push(chunk)
  return counter.rows()
}

test.each([
  ['', 0],
  ['\ufeff', 0],
  ['\ufeffa,b\n', 1],
  ['a\r\nb\r\n', 2],
])('counts every record of %j without a header row', (csv, rows) => {
  expect(rowsOf([Buffer.from(csv)], { hasHeader: false })).toBe(rows)
})

test.each(['UTF-16LE', 'utf-16be'])('counts the rows of %s, wherever the chunks end', (charset) => {
  // The bytes of these characters are those of quotes and line feeds.
  const bytes = Buffer.from('\ufeff"a"\r\n"\u220a\u0a22"\r\n"\n\u0a0a"\r\n', 'utf16le')
  if (charset === 'utf-16be') bytes.swap16()
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)]
    expect(rowsOf(chunks, { hasHeader: true, charset })).toBe(2)
  }
  expect(rowsOf([bytes.subarray(0, 2)], { hasHeader: false, charset })).toBe(0)
})
