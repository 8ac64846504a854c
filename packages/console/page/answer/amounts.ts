import { currencyDigits } from '@counterfoil/protocol'

/** Writes an amount with the fraction digits of its currency, and with more if they are not zeros. */
export function formatSum(sum: string, currency: string): string {
  const digits = currencyDigits(currency)
  if (digits === undefined) return sum
  const [whole = '', fraction = ''] = sum.split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(digits, '0')
  return kept === '' ? whole : `${whole}.${kept}`
}

export function groupThousands(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

export function decimalsIn(text: string): number {
  return text.split('.')[1]?.length ?? 0
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

export function formatRows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`
}
