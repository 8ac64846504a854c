import { Truncated, UnexpectedBody } from '../errors/counterfoil-error.ts'

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
