import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import type { PieceWriter } from './piece-writer.ts'

/** Where a row of a file ends. */
export interface CutRow {
  /** Where its text ends. */
  readonly textEnd: number
  /** Where the next row starts. */
  readonly end: number
  /** How many lines of the file it takes. */
  readonly lines: number
  /** Why it cannot be read. */
  readonly fault?: string
}

/** How the rows of a format are told apart, and handed on. */
export interface RowFormat {
  /** The row that starts at `start`; `undefined` where it does not end in what is there, and more is to come. */
  readonly cut: (bytes: Buffer, start: number, isLast: boolean) => CutRow | undefined
  /** Writes a row that is whole: its text, and the lines from and to which it goes. */
  readonly write: (text: Buffer, line: number, lastLine: number) => void
}

const LF = 10
const { importedRowBytesMax: BYTES_MAX } = LIMITS
const TOO_LONG = `expected a row of at most ${BYTES_MAX / 1024} KiB`

/**
 * Cuts a file into rows and gives them in pieces, as the writer has them. Every line belongs to a row, but for empty
 * ones between rows. Throws `ledger` where a line has no end within twice what a row may take.
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

/** What comes, and then `undefined`. */
async function* withEnd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined, void> {
  yield* chunks
  yield undefined
}

/** Holds a row against the most that one may take; one that does not end (a quote left open) is broken off. */
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

/** How many line ends there are. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (const byte of bytes) if (byte === LF) lines += 1
  return lines
}
