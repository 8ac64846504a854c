import { formatDecimal, parseDecimal } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'

/** The character between the whole part and the fraction of an amount. */
export type Separator = '.' | ','

const SEPARATORS = ['.', ','] as const

/** Amounts are integers of this many fraction digits, as many as the gateway keeps. */
const SCALE = 4

/** The limit lets SQLite add up hundreds of amounts without an overflow. */
const AMOUNT_MAX = 10n ** 16n

const FORMS: Readonly<Record<Separator, RegExp>> = {
  '.': /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?$/,
  ',': /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d*)?$/,
}

/**
 * Reads an amount as a scaled integer.
 *
 * @param separator The decimal separator of the file. Without one, the amount itself must show it.
 * @param likely The separator of an amount such as `1,234`, which may have either.
 * @throws {UsageError} if a text is not an amount, or may be one of two amounts
 * @example
 * readAmount('1.234,50') // 12_345_000n
 */
export function readAmount(text: string, separator?: Separator, likely?: Separator): bigint {
  const amount = text.trim().replaceAll(/(?<=\d)[\s'’](?=\d{3})/g, '')
  const fits = SEPARATORS.filter((each) => each === (separator ?? each) && FORMS[each].test(amount))
  const [one, other] = fits
  if (one === undefined) throw notAmount(text)
  // The gateway writes three fraction digits after a point.
  const own = other === undefined || !amount.includes(',') ? one : likely
  if (own === undefined) {
    const both = `${amount.replace(',', '')} or ${amount.replace(',', '.')}`
    throw new UsageError(`the amount ${amount} may be ${both}; say which with --decimal-separator`)
  }
  return parse(amount.replaceAll(own === '.' ? ',' : '.', '').replace(',', '.'), text)
}

/** Writes an amount with at least some fraction digits. */
export function formatAmount(amount: bigint, digitsMin: number): string {
  return formatDecimal(amount, digitsMin, SCALE)
}

function parse(decimal: string, text: string): bigint {
  const amount = parseDecimal(decimal.replace('+', '').replace(/(\.\d*?)0+$/, '$1'), SCALE)
  if (amount === undefined || amount > AMOUNT_MAX || amount < -AMOUNT_MAX) throw notAmount(text)
  return amount
}

function notAmount(text: string): UsageError {
  return new UsageError(
    `expected an amount with up to ${SCALE} fraction digits, got ${JSON.stringify(text)}`,
  )
}
