// No amount has more fraction digits: docs/templates.md, "Columns".
const FRACTION_DIGITS = 4

/** Reads a decimal text as a whole number of ten-thousandths. An empty text is 0. */
export function readAmount(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0'))
}

/** Writes a whole number of ten-thousandths as a decimal text with a minimum of fraction digits. */
export function writeAmount(amount: bigint, decimals: number, separator: '.' | ','): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(FRACTION_DIGITS + 1, '0')
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '').padEnd(decimals, '0')
  const whole = `${amount < 0n ? '-' : ''}${digits.slice(0, -FRACTION_DIGITS)}`
  return fraction === '' ? whole : whole + separator + fraction
}
