/** Digits after the point in a scaled integer. The ledger has at most ten. */
const SCALE = 18

/** Reads decimal text as a scaled integer, so that sums are exact. Returns undefined if the text is no such number. */
export function parseDecimal(text: string): bigint | undefined {
  const point = text.indexOf('.')
  const [whole, fraction] = point < 0 ? [text, ''] : [text.slice(0, point), text.slice(point + 1)]
  if (fraction.length > SCALE || !/^-?\d+$/.test(whole + fraction)) return undefined
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

/** Writes a scaled integer as decimal text with at least `digitsMin` digits after the point. */
export function formatDecimal(scaled: bigint, digitsMin = 0): string {
  const sign = scaled < 0n ? '-' : ''
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/0+$/, '').padEnd(digitsMin, '0')
  return sign + digits.slice(0, -SCALE) + (fraction && `.${fraction}`)
}

/** Separates the thousands of decimal text. */
export function groupThousands(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Separates the thousands of decimal text, and fills it up with spaces of a digit's width: points stand below each other. */
export function alignDecimals(text: string): string {
  const [, fraction] = text.split('.')
  const filled = groupThousands(text) + (fraction === undefined ? '\u2008' : '')
  return filled + '\u2007'.repeat(Math.max(0, 3 - (fraction?.length ?? 0)))
}

/** Returns the number nearest to a scaled integer, to draw it. */
export function toNumber(scaled: bigint): number {
  return Number(formatDecimal(scaled))
}
