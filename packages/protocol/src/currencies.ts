const digitsOf = new Map<string, number>()

/** Returns how many fraction digits amounts of a currency have, or undefined for a text that is no currency code. */
export function currencyDigits(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency)) return undefined
  const known = digitsOf.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().minimumFractionDigits ?? 0
  digitsOf.set(currency, digits)
  return digits
}

/** Digits after the point that a scaled integer has, unless a caller needs another number. */
const SCALE = 18

/**
 * Reads decimal text as a scaled integer, so that sums are exact. Returns undefined if the text is no such number, or
 * has more than `scale` digits after the point.
 *
 * @example
 * parseDecimal('-0.05', 4) // -500n
 */
export function parseDecimal(text: string, scale = SCALE): bigint | undefined {
  const point = text.indexOf('.')
  const [whole, fraction] = point < 0 ? [text, ''] : [text.slice(0, point), text.slice(point + 1)]
  if (fraction.length > scale || !/^-?\d+$/.test(whole + fraction)) return undefined
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

/**
 * Writes a scaled integer as decimal text with at least `digitsMin` digits after the point.
 *
 * @example
 * formatDecimal(-500n, 3, 4) // '-0.050'
 */
export function formatDecimal(
  scaled: bigint,
  digitsMin = 0,
  scale = SCALE,
  separator: '.' | ',' = '.',
): string {
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0')
  const point = digits.length - scale
  const fraction = digits.slice(point).replace(/0+$/, '').padEnd(digitsMin, '0')
  return (scaled < 0n ? '-' : '') + digits.slice(0, point) + (fraction && separator + fraction)
}
