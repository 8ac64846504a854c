import { createReadStream } from 'node:fs'
import { CounterfoilError, readRows, type Row } from '@counterfoil/client'
import { UsageError } from '../usage-error.ts'

/** A CSV file, and how it is written. The command finds out what is undefined. */
export interface CsvFile {
  readonly file: string
  readonly delimiter?: string | undefined
  /** A label of the Encoding Standard, such as `windows-1251`. */
  readonly encoding?: string | undefined
}

/** The rows of a CSV file, by the titles of its header row. */
export interface CsvRows {
  readonly delimiter: string
  readonly rows: AsyncIterable<Row>
}

const PIECE_BYTES = 256 * 1024
const DELIMITERS = [',', ';', '\t', '|'] as const

/**
 * Opens a CSV file with a header row.
 *
 * @param onRead receives the number of bytes of each piece
 */
export async function openCsv(
  { file, delimiter, encoding }: CsvFile,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): Promise<CsvRows> {
  const pieces: AsyncIterator<Buffer> = createReadStream(file, {
    highWaterMark: PIECE_BYTES,
    signal,
  })[Symbol.asyncIterator]()
  const first = (await pieces.next()).value ?? Buffer.alloc(0)
  const charset = encoding ?? charsetOf(first)
  const found = delimiter ?? findDelimiter(new TextDecoder(charset).decode(first))
  async function* read() {
    for (let piece = first; piece; piece = (await pieces.next()).value) {
      onRead(piece.length)
      yield piece
    }
  }
  return { delimiter: found, rows: readRows(read(), { delimiter: found, charset }) }
}

/** Returns an error of a file as a `UsageError` that names the file. Returns every other error unchanged. */
export function nameFile(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error
  // `ENOENT: no such file or directory, open 'orders.csv'`
  if ('syscall' in error) return fault(`cannot read the file: ${error.message.split(', ')[0]}`)
  // `new TextDecoder` does not know the encoding.
  if (error instanceof RangeError) return fault(error.message)
  if (error instanceof UsageError) return fault(error.message)
  if (!(error instanceof CounterfoilError)) return error
  const advice = 'Save the file as CSV, or name its format with --encoding and --delimiter'
  return fault(`${error.message}. ${advice}`)

  function fault(message: string): UsageError {
    return new UsageError(`${file}: ${message}`, { cause: error })
  }
}

/** Finds the delimiter of a file: of `,` `;` tab and `|`, the one that its first line has most often outside quotes. */
export function findDelimiter(text: string): string {
  const [firstLine = ''] = text.replaceAll(/"[^"]*"/g, '').split('\n', 1)
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

function charsetOf(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex')
  return { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8'
}
