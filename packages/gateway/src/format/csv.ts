import type { Format, FormatStyle } from './format.ts'

const BYTE_ORDER_MARK = '\ufeff'

/** CSV as of RFC 4180. The engine writes the rows, this the titles before them. */
export const csv: Format = {
  contentType: ({ header }) => `text/csv; charset=UTF-8${header ? '' : '; header=absent'}`,
  extension: 'csv',
  head: (titles, style) => {
    const { byteOrderMark, header, delimiter, lineEnd } = style
    const mark = byteOrderMark ? BYTE_ORDER_MARK : ''
    const row = header ? titles.map((title) => quoted(title, style)).join(delimiter) + lineEnd : ''
    return new TextEncoder().encode(mark + row)
  },
  field: (text, style) => {
    // The engine puts quotes around every text or around none; which ones need them is decided in SQL.
    if (style.quoteAll) return text
    const inQuotes = `concat('"', replaceAll(${text}, '"', '""'), '"')`
    const special = specialOf(style).replaceAll('\\', '\\\\')
    return `if(match(${text}, '${special}'), ${inQuotes}, ${text})`
  },
  engine: ({ quoteAll, delimiter, lineEnd }) => {
    if (quoteAll) {
      return {
        format: 'CSV',
        settings: {
          format_csv_delimiter: delimiter,
          output_format_csv_crlf_end_of_line: lineEnd === '\r\n' ? 1 : 0,
        },
      }
    }
    return {
      format: 'CustomSeparated',
      settings: {
        format_custom_escaping_rule: 'Raw',
        format_custom_field_delimiter: delimiter,
        format_custom_row_after_delimiter: lineEnd,
      },
    }
  },
}

/** A pattern for the texts that need quotes: the delimiter, a quote or a line break is in them. */
function specialOf({ delimiter }: FormatStyle): string {
  const code = delimiter.charCodeAt(0).toString(16).padStart(2, '0')
  return `["\\r\\n\\x${code}]`
}

function quoted(title: string, style: FormatStyle): string {
  const needed = style.quoteAll || new RegExp(specialOf(style)).test(title)
  return needed ? `"${title.replaceAll('"', '""')}"` : title
}
