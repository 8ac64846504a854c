import type { ColumnKind } from './column-kinds.ts'

/** The fraction digits of decimals in typed columns. The ledger's amounts have four, its rates eight. */
export const FRACTION_DIGITS = { money: 4, rate: 18 } as const

/** The digits of decimals in typed columns. */
export const DECIMAL_DIGITS = 38

const decimalOf = (kind: keyof typeof FRACTION_DIGITS) => (sql: string) => {
  return `CAST(${sql}, 'Nullable(Decimal(${DECIMAL_DIGITS}, ${FRACTION_DIGITS[kind]}))')`
}
const textOf = (sql: string): string => `CAST(toString(${sql}), 'Nullable(String)')`

/** The SQL that gives a column of each kind one type, whatever type its SQL has. */
const TYPED: Record<ColumnKind, (sql: string) => string> = {
  text: textOf,
  id: textOf,
  money: decimalOf('money'),
  rate: decimalOf('rate'),
  // A number that does not fit ends the report.
  integer: (sql) => `accurateCast(${sql}, 'Nullable(Int64)')`,
  date: (sql) => `CAST(${sql}, 'Nullable(Date32)')`,
  time: (sql) => `CAST(${sql}, 'Nullable(DateTime64(3, \\'UTC\\'))')`,
  ratio: (sql) => {
    // The sum makes a zero of a negative zero.
    const number = `(toFloat64(${sql}) + 0)`
    return `CAST(if(isFinite(${number}), ${number}, NULL), 'Nullable(Float64)')`
  },
}

/** The SQL of a column with the type of its kind. The line break ends a comment at the end of the column's SQL. */
export function typed(kind: ColumnKind, sql: string): string {
  return TYPED[kind](`(${sql}\n)`)
}
