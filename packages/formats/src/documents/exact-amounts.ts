import { formatDecimal, parseDecimal } from '@counterfoil/protocol'

// No amount has more fraction digits: docs/templates.md, "Columns".
const FRACTION_DIGITS = 4

/** Reads a decimal text as a whole number of ten-thousandths. An empty text is 0. */
export function readAmount(text: string): bigint {
  return parseDecimal(text, FRACTION_DIGITS) ?? 0n
}

/** Writes a whole number of ten-thousandths as a decimal text with a minimum of fraction digits. */
export function writeAmount(amount: bigint, decimals: number, separator: '.' | ','): string {
  return formatDecimal(amount, decimals, FRACTION_DIGITS, separator)
}
