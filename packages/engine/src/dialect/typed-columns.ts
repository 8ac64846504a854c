import type { ColumnKind } from './column-kinds.ts'
import { literal } from './literals.ts'
import type { Settings } from './settings.ts'

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

/** The settings of a query that writes JSON. */
export const JSON_SETTINGS: Settings = { output_format_json_escape_forward_slashes: 0 }

// Readers of JSON may take a number for a double, which holds no larger whole number exactly.
const EXACT_MAX = String(Number.MAX_SAFE_INTEGER)

const inQuotes = (text: string): string => `concat('"', ${text}, '"')`

/** The SQL of a JSON text, for a value that is not NULL. `toJSONString` escapes, and repairs broken UTF-8. */
const escaped = (sql: string): string => `toJSONString(toString(${sql}))`

/**
 * The SQL that writes each kind as JSON. The value is the ledger's own: no rounding and no padding. Times have the
 * offset of the report's time zone.
 */
const WRITTEN: Record<ColumnKind, (sql: string) => string> = {
  text: escaped,
  id: escaped,
  money: (sql) => inQuotes(`toString(${sql})`),
  rate: (sql) => inQuotes(`toString(${sql})`),
  integer: (sql) => {
    const text = `toString(${sql})`
    return `if(${sql} BETWEEN -${EXACT_MAX} AND ${EXACT_MAX}, ${text}, ${inQuotes(text)})`
  },
  date: (sql) => inQuotes(`toString(toDate32(${sql}))`),
  time: (sql) => {
    const time = `toDateTime64(${sql}, 3, {timezone:String})`
    const offset = `formatDateTime(${time}, '%z')`
    const texts = [
      `replaceOne(toString(${time}), ' ', 'T')`,
      `substring(${offset}, 1, 3)`,
      `':'`,
      `substring(${offset}, 4)`,
    ]
    return inQuotes(texts.join(', '))
  },
  ratio: (sql) => {
    // The sum makes a zero of a negative zero.
    const number = `(toFloat64(${sql}) + 0)`
    return `if(isFinite(${number}), ${inQuotes(`toString(${number})`)}, NULL)`
  },
}

/** The SQL of a JSON object: its members in order, with the values of columns. NULL becomes `null`. */
export function jsonObject(
  members: readonly { readonly name: string; readonly kind: ColumnKind; readonly sql: string }[],
): string {
  const parts = members.flatMap(({ name, kind, sql }, index) => {
    const key = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    // The line break ends a comment at the end of the column's SQL.
    return [literal(key), `ifNull(${WRITTEN[kind](`(${sql}\n)`)}, 'null')`]
  })
  return `concat(${[...parts, "'}'"].join(', ')})`
}
