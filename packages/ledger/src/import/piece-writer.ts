import { LIMITS } from '@counterfoil/common'

const LF = 10
// Writing can double a row's length, because each of its quotes may be doubled. Its origin, or its error, comes before
// it.
const CAPACITY = LIMITS.importedPieceBytes + 3 * LIMITS.importedRowBytesMax

/** Collects rows as CSV. The columns of `ORIGIN_COLUMNS` come before those of each row. */
export interface PieceWriter {
  /** Writes a row that is already CSV. */
  readonly write: (text: Uint8Array, line: number, lastLine: number) => void
  /** Writes a row that cannot be read, with its error. */
  readonly writeBroken: (reason: string, line: number, lastLine: number) => void
  readonly isFull: () => boolean
  /** How many rows were written, in all pieces. */
  readonly rows: () => number
  /** Returns the rows since the last call, and starts a new piece. */
  readonly take: () => Uint8Array
}

/** The origin of a row: the number of its file, its first and last line, and the error if the row cannot be read. */
export const ORIGIN_COLUMNS = {
  file: 'UInt16',
  line: 'UInt64',
  last_line: 'UInt64',
  broken: 'Nullable(String)',
} as const

/**
 * Creates a writer for the rows of one file.
 *
 * @param file the number of the file
 * @param delimiter the delimiter between columns
 * @param columns how many columns a row has
 */
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
    isFull: () => at >= LIMITS.importedPieceBytes,
    rows: () => rows,
    take: () => {
      const taken = piece?.subarray(0, at) ?? new Uint8Array()
      piece = undefined
      at = 0
      return taken
    },
  }
}
