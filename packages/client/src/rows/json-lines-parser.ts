import {
  listTitles,
  notExact,
  type Row,
  type RowColumn,
  type RowFaults,
  type RowParser,
} from './row.ts'

/** Parses JSON lines, and checks names and types of each object's members. */
export class JsonLinesParser implements RowParser {
  readonly #columns: readonly RowColumn[]
  readonly #faults: RowFaults
  #rows = 0

  constructor(columns: readonly RowColumn[], faults: RowFaults) {
    // A JavaScript object has members such as "2" before all others, wherever the line has them.
    const titles = Object.keys(Object.fromEntries(columns.map(({ title }) => [title, title])))
    this.#columns = columns.toSorted((one, other) => {
      return titles.indexOf(one.title) - titles.indexOf(other.title)
    })
    this.#faults = faults
  }

  parse(text: string, rows: Row[]): number {
    for (let start = 0; ; ) {
      const end = text.indexOf('\n', start)
      if (end < 0) return start
      rows.push(this.#parseLine(text.slice(start, end)))
      this.#rows += 1
      start = end + 1
    }
  }

  end(text: string, rows: Row[]): void {
    if (this.parse(text, rows) < text.length) {
      throw this.#faults.truncated(`row ${this.#rows + 1}`)
    }
  }

  #parseLine(line: string): Row {
    let row: Row
    try {
      row = JSON.parse(line)
    } catch (cause) {
      throw this.#fault('is not valid JSON', cause)
    }
    let index = 0
    for (const title in row) {
      const column = this.#columns[index]
      if (column?.title !== title) throw this.#misnamed(row)
      const value = row[title]
      if (column.kind === 'integer') {
        if (value !== null && !Number.isSafeInteger(value))
          throw this.#fault(notExact(title, value))
      } else if (value !== null && typeof value !== 'string') {
        throw this.#fault(`has another type of value in ${title}: expected a string or null`)
      }
      index += 1
    }
    if (index < this.#columns.length) throw this.#misnamed(row)
    return row
  }

  #misnamed(row: Row): Error {
    const expected = listTitles(this.#columns.map(({ title }) => title))
    return this.#fault(
      `has other columns: expected ${expected}, got ${listTitles(Object.keys(row ?? {}))}`,
    )
  }

  #fault(what: string, cause?: unknown): Error {
    return this.#faults.unexpected(`row ${this.#rows + 1} ${what}`, cause)
  }
}
