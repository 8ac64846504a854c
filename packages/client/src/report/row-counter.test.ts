import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRowCounter } from './prove-report.ts'

test.each([
  ['nothing', '', 0],
  ['a header', 'a,b\r\n', 0],
  ['a header without an end', 'a,b', 0],
  ['one row', 'a,b\r\n1,2\r\n', 1],
  ['a last row without an end', 'a,b\r\n1,2\r\n3,4', 2],
  ['lines that end in LF', 'a\n1\n2\n', 2],
  ['a byte order mark', '\u{FEFF}"a"\r\n"1"\r\n', 1],
  ['CR, LF and CRLF inside quotes', '"a"\r\n"1\r2\n3\r\n4"\r\n', 1],
  ['doubled quotes around a line break', '"a"\r\n"""\r\n"""\r\n"2"\r\n', 2],
  ['an empty field', '"a"\r\n""\r\n', 1],
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

function rowsOf(chunks: readonly Buffer[]): number {
  const counter = createRowCounter({ hasHeader: true })
  for (const chunk of chunks) counter.push(chunk)
  return counter.rows()
}

test('counts every record without a header row, and no record for a byte order mark alone', () => {
  const count = (text: string): number => {
    const counter = createRowCounter({ hasHeader: false })
    counter.push(Buffer.from(text))
    return counter.rows()
  }
  expect([count(''), count('\ufeff'), count('\ufeffa,b\n'), count('a\r\nb\r\n')]).toEqual([
    0, 0, 1, 2,
  ])
})

test.each(['UTF-16LE', 'utf-16be'])('counts the rows of %s, wherever the chunks end', (charset) => {
  // The bytes of these characters are those of quotes and line feeds.
  const bytes = Buffer.from('\ufeff"a"\r\n"\u220a\u0a22"\r\n"\n\u0a0a"\r\n', 'utf16le')
  if (charset === 'utf-16be') bytes.swap16()
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const counter = createRowCounter({ hasHeader: true, charset })
    counter.push(bytes.subarray(0, cut))
    counter.push(bytes.subarray(cut))
    expect(counter.rows()).toBe(2)
  }
  const empty = createRowCounter({ hasHeader: false, charset })
  empty.push(bytes.subarray(0, 2))
  expect(empty.rows()).toBe(0)
})
