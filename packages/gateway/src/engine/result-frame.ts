import type { Settings } from '../clickhouse/settings.ts'
import type { EngineQuery } from './engine.ts'

const NEW_LINE = 0x0a
const QUOTE = 0x22
// The digits of the largest number of rows, 2^64 - 1.
const DIGITS_MAX = 20

/** How the gateway counts the rows of a result that arrives as plain bytes. */
export interface ResultFrame {
  /** The format that the gateway asks the server for. */
  readonly format: string
  readonly settings: Settings
  /** The length of the longest text that the server adds after the last row. */
  readonly trailerBytesMax: number
  /** Counts the rows that end in a piece of the result. */
  readonly countRows: (piece: Uint8Array) => number
  /**
   * Splits the end of the result into rows and trailer. Returns the length of the rows and the number of rows that
   * `countRows` has not counted, or `undefined` if the trailer is missing.
   */
  readonly readEnd: (end: Buffer) => { readonly length: number; readonly rows: number } | undefined
}

/**
 * Returns the frame of a result. The server writes the number of rows of a `RawBLOB` after the last row, because the
 * bytes of a row may be anything. So a result without its end is never taken for a complete one.
 *
 * @param mark a text that no row has
 */
export function frameOf(format: EngineQuery['format'], mark: string): ResultFrame {
  return format === 'RawBLOB' ? rawFrame(mark) : lineFrame(format)
}

function rawFrame(mark: string): ResultFrame {
  const before = Buffer.from(`\n${mark} `)
  const trailerBytesMax = before.length + DIGITS_MAX
  return {
    format: 'Template',
    settings: {
      format_template_row_format: '${_row:Raw}',
      format_template_rows_between_delimiter: '',
      format_template_resultset_format: `\${data}${before.toString()}\${rows:Raw}`,
    },
    trailerBytesMax,
    countRows: () => 0,
    readEnd: (end) => {
      const length = end.lastIndexOf(before)
      const digits = length < 0 ? '' : end.toString('latin1', length + before.length)
      return /^\d+$/.test(digits) ? { length, rows: Number(digits) } : undefined
    },
  }
}

/** A row of JSON is one line. A row of CSV is one line too, but its quoted fields may have line breaks. */
function lineFrame(format: 'CSV' | 'JSONEachRow'): ResultFrame {
  let isQuoted = false
  return {
    format,
    settings: {},
    trailerBytesMax: 0,
    countRows: (piece) => {
      let rows = 0
      for (const byte of piece) {
        if (format === 'CSV' && byte === QUOTE) isQuoted = !isQuoted
        if (byte === NEW_LINE && !isQuoted) rows += 1
      }
      return rows
    },
    readEnd: ({ length }) => ({ length, rows: 0 }),
  }
}
