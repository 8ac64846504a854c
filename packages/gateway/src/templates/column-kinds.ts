/** What a column holds, which decides how it is printed. */
export const COLUMN_KINDS = ['text', 'id', 'money', 'integer', 'date', 'time', 'ratio'] as const

/** The kind of a column. */
export type ColumnKind = (typeof COLUMN_KINDS)[number]

/**
 * How each kind is printed (specification, "Report response"): everything becomes text, so that every field is
 * quoted. Amounts have three fraction digits, times are `YYYY-MM-DD HH:MM:SS` in the report's time zone, dates
 * `DD.MM.YYYY`.
 */
const PRINTED: Record<ColumnKind, (sql: string) => string> = {
  text: (sql) => `toString(${sql})`,
  id: (sql) => `toString(${sql})`,
  money: (sql) => `toDecimalString(${sql}, 3)`,
  integer: (sql) => `toString(${sql})`,
  date: (sql) => `formatDateTime(${sql}, '%d.%m.%Y')`,
  time: (sql) => `toString(toDateTime64(${sql}, 0, {timezone:String}))`,
  ratio: (sql) => `toDecimalString(${sql}, 4)`,
}

/** The SQL that prints a column: text, and empty where there is no value. */
export function printed(kind: ColumnKind, sql: string): string {
  return `ifNull(${PRINTED[kind](sql)}, '')`
}
