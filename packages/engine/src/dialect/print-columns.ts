import { FORMULA } from '@counterfoil/protocol'
import { type ColumnKind, type DateFormat, PLAIN_STYLE, type ValueStyle } from './column-kinds.ts'
import { literal } from './literals.ts'

/** The patterns of dates and times in each date format, for the engine's `formatDateTime`. */
const DAY_PATTERNS: Record<DateFormat, { readonly date: string; readonly time: string }> = {
  mixed: { date: '%d.%m.%Y', time: '%Y-%m-%d' },
  ISO: { date: '%Y-%m-%d', time: '%Y-%m-%d' },
  'DD.MM.YYYY': { date: '%d.%m.%Y', time: '%d.%m.%Y' },
  'MM/DD/YYYY': { date: '%m/%d/%Y', time: '%m/%d/%Y' },
}

/**
 * The SQL that prints each kind. Every value becomes text, so that every field is quoted. Times are `YYYY-MM-DD
 * HH:MM:SS` in the report's time zone and dates `DD.MM.YYYY`, unless the style has a date format. Ratios have four
 * fraction digits, and rates as many as they need.
 */
const PRINTED: Record<ColumnKind, (sql: string, style: ValueStyle) => string> = {
  text: (sql, { neutralise }) =>
    neutralise ? neutralised(`toString(${sql})`) : `toString(${sql})`,
  id: (sql, { neutralise, idsAsText }) => {
    const text = `toString(${sql})`
    if (idsAsText) return asTextFormula(text)
    return neutralise ? `if(${isWhole(text)}, ${text}, ${neutralised(text)})` : text
  },
  money: (sql, { decimals, decimalSeparator }) => {
    return separated(withFraction(sql, decimals), decimalSeparator)
  },
  rate: (sql, { decimalSeparator }) => separated(`toString(${sql})`, decimalSeparator),
  integer: (sql) => `toString(${sql})`,
  date: (sql, { dateFormat }) => `formatDateTime(${sql}, '${DAY_PATTERNS[dateFormat].date}')`,
  time: (sql, { dateFormat }) => {
    const time = `toDateTime64(${sql}, 0, {timezone:String})`
    const day = DAY_PATTERNS[dateFormat].time
    // `toString` is faster: it has no pattern to follow.
    return day === DAY_PATTERNS.ISO.time
      ? `toString(${time})`
      : `formatDateTime(${time}, '${day} %H:%i:%S')`
  },
  // The sum makes a zero of a negative zero.
  ratio: (sql, { decimalSeparator }) => {
    return separated(`toDecimalString(${sql} + 0, 4)`, decimalSeparator)
  },
}

/**
 * The SQL that prints a column as text, empty for NULL. The line break ends a comment at the end of the column's SQL.
 */
export function printed(kind: ColumnKind, sql: string, style: ValueStyle = PLAIN_STYLE): string {
  return `ifNull(${PRINTED[kind](`(${sql}\n)`, style)}, '')`
}

/** The SQL that prints a number with all its digits, for exact sums. It is empty for NULL. */
export function printedExactly(sql: string): string {
  return `ifNull(toString((${sql}\n)), '')`
}

/**
 * The SQL that prints an amount with the fraction digits of its currency, or with all its digits if it has more. It is
 * empty for NULL.
 *
 * @param name begins the names that the SQL gives to what it repeats, because the engine takes long to plan a repeated
 *   expression
 * @param exponentSql how many fraction digits the currency has
 */
export function printedAmount(
  sql: string,
  name: string,
  exponentSql: string,
  separator: ValueStyle['decimalSeparator'],
): string {
  const digits = `(toString((${sql}\n)) AS ${name}_digits)`
  const point = `(position(${digits}, '.') AS ${name}_point)`
  const missing = `${exponentSql} - if(${point} = 0, 0, length(${name}_digits) - ${name}_point)`
  const zeros = `repeat('0', greatest(0, ${missing}) AS ${name}_zeros)`
  const ownPoint = `if(${name}_point = 0 AND ${name}_zeros > 0, '.', '')`
  return `ifNull(${separated(`concat(${name}_digits, ${ownPoint}, ${zeros})`, separator)}, '')`
}

// No amount of the ledger has more fraction digits: docs/protocol.md, "Money".
const FRACTION_DIGITS_MAX = 3

function withFraction(sql: string, fewest: number): string {
  const tried = Array.from({ length: FRACTION_DIGITS_MAX - fewest }, (_, index) => fewest + index)
  const choices = tried.map((digits) => {
    // For 0 digits, `toDecimalString` would keep the separator. `toString` leaves zeros out.
    const text = digits === 0 ? `toString(${sql})` : `toDecimalString(${sql}, ${digits})`
    return `${sql} = round(${sql}, ${digits}), ${text}`
  })
  const all = `toDecimalString(${sql}, ${FRACTION_DIGITS_MAX})`
  return choices.length > 0 ? `multiIf(${choices.join(', ')}, ${all})` : all
}

function separated(sql: string, separator: '.' | ','): string {
  return separator === '.' ? sql : `replaceOne(${sql}, '.', ',')`
}

function asTextFormula(text: string): string {
  return `if(${text} = '', '', concat('="', replaceAll(${text}, '"', '""'), '"'))`
}

function isWhole(text: string): string {
  return `match(${text}, '^-?[0-9]+$')`
}

function neutralised(sql: string): string {
  const pattern = FORMULA.replaceAll(String.raw`\u{`, String.raw`\x{`).replaceAll('\\', '\\\\')
  return `replaceRegexpOne(${sql}, '${pattern}', '\\'\\\\0')`
}

/** Returns the SQL of a text that is the same for rows with the same values in some columns. */
export function hashed(columns: readonly { readonly sql: string }[]): string {
  const values = columns.map(({ sql }) => `ifNull(toString((${sql}\n)), '')`)
  return `toString(sipHash64(${values.join(', ')}))`
}

/** The fraction digits of an amount whose currency is unknown. */
export const USUAL_EXPONENT = 2

/**
 * Returns the SQL of how many fraction digits a currency has.
 *
 * @param currencySql the SQL of the currency, if it is known
 */
export function exponentOf(
  currencySql: string | undefined,
  exponents: ReadonlyMap<string, number>,
): string {
  const unusual = [...exponents].filter(([, exponent]) => exponent !== USUAL_EXPONENT)
  if (currencySql === undefined || unusual.length === 0) return String(USUAL_EXPONENT)
  const codes = unusual.map(([code]) => literal(code)).join(', ')
  const digits = unusual.map(([, exponent]) => exponent).join(', ')
  const code = `ifNull(toString((${currencySql}\n)), '')`
  return `transform(${code}, [${codes}], [${digits}], ${USUAL_EXPONENT})`
}
