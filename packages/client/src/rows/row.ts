import { Truncated, UnexpectedBody } from '../errors/counterfoil-error.ts'

/** A value of a row. Money, ids, days and times are texts, counts are numbers, and a missing value is `null`. */
export type RowValue = string | number | null

/** A row, by the titles of its columns. */
export type Row = Record<string, RowValue>

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
