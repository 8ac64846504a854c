import { Truncated, UnexpectedBody } from '../errors/counterfoil-error.ts'

/** A value of a row. Money, ids, days and times are texts, counts are numbers, and a missing value is `null`. */
export type RowValue = string | number | null

/** A row, by the titles of its columns. */
export type Row = Record<string, RowValue>

/** A column of a report, as the catalogue describes it. */
export interface RowColumn {
  readonly title: string
  /** The kind of the column. Kinds that this client does not know count as texts. */
  readonly kind: string
}

/** Parses the text of a report, piece by piece. */
export interface RowParser {
  /** Adds the complete rows of a text to `rows`. Returns the length of the text that they take. */
  parse(text: string, rows: Row[]): number
  /** Adds the last row, if the text that is left holds one. Throws if the report ends inside a row. */
  end(text: string, rows: Row[]): void
}

/** Makes the errors of a report whose body does not hold the rows that it should. */
export interface RowFaults {
  readonly unexpected: (what: string, cause?: unknown) => UnexpectedBody
  /** @param place the part of the report that is not complete, such as `row 7` */
  readonly truncated: (place: string) => Truncated
}

/** Makes the errors of the report with this request id. */
export function faultsOf(requestId: string | undefined): RowFaults {
  return {
    unexpected: (what, cause) => new UnexpectedBody(what, 200, { requestId, cause }),
    truncated: (place) => new Truncated(`the report ends inside ${place}`, 'cut', { requestId }),
  }
}

/** Lists titles in a message, which stays short. */
export function listTitles(titles: readonly string[]): string {
  const shown = titles.slice(0, 30).map((title) => JSON.stringify(title.slice(0, 100)))
  return titles.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ')
}

/** Says that a value is no count. */
export function notExact(title: string, value: unknown): string {
  const shown = String(value).slice(0, 100)
  return `has ${JSON.stringify(shown)} in ${title}: expected a whole number up to 2^53 - 1`
}

/** Reads the text of a field. Returns `undefined` if the text is no value of the column's kind. */
export type ReadText = (text: string) => RowValue | undefined

const emptyAsNull: ReadText = (text) => (text === '' ? null : text)

/** How CSV fields become values. The fields of other kinds stay as they are: an empty one may be a text or missing. */
const READERS: Readonly<Record<string, ReadText>> = {
  money: emptyAsNull,
  rate: emptyAsNull,
  ratio: emptyAsNull,
  date: emptyAsNull,
  // The time zone of the report is UTC: see `planRows`.
  time: (text) => (text === '' ? null : `${text.replace(' ', 'T')}Z`),
  integer: (text) => {
    if (text === '') return null
    const count = Number(text)
    return Number.isSafeInteger(count) ? count : undefined
  },
}

/** Returns the reader of a kind of column, or `undefined` if the text of a field is its value. */
export function readerOf(kind: string): ReadText | undefined {
  return Object.hasOwn(READERS, kind) ? READERS[kind] : undefined
}
