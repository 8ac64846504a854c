import { writeAmount } from '../documents/exact-amounts.ts'
import { wholeLength } from './table/shape-table.ts'

/** Keeps the digits of a number in one line. A font has it as a plain character, so it costs no time. */
const GROUP_SEPARATOR = '\u00a0'
const GROUP_LENGTH = 3

/** Puts a space between each three digits of a number before its decimal separator: `1 234 567.50`. */
export function groupDigits(number: string): string {
  const first = number.startsWith('-') ? 1 : 0
  let end = wholeLength(number)
  if (end - first <= GROUP_LENGTH) return number
  // No pattern with look-around: every number of a report passes here.
  let grouped = number.slice(end - GROUP_LENGTH)
  for (end -= GROUP_LENGTH; end - first > GROUP_LENGTH; end -= GROUP_LENGTH) {
    grouped = number.slice(end - GROUP_LENGTH, end) + GROUP_SEPARATOR + grouped
  }
  return number.slice(0, end) + GROUP_SEPARATOR + grouped
}

const RATIO = /^(-?)0*(\d+)([.,])(\d\d)(\d\d)$/

/** Writes a ratio of four fraction digits in percent: `0.59%` for `0.0059`. What is no number stays as it is. */
export function inPercent(ratio: string): string {
  const [, sign = '', whole = '', separator = '', hundredths = '', rest = ''] =
    RATIO.exec(ratio) ?? []
  if (whole === '') return ratio
  return `${sign}${groupDigits(String(BigInt(whole + hundredths)))}${separator}${rest}%`
}

/** Writes an amount of ten-thousandths as documents show it. See `writeAmount`. */
export function showAmount(amount: bigint, decimals: number, separator: '.' | ','): string {
  return groupDigits(writeAmount(amount, decimals, separator))
}
