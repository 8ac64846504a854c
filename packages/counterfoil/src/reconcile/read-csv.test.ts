import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CsvParser, findDelimiter } from './read-csv.ts'

/** Parses a text in pieces that end at `cuts`. */
function parsePieces(text: string, cuts: readonly number[], delimiter = ',') {
  const parser = new CsvParser(delimiter)
  const ends = [...cuts, text.length].toSorted((one, other) => one - other)
  let start = 0
  const records = ends.map((end) => {
    const piece = text.slice(start, end)
    start = Math.max(start, end)
    return parser.push(piece)
  })
  return [...records.flat(), ...parser.push('', true)]
}

const fieldsOf = (text: string, cuts: readonly number[] = [], delimiter?: string) =>
  parsePieces(text, cuts, delimiter).map(({ fields }) => fields)

const HOSTILE = 'a,b\r\n"1,2","x""y"\r\n"line\r\nbreak",\n\n,"\n"\r\nd,"f"\n"","g"'

test('reads the same records wherever the pieces end', () => {
  const expected = [
    { line: 1, fields: ['a', 'b'] },
    { line: 2, fields: ['1,2', 'x"y'] },
    { line: 3, fields: ['line\r\nbreak', ''] },
    { line: 6, fields: ['', '\n'] },
    { line: 8, fields: ['d', 'f'] },
    { line: 9, fields: ['', 'g'] },
  ]
  for (let cut = 0; cut <= HOSTILE.length; cut += 1) {
    expect(parsePieces(HOSTILE, [cut, cut + 1, cut + 3])).toEqual(expected)
  }
})

test('reads what another program writes as another program reads it', () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', 'ж', ' ') })
  const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  const options = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    quoted: fc.boolean(),
    record_delimiter: fc.constantFrom<'unix' | 'windows'>('unix', 'windows'),
  })
  fc.assert(
    fc.property(records, options, fc.array(fc.nat(80)), (written, format, cuts) => {
      const text = stringify(written, format)
      const { delimiter } = format
      const read = parse(text, {
        delimiter,
        record_delimiter: ['\r\n', '\n'],
        relax_column_count: true,
        skip_empty_lines: true,
      })
      expect(fieldsOf(text, cuts, delimiter)).toEqual(read)
    }),
  )
})

test.each([
  ['a,b\n1,2\n"3,4\n5,6\n', 'line 3: nothing closes a quote'],
  ['a,b\n1,2"3"\n', 'line 2: a quote is inside a field without quotes'],
  ['a,b\n"1"2,3\n', 'line 2: text follows the closing quote of a field'],
  [`a,b\n"${'1,2\n'.repeat(1_100_000)}`, 'line 2: the record is longer than 4 MiB'],
])('names the line of a malformed record', (text, message) => {
  expect(() => parsePieces(text, [])).toThrow(message)
})

test('takes linear time, whatever a file holds', { tags: ['long'] }, () => {
  for (const [record, piece] of [
    ['"a",', 65_536],
    ['"', 65_536],
    ['a\n', 4_000_000],
    [`"${'x\n'.repeat(1_000_000)}"\n${'a\n'.repeat(1_000_000)}`, 65_536],
  ] as const) {
    const text = record.repeat(Math.ceil(4_000_000 / record.length))
    const parser = new CsvParser(',')
    const { user } = process.cpuUsage()
    for (let at = 0; at < text.length; at += piece) parser.push(text.slice(at, at + piece))
    // With square time, each takes more than 20 s.
    expect(process.cpuUsage().user - user).toBeLessThan(10_000_000)
  }
})

test.each([
  ['id;total,net;status\n1;2;3\n', ';'],
  ['"a;b;c;d",e,f\n', ','],
  ['id\ttotal\n', '\t'],
  ['id|total|status\n', '|'],
  ['id\n', ','],
])('finds the delimiter of %j', (text, delimiter) => {
  expect(findDelimiter(text)).toBe(delimiter)
})
