import { currencyDigits } from '@counterfoil/protocol'

/** Writes an amount with the fraction digits of its currency, and with more if they are not zeros. */
export function formatSum(sum: string, currency: string): string {
  const digits = currencyDigits(currency)
  if (digits === undefined) return sum
  const [whole = '', fraction = ''] = sum.split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(digits, '0')
  return kept === '' ? whole : `${whole}.${kept}`
}

/** Separates the thousands of decimal text. */
export function groupThousands(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Returns the number of digits after the point of decimal text. */
export function decimalsIn(text: string): number {
  return text.split('.')[1]?.length ?? 0
}

/** Writes a count with separated thousands. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** Writes a count of rows. */
export function formatRows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`
}

/** Writes a number of bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const unit = bytes < 1e6 ? 'kB' : bytes < 1e9 ? 'MB' : 'GB'
  const divisor = { kB: 1e3, MB: 1e6, GB: 1e9 }[unit]
  return `${(bytes / divisor).toFixed(1)} ${unit}`
}

/** Writes a duration. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`
}
