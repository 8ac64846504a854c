import type { Settings } from '../dialect/settings.ts'
import type { EngineQuery } from '../engine/engine.ts'

const NEW_LINE = 0x0a
const QUOTE = 0x22
const BRACE = 0x7b
// The digits of the largest number of rows, 2^64 - 1.
const DIGITS_MAX = 20

/** How the gateway counts the rows of a result that arrives as plain bytes, and recognises its end. */
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
 * Returns the frame of a result. Every format ends with a text that no row has. So a result without its end is never
 * taken for a complete one.
 *
 * @param mark a text that no row has
 */
export function frameOf(format: EngineQuery['format'], mark: string): ResultFrame {
  return FRAMES[format](mark)
}

/** The frame of a statement, which has no result. */
export const STATEMENT_FRAME: ResultFrame = {
  format: 'Null',
  settings: {},
  trailerBytesMax: 0,
  countRows: () => 0,
  readEnd: ({ length }) => ({ length, rows: 0 }),
}

const FRAMES: Readonly<Record<EngineQuery['format'], (mark: string) => ResultFrame>> = {
  RawBLOB: rawFrame,
  CSV: csvFrame,
  JSONEachRow: jsonFrame,
  Parquet: parquetFrame,
}

/** The server writes the number of rows after the last row, because the bytes of a row may be anything. */
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

/** A row is one line, but its quoted fields may have line breaks. */
function csvFrame(mark: string): ResultFrame {
  let isQuoted = false
  return {
    format: 'CustomSeparated',
    settings: {
      format_custom_escaping_rule: 'CSV',
      format_custom_field_delimiter: ',',
      format_custom_result_after_delimiter: mark,
    },
    ...endingWith(mark),
    countRows: (piece) => {
      let rows = 0
      for (const byte of piece) {
        if (byte === QUOTE) isQuoted = !isQuoted
        if (byte === NEW_LINE && !isQuoted) rows += 1
      }
      return rows
    },
  }
}

/** The server writes an array with a row in each line. No row has a line break. */
function jsonFrame(): ResultFrame {
  let last: number | undefined
  return {
    format: 'JSONEachRow',
    settings: { output_format_json_array_of_rows: 1 },
    ...endingWith('\n]\n'),
    countRows: (piece) => {
      let rows = 0
      for (const byte of piece) {
        if (byte === BRACE && last === NEW_LINE) rows += 1
        last = byte
      }
      return rows
    },
  }
}

/** A file ends with this text. Only a reader of the file can tell whether it is the end, and how many rows it has. */
function parquetFrame(): ResultFrame {
  const end = 'PAR1'
  return {
    format: 'Parquet',
    settings: {},
    trailerBytesMax: end.length,
    countRows: () => 0,
    readEnd: (bytes) => {
      return bytes.toString('latin1').endsWith(end) ? { length: bytes.length, rows: 0 } : undefined
    },
  }
}

function endingWith(trailer: string): Pick<ResultFrame, 'trailerBytesMax' | 'readEnd'> {
  return {
    trailerBytesMax: trailer.length,
    readEnd: (end) => {
      const length = end.length - trailer.length
      return end.toString('latin1').endsWith(trailer) ? { length, rows: 0 } : undefined
    },
  }
}
