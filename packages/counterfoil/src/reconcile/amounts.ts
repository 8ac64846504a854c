import { formatDecimal, parseDecimal } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'

/** The character between the whole part and the fraction of an amount. */
export type Separator = '.' | ','

const FLAG = '--decimal-separator'

/** Amounts are integers of this many fraction digits, as many as the gateway keeps. */
const SCALE = 4

/** The limit lets SQLite add up hundreds of amounts without an overflow. */
const AMOUNT_MAX = 10n ** 16n

const FORMS: Readonly<Record<Separator, RegExp>> = {
  '.': /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?$/,
  ',': /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d*)?$/,
}

/**
 * Creates a reader of the amounts of one file, which returns scaled integers. Without a separator, the amounts
 * themselves must show which one the file has.
 *
 * @param likely The separator of an amount such as `1,234`, which may have either.
 * @throws {UsageError} if a text is not an amount, if it may be one of two amounts, or if the file mixes separators
 * @example
 * const read = createAmountReader()
 * read('1.234,50') // 12_345_000n
 */
export function createAmountReader(
  separator?: Separator,
  likely?: Separator,
): (text: string) => bigint {
  let known = separator
  return (text) => {
    const amount = text.trim().replaceAll(/(?<=\d)[\s'’](?=\d{3})/g, '')
    const fits = separator ? [separator] : (['.', ','] as const)
    const [one, other] = fits.filter((each) => FORMS[each].test(amount))
    if (one === undefined) throw notAmount(text)
    if (!/[.,]/.test(amount)) return parse(amount, text)
    // The gateway writes three fraction digits after a point.
    const own = other === undefined ? one : (known ?? (amount.includes('.') ? '.' : likely))
    if (own === undefined) {
      const both = `${amount.replace(',', '')} or ${amount.replace(',', '.')}`
      throw new UsageError(`the amount ${amount} may be ${both}; say which with ${FLAG}`)
    }
    if (known !== undefined && known !== own) {
      throw new UsageError(
        `the amounts before ${amount} have another decimal separator; name it with ${FLAG}`,
      )
    }
    known = own
    return parse(amount.replaceAll(own === '.' ? ',' : '.', '').replace(',', '.'), text)
  }
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
