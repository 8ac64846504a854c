import { writeAmount } from '../../exact-amounts.ts'

/** Keeps the digits of a number in one line. A font has it as a plain character, so it costs no time. */
const GROUP_SEPARATOR = '\u00a0'

/** Puts a space between each three digits of a number before its decimal separator: `1 234 567.50`. */
export function groupDigits(number: string): string {
  const point = number.search(/[.,]/)
  const whole = point < 0 ? number : number.slice(0, point)
  if (whole.length <= 3) return number
  return whole.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, GROUP_SEPARATOR) + number.slice(whole.length)
}

/** Writes an amount of ten-thousandths as documents show it. See `writeAmount`. */
export function showAmount(amount: bigint, decimals: number, separator: '.' | ','): string {
  return groupDigits(writeAmount(amount, decimals, separator))
}
