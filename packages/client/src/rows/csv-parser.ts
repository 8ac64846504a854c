import { type CounterfoilError, createError } from '../errors/counterfoil-error.ts'

/** A value of a row. Money, ids, days and times are texts, counts are numbers, and a missing value is `null`. */
export type RowValue = string | number | null

/** A row, by the titles of its columns. */
export type Row = Record<string, RowValue>

export interface RowParser {
  /** Adds the complete rows of a text to `rows`. Returns the length of the text that they take. */
  parse(text: string, rows: Row[]): number
  /** Adds the last row, if the text that is left holds one. Throws if the report ends inside a row. */
  end(text: string, rows: Row[]): void
}

/** Creates the error for a body that does not hold the rows that it should. */
export function unexpectedRows(what: string, cause?: unknown): CounterfoilError {
  return createError('unexpected-body', what, { status: 200 }, { cause })
}

/** Creates the error for a body that ends inside a place, such as `row 7`. */
export function truncatedRows(place: string): CounterfoilError {
  return createError('truncated', `the report ends inside ${place}`, { reason: 'cut' })
}

const QUOTE = 0x22
const CR = 0x0d
const LF = 0x0a

/** The header is read like a row with these titles, because its length is not known before. */
const HEADER_TITLES = Array.from({ length: 1000 }, (_, index) => String(index))

/** Parses CSV with a header row (RFC 4180). Lines end in CR LF or LF. */
export class CsvParser implements RowParser {
  readonly #delimiter: string
  #hasHeader = false
  #isEnding = false
  #titles: readonly string[] = HEADER_TITLES
  /** A row without values. A copy has the shape of all rows, and owns every title, even `__proto__`. */
  #empty: Row = {}
  #rows = 0

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  parse(text: string, rows: Row[]): number {
    let start = 0
    if (!this.#hasHeader) {
      const header: Row[] = []
      start = this.#parseRecords(text, 0, header)
      if (start === 0) return 0
      this.#readHeader(header.flatMap((titles) => Object.values(titles).map(String)))
    }
    return this.#parseRecords(text, start, rows)
  }

  end(text: string, rows: Row[]): void {
    // The last record may lack its line end. A field that is still open takes this line end into its text.
    this.#isEnding = true
    const record = text === '' || text.endsWith('\r') ? text : `${text}\n`
    if (this.parse(record, rows) < record.length) throw truncatedRows(this.#place)
    if (!this.#hasHeader) throw truncatedRows(this.#place)
  }

  /** Returns where the next record begins. `indexOf` takes half the time of a loop over the characters. */
  #parseRecords(text: string, from: number, rows: Row[]): number {
    const [delimiter, titles, empty] = [this.#delimiter, this.#titles, this.#empty]
    const delimiterCode = delimiter.charCodeAt(0)
    const last = titles.length - 1
    let start = from
    let lineEnd = -1
    let row = { ...empty }
    for (let at = from, index = 0; ; index += 1) {
      let end: number
      let value: string
      if (text.charCodeAt(at) === QUOTE) {
        let isEscaped = false
        end = text.indexOf('"', at + 1)
        while (end >= 0 && text.charCodeAt(end + 1) === QUOTE) {
          isEscaped = true
          end = text.indexOf('"', end + 2)
        }
        if (end < 0) return start
        value = text.slice(at + 1, end)
        if (isEscaped) value = value.replaceAll('""', '"')
        end += 1
      } else {
        if (lineEnd < at) lineEnd = text.indexOf('\n', at)
        if (lineEnd < 0) return start
        // The last field has no delimiter behind it: the next one may be far away.
        end = index === last ? -1 : text.indexOf(delimiter, at)
        if (end < 0 || end > lineEnd) end = lineEnd - (text.charCodeAt(lineEnd - 1) === CR ? 1 : 0)
        value = text.slice(at, end)
        if (value.includes('"') || value.includes('\r')) throw this.#fault('is not valid CSV')
        if (index === last && value.includes(delimiter)) throw this.#tooLong()
      }
      const title = titles[index]
      if (title === undefined) throw this.#tooLong()
      row[title] = value

      let next = text.charCodeAt(end)
      if (next === delimiterCode) {
        at = end + 1
        continue
      }
      if (next === CR) next = text.charCodeAt((end += 1))
      if (next !== LF) {
        if (end >= text.length) return start
        throw this.#fault('is not valid CSV')
      }
      if (index < last && this.#hasHeader) throw this.#tooShort()
      rows.push(row)
      start = end + 1
      if (!this.#hasHeader) return start
      this.#rows += 1
      row = { ...empty }
      at = start
      index = -1
    }
  }

  #readHeader(titles: readonly string[]): void {
    if (new Set(titles).size < titles.length) {
      throw this.#fault(`names a column twice: ${titles.join(', ').slice(0, 1000)}`)
    }
    this.#titles = titles
    this.#empty = Object.fromEntries(titles.map((title) => [title, null]))
    this.#hasHeader = true
  }

  get #place(): string {
    return this.#hasHeader ? `row ${this.#rows + 1}` : 'the header'
  }

  #tooLong(): Error {
    return this.#fault(`has more than ${this.#titles.length} fields`)
  }

  #tooShort(): Error {
    if (this.#isEnding) return truncatedRows(this.#place)
    return this.#fault(`has fewer than ${this.#titles.length} fields`)
  }

  #fault(what: string): Error {
    return unexpectedRows(`${this.#place} ${what}`)
  }
}
