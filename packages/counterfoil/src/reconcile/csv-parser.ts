import { UsageError } from '../usage-error.ts'

/** A record of a CSV file, and the line of the file on which it starts. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

const RECORD_CHARACTERS_MAX = 4 * 1024 * 1024
/** While a record is longer, the parser reads it again only when the text has doubled. */
const PARSE_EVERY_PIECE_MAX = 64 * 1024
/** The place of what has not arrived. */
const NOT_YET = Number.POSITIVE_INFINITY
const QUOTE = '"'
const LINE_FEED = '\n'
const CARRIAGE_RETURN = '\r'
const DELIMITERS = [',', ';', '\t', '|'] as const

/**
 * Parses CSV (RFC 4180) that arrives in pieces. It also reads lines that end in LF alone, and a quote within a field
 * that does not begin with one. `csv-parse` takes six times as long, which decides how long a large file takes.
 *
 * @example
 * const parser = new CsvParser(',')
 * parser.push('a,"b') // []
 * parser.push('c"\n', true) // [{ line: 1, fields: ['a', 'bc'] }]
 */
export class CsvParser {
  readonly #delimiter: string
  #rest = ''
  #parseAt = 0
  /** The first delimiter from the last search on. Finding it once matters where it is far away. */
  #delimiterAt = -1
  #line = 1

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /**
   * Returns the records that are complete. It omits empty lines.
   *
   * @throws {UsageError} for a quoted field that does not end, which names its line
   */
  push(piece: string, isLast = false): CsvRecord[] {
    const text = this.#rest + piece
    const records: CsvRecord[] = []
    if (text.length < this.#parseAt && !isLast) {
      this.#rest = text
      return records
    }
    let start = 0
    this.#delimiterAt = -1
    while (start < text.length) {
      const end = this.#readRecord(text, start, isLast, records)
      if (end === undefined) break
      start = end
    }
    this.#rest = text.slice(start)
    this.#parseAt = this.#rest.length > PARSE_EVERY_PIECE_MAX ? 2 * this.#rest.length : 0
    if (this.#rest.length > RECORD_CHARACTERS_MAX) {
      throw new UsageError(
        `line ${this.#line}: the record is longer than 4 MiB; check its quotes and line ends`,
      )
    }
    return records
  }

  /** Reads the record at `start` and returns where the next one begins, or `undefined` if the record goes on. */
  #readRecord(
    text: string,
    start: number,
    isLast: boolean,
    records: CsvRecord[],
  ): number | undefined {
    const delimiter = this.#delimiter
    const fields: string[] = []
    let lineEnd = endOfLine(text, start, isLast)
    let at = start
    for (;;) {
      let end: number
      if (text[at] === QUOTE) {
        const close = closingQuote(text, at)
        if (close === -1 && isLast) throw this.#unclosed()
        // The character after the quote decides whether the quote closes the field.
        if (close === -1 || (close + 1 === text.length && !isLast)) return undefined
        fields.push(text.slice(at + 1, close).replaceAll('""', QUOTE))
        end = close + 1
        if (end > lineEnd) lineEnd = endOfLine(text, end, isLast)
        if (text[end] === CARRIAGE_RETURN && end + 1 >= text.length && !isLast) return undefined
        if (text[end] === CARRIAGE_RETURN && end + 1 === lineEnd) end = lineEnd
        if (end < lineEnd && text[end] !== delimiter) throw this.#straightAfter()
      } else {
        if (lineEnd === NOT_YET) return undefined
        if (this.#delimiterAt < at) this.#delimiterAt = indexOf(text, delimiter, at)
        end = Math.min(this.#delimiterAt, lineEnd)
        const hasReturn = end === lineEnd && end > at && text[end - 1] === CARRIAGE_RETURN
        fields.push(text.slice(at, hasReturn ? end - 1 : end))
      }
      if (end === lineEnd) break
      at = end + 1
    }
    if (fields.length > 1 || fields[0] !== '') records.push({ line: this.#line, fields })
    this.#line += countLines(text, start, lineEnd)
    return lineEnd + 1
  }

  #unclosed(): UsageError {
    return new UsageError(`line ${this.#line}: a field begins with a quote that nothing closes`)
  }

  #straightAfter(): UsageError {
    return new UsageError(
      `line ${this.#line}: text follows the closing quote of a field; write a quote within a field twice`,
    )
  }
}

/** Finds the delimiter of a file: of `,` `;` tab and `|`, the one that its first line has most often outside quotes. */
export function findDelimiter(text: string): string {
  const [firstLine = ''] = text.replaceAll(/"[^"]*"/g, '').split(LINE_FEED, 1)
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Returns where the line ends. The end of the last piece ends a line too. `NOT_YET` if the line goes on. */
function endOfLine(text: string, from: number, isLast: boolean): number {
  const end = indexOf(text, LINE_FEED, from)
  return end === NOT_YET && isLast ? text.length : end
}

function indexOf(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from)
  return index === -1 ? NOT_YET : index
}

function closingQuote(text: string, open: number): number {
  let quote = text.indexOf(QUOTE, open + 1)
  while (quote !== -1 && text[quote + 1] === QUOTE) quote = text.indexOf(QUOTE, quote + 2)
  return quote
}

/** Counts the lines of a record that ends at `end`. */
function countLines(text: string, start: number, end: number): number {
  let lines = 1
  for (let at = text.indexOf(LINE_FEED, start); at !== -1 && at < end; lines += 1) {
    at = text.indexOf(LINE_FEED, at + 1)
  }
  return lines
}
