import type { IncomingMessage } from 'node:http'
import { LIMITS } from '@counterfoil/common'
import type { Settings } from '../dialect/settings.ts'
import type { EngineChunk, EngineFormat } from '../engine/engine.ts'

// The digits of the largest number of rows, 2^64 - 1.
const DIGITS_MAX = 20

/** How the gateway recognises the end of a result. */
export interface ResultFrame {
  /** The format that the gateway asks the server for. */
  readonly format: string
  readonly settings: Settings
  /** The length of the longest text that the server adds after the last row. */
  readonly trailerBytesMax: number
  /**
   * Splits the end of the result into rows and trailer. Returns the length of the rows and the number of all rows of
   * the result, which only `RawBLOB` counts. Returns `undefined` if the trailer is missing.
   */
  readonly readEnd: (end: Buffer) => { readonly length: number; readonly rows: number } | undefined
}

/** The frame of a statement, which has no result. */
export const STATEMENT_FRAME: ResultFrame = {
  format: 'Null',
  settings: {},
  trailerBytesMax: 0,
  readEnd: ({ length }) => ({ length, rows: 0 }),
}

/**
 * Frames of results. Every format ends with a text that no row has, the mark. So a result without its end is never
 * taken for a complete one.
 */
export const FRAMES: Readonly<Record<EngineFormat, (mark: string) => ResultFrame>> = {
  RawBLOB: rawFrame,
  CSV: csvFrame,
  JSONEachRow: jsonFrame,
  // Only a reader of the file can tell whether this text is its end, and how many rows it has.
  Parquet: () => {
    return { format: 'Parquet', settings: {}, ...endingWith('PAR1', true) }
  },
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
    readEnd: (end) => {
      const length = end.lastIndexOf(before)
      const digits = length < 0 ? '' : end.toString('latin1', length + before.length)
      return /^\d+$/.test(digits) ? { length, rows: Number(digits) } : undefined
    },
  }
}

function csvFrame(mark: string): ResultFrame {
  return {
    format: 'CustomSeparated',
    settings: {
      format_custom_escaping_rule: 'CSV',
      format_custom_field_delimiter: ',',
      format_custom_result_after_delimiter: mark,
    },
    ...endingWith(mark),
  }
}

/** The server writes an array with a row in each line. No row has a line break. */
function jsonFrame(): ResultFrame {
  const settings = { output_format_json_array_of_rows: 1 }
  return { format: 'JSONEachRow', settings, ...endingWith('\n]\n') }
}

/** @param isKept whether the trailer is a part of the result */
function endingWith(
  trailer: string,
  isKept = false,
): Pick<ResultFrame, 'trailerBytesMax' | 'readEnd'> {
  return {
    trailerBytesMax: trailer.length,
    readEnd: (end) => {
      const length = isKept ? end.length : end.length - trailer.length
      return end.toString('latin1').endsWith(trailer) ? { length, rows: 0 } : undefined
    },
  }
}

/**
 * Reads the result of a query from a response. A server can fail after its status 200. It then writes an exception
 * into the body, or closes the connection. The reader throws in both cases, and passes no byte of the exception on.
 */
export class ResultReader {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #frame: ResultFrame
  /** The bytes before an exception. */
  readonly #mark: Buffer
  /** The newest piece. Its end may be the beginning of an exception or of the trailer. */
  #held: Buffer = Buffer.alloc(0)
  #isOver = false
  #isDiscarded = false

  /** @param tag the text that marks an exception in this response */
  constructor(response: IncomingMessage, tag: string, frame: ResultFrame) {
    this.#pieces = response[Symbol.asyncIterator]()
    this.#frame = frame
    this.#mark = Buffer.from(`__exception__\r\n${tag}`)
  }

  /** Whether the response has ended, and its query too. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Reads the next chunk. Resolves with `undefined` at the end of a complete result. */
  async next(): Promise<EngineChunk | undefined> {
    while (!this.#isOver) {
      const piece = await this.#read()
      if (this.#isDiscarded) break
      const chunk = piece === undefined ? this.#end() : await this.#take(piece)
      if (chunk.bytes.length > 0 || chunk.rows > 0) return chunk
    }
    if (this.#isDiscarded) throw new Error('The query was killed.')
    return undefined
  }

  /** Reads the rest of the response and drops it, so that the server can end the query. */
  async discard(): Promise<void> {
    this.#isDiscarded = true
    try {
      while ((await this.#read()) !== undefined);
    } catch {
      // The connection is closed.
    }
  }

  async #read(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await this.#pieces.next()
      if (done !== true) return value
    } catch (error) {
      this.#isOver = true
      throw error
    }
    this.#isOver = true
    return undefined
  }

  /** Holds the newest piece back, and passes on the one before as it came. */
  async #take(piece: Buffer): Promise<EngineChunk> {
    const held = this.#held
    const { length } = this.#mark
    const seam = Buffer.concat([held.subarray(-length), piece.subarray(0, length)])
    if (seam.includes(this.#mark) || piece.includes(this.#mark)) {
      const bytes = Buffer.concat([held, piece])
      throw await this.#readException(bytes.subarray(bytes.indexOf(this.#mark) + length))
    }
    const isShort = piece.length < Math.max(length, this.#frame.trailerBytesMax)
    this.#held = isShort ? Buffer.concat([held, piece]) : piece
    return { bytes: isShort ? piece.subarray(0, 0) : held, rows: 0 }
  }

  #end(): EngineChunk {
    const end = this.#frame.readEnd(this.#held)
    if (end === undefined) throw new Error('The result ended without its trailer.')
    return { bytes: this.#held.subarray(0, end.length), rows: end.rows }
  }

  async #readException(start: Buffer): Promise<Error> {
    let text = start.toString()
    let piece: Buffer | undefined
    const read = async () => await this.#read().catch(() => undefined)
    while ((piece = await read()) !== undefined) {
      if (text.length < LIMITS.serverErrorLengthMax) text += piece.toString()
    }
    return new Error(text.trim())
  }
}
