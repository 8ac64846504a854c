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

export function showAmount(amount: bigint, decimals: number, separator: '.' | ','): string {
  return groupDigits(writeAmount(amount, decimals, separator))
}

/** Keeps the digits of a number in one line. A font has it as a plain character, so it costs no time. */
const GROUP_SEPARATOR = '\u00a0'
const GROUP_LENGTH = 3

/** Puts a space between each three digits of a number before its decimal separator: `1 234 567.50`. */
export function groupDigits(number: string): string {
  const first = number.startsWith('-') ? 1 : 0
  let grouped = number
  // No pattern with look-around: every number of a report passes here.
  for (let at = wholeLength(number) - GROUP_LENGTH; at > first; at -= GROUP_LENGTH) {
    grouped = grouped.slice(0, at) + GROUP_SEPARATOR + grouped.slice(at)
  }
  return grouped
}

/** Returns the length of a number's text before its decimal separator. */
export function wholeLength(text: string): number {
  const place = text.search(/[.,]/)
  return place < 0 ? text.length : place
}

const RATIO = /^(-?\d+)([.,])(\d\d)(\d\d)$/

/** Writes a ratio of four fraction digits in percent: `0.59%` for `0.0059`. What is no number stays as it is. */
export function inPercent(ratio: string): string {
  return ratio.replace(RATIO, (_, whole: string, point: string, tenths: string, rest: string) => {
    const sign = whole.startsWith('-') ? '-' : ''
    return `${sign}${groupDigits(String(BigInt(whole.replace('-', '') + tenths)))}${point}${rest}%`
  })
}
