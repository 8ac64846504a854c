import { formatDecimal, parseDecimal } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'

/** The character between the whole part and the fraction of an amount. */
type DecimalSeparator = '.' | ','

const FLAG = '--decimal-separator'
const PLAIN = /^([+-]?)0*(\d+)(?:\.(\d*?)0*)?$/
const GROUPING_SPACES = /(?<=\d)[ \u00A0\u202F'’](?=\d{3})/g
const ONE_COMMA = /^[+-]?\d+,(\d+)$/
const GROUPED = {
  '.': /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/,
  ',': /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/,
} as const

/**
 * Creates a reader of the amounts of one file. It returns decimals as canonical text: `1.5` for `1.50`, `+01,5` and
 * `1,5`, so that equal amounts are equal texts. Without a separator, the amounts themselves must show which one the
 * file has.
 *
 * @param likely The separator of an amount that may have either, such as `1,234`.
 * @throws {UsageError} if a text is not an amount, if it may be one of two amounts, or if the file mixes separators
 * @example
 * const read = createAmountReader()
 * read('1.234,50') // '1234.5'
 */
export function createAmountReader(
  separator?: string,
  likely?: DecimalSeparator,
): (text: string) => string {
  if (separator !== undefined && !isSeparator(separator)) {
    throw new UsageError(`${FLAG}: expected . or , got ${JSON.stringify(separator)}`)
  }
  let known = separator
  return (text) => {
    const trimmed = text.trim()
    const amount = trimmed.replaceAll(GROUPING_SPACES, '')
    const shown = separator ?? separatorOf(amount)
    const own = shown === 'either' ? (known ?? likely) : shown
    if (shown === 'either' && own === undefined) {
      const both = `${amount.replace(',', '')} or ${amount.replace(',', '.')}`
      throw new UsageError(`the amount ${trimmed} may be ${both}; say which with ${FLAG}`)
    }
    if (own !== undefined && known !== undefined && own !== known) {
      throw new UsageError(
        `the amounts before ${trimmed} have another decimal separator; name the separator with ${FLAG}`,
      )
    }
    known ??= own
    return canonical(withPoint(amount, known ?? '.'), trimmed)
  }
}

/** Adds canonical decimals exactly. */
export function sumDecimals(decimals: readonly string[]): string {
  const { scaled, scale } = scaleAll(decimals)
  return formatDecimal(
    scaled.reduce((sum, decimal) => sum + decimal, 0n),
    0,
    scale,
  )
}

/** Whether a canonical decimal is at least as large as another. */
export function isAtLeast(one: string, other: string): boolean {
  const [first = 0n, second = 0n] = scaleAll([one, other]).scaled
  return first >= second
}

/** Reads canonical decimals as integers of one scale. */
function scaleAll(decimals: readonly string[]) {
  const scale = Math.max(...decimals.map((decimal) => decimal.split('.')[1]?.length ?? 0))
  return { scale, scaled: decimals.map((decimal) => parseDecimal(decimal, scale) ?? 0n) }
}

function isSeparator(text: string): text is DecimalSeparator {
  return text === '.' || text === ','
}

/** Finds the decimal separator that an amount shows. `undefined` if the amount has none. */
function separatorOf(amount: string): DecimalSeparator | 'either' | undefined {
  const [comma, point] = [amount.lastIndexOf(','), amount.lastIndexOf('.')]
  if (comma === -1) return point === -1 ? undefined : '.'
  if (point !== -1) return comma > point ? ',' : '.'
  const [, fraction] = ONE_COMMA.exec(amount) ?? []
  if (fraction === undefined) return '.'
  return fraction.length === 3 ? 'either' : ','
}

/** Writes an amount with a decimal point and without grouping. */
function withPoint(amount: string, separator: DecimalSeparator): string {
  const grouping = separator === '.' ? ',' : '.'
  const ungrouped = GROUPED[separator].test(amount) ? amount.replaceAll(grouping, '') : amount
  if (separator === '.') return ungrouped
  // A point that groups nothing is malformed here. `canonical` would take it for a decimal point.
  return ungrouped.includes('.') ? '' : ungrouped.replace(',', '.')
}

function canonical(amount: string, text: string): string {
  const [, sign, whole = '', fraction = ''] = PLAIN.exec(amount) ?? []
  if (whole === '') throw new UsageError(`expected an amount, got ${JSON.stringify(text)}`)
  const value = fraction === '' ? whole : `${whole}.${fraction}`
  return sign === '-' && value !== '0' ? `-${value}` : value
}
