import type { Format } from './format.ts'

/** CSV as of RFC 4180, written by the engine: a header row, CRLF, every field in quotes. */
export const csv: Format = {
  contentType: 'text/csv; charset=UTF-8',
  extension: 'csv',
  engineFormat: 'CSVWithNames',
  settings: ({ reportCsvDelimiter }) => ({
    format_csv_delimiter: reportCsvDelimiter,
    output_format_csv_crlf_end_of_line: 1,
  }),
}
