import { LIMITS } from '../limits.ts'

const LF = 10
// A row is at most as long again when it is written: each of its quotes may be doubled. Before it stands where it
// comes from, or what is wrong with it.
/** How much of a file goes into the engine at a time. */
const PIECE_BYTES = 32 * 1024 * 1024
const CAPACITY = PIECE_BYTES + 3 * LIMITS.importedRowBytesMax

/** Collects rows as CSV, each behind the columns that say where it comes from (`ORIGIN_COLUMNS`). */
export interface PieceWriter {
  /** A row that is CSV itself. */
  readonly write: (text: Uint8Array, line: number, lastLine: number) => void
  /** A row that cannot be read, and what was expected. */
  readonly writeBroken: (reason: string, line: number, lastLine: number) => void
  readonly isFull: () => boolean
  /** How many rows were written, over all pieces. */
  readonly rows: () => number
  /** What was written since; the writer begins anew. */
  readonly take: () => Uint8Array
}

/** Where a row comes from: its file (by number), its first and last line, and what is wrong with it as a row. */
export const ORIGIN_COLUMNS = {
  file: 'UInt16',
  line: 'UInt64',
  last_line: 'UInt64',
  broken: 'Nullable(String)',
} as const

/** Makes a writer of rows of a file: its number, the delimiter between columns, and how many columns there are. */
export function createPieceWriter(file: number, delimiter: string, columns: number): PieceWriter {
  const noValues = delimiter.repeat(columns)
  let piece: Buffer | undefined
  let at = 0
  let rows = 0
  const begin = (line: number, lastLine: number): Buffer => {
    piece ??= Buffer.allocUnsafe(CAPACITY)
    at += piece.write([file, line, lastLine, ''].join(delimiter), at, 'latin1')
    rows += 1
    return piece
  }
  return {
    write: (text, line, lastLine) => {
      const room = begin(line, lastLine)
      at += room.write(delimiter, at, 'latin1')
      room.set(text, at)
      at += text.length
      room[at] = LF
      at += 1
    },
    writeBroken: (reason, line, lastLine) => {
      const room = begin(line, lastLine)
      at += room.write(`"${reason.replaceAll('"', '""')}"${noValues}\n`, at)
    },
    isFull: () => at >= PIECE_BYTES,
    rows: () => rows,
    take: () => {
      const taken = piece?.subarray(0, at) ?? new Uint8Array()
      piece = undefined
      at = 0
      return taken
    },
  }
}
