import { GatewayError, LIMITS } from '@counterfoil/common'
import type { PieceWriter } from './piece-writer.ts'

/** The end of a row of a file. */
export interface CutRow {
  /** The offset at which its text ends. */
  readonly textEnd: number
  /** The offset at which the next row starts. */
  readonly end: number
  /** How many lines of the file it spans. */
  readonly lines: number
  /** The error, if the row cannot be read. */
  readonly fault?: string
}

/** Finds and writes the rows of a format. */
export interface RowFormat {
  /**
   * Finds the end of the row that starts at `start`. Returns `undefined` if the row does not end in `bytes` and more
   * bytes follow.
   */
  readonly cut: (bytes: Buffer, start: number, isLast: boolean) => CutRow | undefined
  /** Writes a complete row: its text, its first line and its last line. */
  readonly write: (text: Buffer, line: number, lastLine: number) => void
}

const LF = 10
const { importedRowBytesMax: BYTES_MAX } = LIMITS
const TOO_LONG = `expected a row of at most ${BYTES_MAX / 1024} KiB`

/**
 * Cuts a file into rows and yields them in the writer's pieces. Every line belongs to a row, except empty lines between
 * rows.
 *
 * @throws {GatewayError} `ledger` if a line does not end within twice the longest permitted row
 */
export async function* cutRows(
  path: string,
  chunks: AsyncIterable<Buffer>,
  format: RowFormat,
  writer: PieceWriter,
): AsyncGenerator<Uint8Array, void> {
  let bytes: Buffer = Buffer.alloc(0)
  let line = 1
  for await (const chunk of withEnd(chunks)) {
    bytes = Buffer.concat([bytes, chunk ?? Buffer.alloc(0)])
    const isLast = chunk === undefined
    let start = 0
    while (start < bytes.length) {
      const row = bounded(format.cut(bytes, start, isLast), bytes, start, `${path}:${line}`)
      if (row === undefined) break
      const lastLine = line + row.lines - 1
      if (row.fault !== undefined) writer.writeBroken(row.fault, line, lastLine)
      else if (row.textEnd > start) format.write(bytes.subarray(start, row.textEnd), line, lastLine)
      if (writer.isFull()) yield writer.take()
      start = row.end
      line = lastLine + 1
    }
    bytes = bytes.subarray(start)
  }
  yield writer.take()
}

/** Yields the chunks, and then `undefined`. */
async function* withEnd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined, void> {
  yield* chunks
  yield undefined
}

/** Applies the limit of a row's length. A row that does not end, such as one with an open quote, is cut. */
function bounded(
  row: CutRow | undefined,
  bytes: Buffer,
  start: number,
  where: string,
): CutRow | undefined {
  const fault = TOO_LONG
  if (row !== undefined) return row.textEnd - start > BYTES_MAX ? { ...row, fault } : row
  if (bytes.length - start <= BYTES_MAX) return undefined
  const end = bytes.indexOf(LF, start + BYTES_MAX) + 1
  if (end > 0) return { textEnd: end, end, lines: countLines(bytes.subarray(start, end)), fault }
  if (bytes.length - start <= 2 * BYTES_MAX) return undefined
  throw new GatewayError('ledger', `${where}: ${TOO_LONG}`)
}

/** Counts line ends. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (const byte of bytes) if (byte === LF) lines += 1
  return lines
}
