import { createReadStream } from 'node:fs'
import { UsageError } from '../usage-error.ts'
import { type CsvRecord, CsvParser, findDelimiter } from './csv-parser.ts'

/** How a CSV file is written. The command finds out what is undefined. */
export interface CsvFormat {
  readonly delimiter?: string | undefined
  /** A label of the Encoding Standard, such as `windows-1251`. */
  readonly encoding?: string | undefined
}

/** Some records of a file, and the delimiter of the file. */
export interface CsvBatch {
  readonly delimiter: string
  readonly records: readonly CsvRecord[]
}

/** Options of {@link readRecords}. */
export interface ReadOptions extends CsvFormat {
  readonly signal: AbortSignal
  /** Called with the number of bytes of each piece. */
  readonly onRead: (bytes: number) => void
}

const PIECE_BYTES = 256 * 1024

/** The first bytes of files that are not CSV, and what the file is. */
const OTHER_FILES: readonly (readonly [start: string, kind: string])[] = [
  ['504b0304', 'a spreadsheet (XLSX) or a ZIP file: save it as CSV first'],
  ['d0cf11e0', 'a spreadsheet (XLS): save it as CSV first'],
  ['25504446', 'a PDF file: get the report as CSV'],
  ['50415231', 'a Parquet file: get the report as CSV'],
  ['1f8b', 'compressed (gzip): unpack it first'],
  ['28b52ffd', 'compressed (zstd): unpack it first'],
]

const BYTE_ORDER_MARKS: readonly (readonly [start: string, encoding: string])[] = [
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]

/**
 * Reads the records of a CSV file in batches. Bytes that the encoding does not know become U+FFFD.
 *
 * @throws {UsageError} if the file cannot be read or is not CSV; the message names the line
 */
export async function* readRecords(
  file: string,
  { delimiter, encoding, signal, onRead }: ReadOptions,
): AsyncGenerator<CsvBatch> {
  let decoder: ReturnType<typeof openDecoder> | undefined
  let parser: CsvParser | undefined
  let found = delimiter ?? ''
  for await (const bytes of readPieces(file, signal)) {
    decoder ??= openDecoder(bytes, encoding)
    const text = decoder.decode(bytes, { stream: true })
    if (!parser) {
      found ||= findDelimiter(text)
      parser = new CsvParser(found)
    }
    yield { delimiter: found, records: parser.push(text) }
    onRead(bytes.length)
  }
  const records = parser?.push(decoder?.decode() ?? '', true) ?? []
  yield { delimiter: found, records }
}

async function* readPieces(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const options = { highWaterMark: PIECE_BYTES, signal }
  try {
    yield* createReadStream(file, options) as AsyncIterable<Buffer>
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    // `ENOENT: no such file or directory, open 'orders.csv'`
    const [reason] = cause.message.split(', ')
    throw new UsageError(`cannot read the file: ${reason}`, { cause })
  }
}

function openDecoder(bytes: Buffer, encoding: string | undefined) {
  const start = bytes.subarray(0, 4).toString('hex')
  const [, other] = OTHER_FILES.find(([first]) => start.startsWith(first)) ?? []
  if (other !== undefined) throw new UsageError(`the file is ${other}`)
  const [, marked] = BYTE_ORDER_MARKS.find(([first]) => start.startsWith(first)) ?? []
  try {
    return new TextDecoder(encoding ?? marked ?? 'utf-8')
  } catch (cause) {
    throw new UsageError(`unknown encoding ${encoding}`, { cause })
  }
}
