import type { PasswordSource } from '@counterfoil/common'

/** Where a database is, and who reads it. */
export interface DatabaseSettings extends PasswordSource {
  /** What errors call it: `the database shop`. */
  readonly title: string
  /** `postgresql://user@host:5432/name`, `mysql://user@host/name` or `https://user@host:8443/name`; no password. */
  readonly url: string
  /** PEM of the authority that signed the certificate. */
  readonly caFile?: string | undefined
}

/** How a database writes what a sync asks for. Every argument and result is SQL. */
export interface Dialect {
  identifier(name: string): string
  text(value: string): string
  /** The day of a time, as text: `2026-11-28`. */
  day(time: string): string
  /** The text of a time, in UTC if the time knows its zone: `2026-11-28 10:00:00.123456`. */
  time(time: string): string
  /** A whole number of at most 48 bits that depends on every value of a row. */
  hash(columns: readonly string[]): string
  /** Whether a time is not before another. `from` is a text as `time` writes it. */
  isFrom(time: string, from: string): string
  /** Whether a time is at one of these days, in ascending order. */
  isAtDays(time: string, days: readonly string[]): string
}

/** A database of the operator. It is only read: a sync needs no table, trigger or slot in it. */
export interface SourceDatabase extends Dialect {
  /** What errors call it: `the database shop`. It has no secret. */
  readonly title: string
  columnsOf(query: string): Promise<readonly string[]>
  /** Yields the rows of a query as CSV without a header row. Times with a zone are in UTC. */
  read(query: string): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** SQL of a text. The value has no quote or backslash. */
export function plainText(value: string): string {
  if (/['\\]/.test(value)) throw new Error('expected a text without quotes')
  return `'${value}'`
}

export function plainTexts(values: readonly string[]): string {
  return values.map(plainText).join(', ')
}

/** SQL: whether a time is at one of these days. The range lets the database use an index on the column. */
export function isAtDays(time: string, day: string, days: readonly string[]): string {
  const [first = '', last = first] = [days[0], days.at(-1)]
  const end = new Date(Date.parse(last) + 86_400_000).toISOString().slice(0, 10)
  const range = `${time} >= ${plainText(first)} AND ${time} < ${plainText(end)}`
  return `(${range} AND ${day} IN (${plainTexts(days)}))`
}
