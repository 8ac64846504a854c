import { createReadStream } from 'node:fs'
import { UsageError } from '../usage-error.ts'

/** How a CSV file is written. The command finds out what is undefined. */
export interface CsvFormat {
  readonly delimiter?: string | undefined
  /** A label of the Encoding Standard, such as `windows-1251`. */
  readonly encoding?: string | undefined
}

/** A record of a CSV file, and the line of the file on which it starts. */
interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

const RECORD_CHARACTERS_MAX = 4 * 1024 * 1024
const PIECE_BYTES = 256 * 1024
const DELIMITERS = [',', ';', '\t', '|'] as const

/** The first bytes of files that are not CSV, and what the file is. */
const OTHER_FILES: readonly (readonly [start: string, kind: string])[] = [
  ['504b0304', 'a spreadsheet (XLSX) or a ZIP file: save it as CSV first'],
  ['d0cf11e0', 'a spreadsheet (XLS): save it as CSV first'],
  ['25504446', 'a PDF file: get the report as CSV'],
  ['50415231', 'a Parquet file: get the report as CSV'],
  ['1f8b', 'compressed (gzip): unpack it first'],
  ['28b52ffd', 'compressed (zstd): unpack it first'],
]

/**
 * Reads the records of a CSV file in batches, each with the delimiter of the file. Bytes that the encoding does not know
 * become U+FFFD.
 *
 * @param onRead receives the number of bytes of each piece
 * @throws {UsageError} if the file cannot be read or is not CSV; the message names the line
 */
export async function* readCsv(
  file: string,
  { delimiter = '', encoding }: CsvFormat,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): AsyncGenerator<readonly [records: readonly CsvRecord[], delimiter: string]> {
  let decoder: ReturnType<typeof openDecoder> | undefined
  let parser: CsvParser | undefined
  let found = delimiter
  for await (const bytes of readPieces(file, signal)) {
    decoder ??= openDecoder(bytes, encoding)
    const text = decoder.decode(bytes, { stream: true })
    found ||= findDelimiter(text)
    parser ??= new CsvParser(found)
    yield [parser.push(text), found]
    onRead(bytes.length)
  }
  yield [parser?.push(decoder?.decode() ?? '', true) ?? [], found]
}

/**
 * Parses CSV (RFC 4180) that arrives in pieces. Lines may also end in LF alone. `csv-parse` takes six times as long,
 * which decides how long a large file takes.
 *
 * @example
 * const parser = new CsvParser(',')
 * parser.push('a,"b') // []
 * parser.push('c"\n', true) // [{ line: 1, fields: ['a', 'bc'] }]
 */
export class CsvParser {
  readonly #delimiter: string
  /** What has arrived of the next record. */
  #parts: string[] = []
  #length = 0
  #isQuoteOpen = false
  #line = 1
  #lineEnds = 0

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /**
   * Returns the records that are complete. It omits empty lines.
   *
   * @throws {UsageError} for a malformed record, which names its line
   */
  push(piece: string, isLast = false): CsvRecord[] {
    const records: CsvRecord[] = []
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf('\n', at) + 1 || piece.length
      const part = piece.slice(at, end)
      at = end
      this.#parts.push(part)
      this.#length += part.length
      if (countQuotes(part) % 2 === 1) this.#isQuoteOpen = !this.#isQuoteOpen
      if (part.endsWith('\n')) this.#lineEnds += 1
      if (this.#length > RECORD_CHARACTERS_MAX) {
        throw this.#fault('the record is longer than 4 MiB; check its quotes and line ends')
      }
      if (part.endsWith('\n') && !this.#isQuoteOpen) this.#endRecord(records)
    }
    if (isLast && this.#isQuoteOpen) throw this.#fault('nothing closes a quote')
    if (isLast && this.#length > 0) this.#endRecord(records)
    return records
  }

  #endRecord(records: CsvRecord[]): void {
    const [first = ''] = this.#parts
    const record = (this.#parts.length === 1 ? first : this.#parts.join('')).replace(/\r?\n$/, '')
    const isQuoted = record.includes('"')
    const fields = isQuoted ? this.#splitQuoted(record) : record.split(this.#delimiter)
    if (record !== '') records.push({ line: this.#line, fields })
    this.#line += this.#lineEnds
    this.#parts = []
    this.#length = 0
    this.#lineEnds = 0
  }

  #splitQuoted(record: string): string[] {
    const fields: string[] = []
    for (let at = 0; ; at += 1) {
      const start = at
      if (record[at] === '"') {
        at = closingQuote(record, at) + 1
        fields.push(record.slice(start + 1, at - 1).replaceAll('""', '"'))
      } else {
        const delimiter = record.indexOf(this.#delimiter, at)
        at = delimiter === -1 ? record.length : delimiter
        fields.push(record.slice(start, at))
        if (fields.at(-1)?.includes('"'))
          throw this.#fault('a quote is inside a field without quotes')
      }
      if (at === record.length) return fields
      if (record[at] !== this.#delimiter) {
        throw this.#fault(
          'text follows the closing quote of a field; write a quote in a field twice',
        )
      }
    }
  }

  #fault(what: string): UsageError {
    return new UsageError(`line ${this.#line}: ${what}`)
  }
}

/** Finds the delimiter of a file: of `,` `;` tab and `|`, the one that its first line has most often outside quotes. */
export function findDelimiter(text: string): string {
  const [firstLine = ''] = text.replaceAll(/"[^"]*"/g, '').split('\n', 1)
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1
  return count
}

/** Finds the quote that closes a field. The record has an even number of quotes, so there is one. */
function closingQuote(record: string, open: number): number {
  let quote = record.indexOf('"', open + 1)
  while (record[quote + 1] === '"') quote = record.indexOf('"', quote + 2)
  return quote
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
  const marked = start.startsWith('fffe')
    ? 'utf-16le'
    : start.startsWith('feff')
      ? 'utf-16be'
      : 'utf-8'
  try {
    return new TextDecoder(encoding ?? marked)
  } catch (cause) {
    throw new UsageError(`unknown encoding ${encoding}`, { cause })
  }
}
