import { expect, test } from 'vitest'
import { ENCODINGS, FORMATS } from './formats.ts'

test('CSV is written by the engine, in CRLF, with the delimiter that was asked for', () => {
  const { csv } = { csv: FORMATS.CSV }
  expect(csv).toMatchObject({
    contentType: 'text/csv; charset=UTF-8',
    extension: 'csv',
    engineFormat: 'CSVWithNames',
  })
  expect(csv.settings({ reportCsvDelimiter: '|' })).toEqual({
    format_csv_delimiter: '|',
    output_format_csv_crlf_end_of_line: 1,
  })
})

test('formats and encodings are written in capitals: requests may write them in any case', () => {
  for (const name of [...Object.keys(FORMATS), ...ENCODINGS]) expect(name).toBe(name.toUpperCase())
})
