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
