import { formatDecimal } from '@counterfoil/protocol'

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
