import { currencyDigits } from '@counterfoil/protocol'

/** Writes an amount with the fraction digits of its currency, and with more if they are not zeros. */
export function formatSum(sum: string, currency: string): string {
  const digits = currencyDigits(currency)
  if (digits === undefined) return sum
  const [whole = '', fraction = ''] = sum.split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(digits, '0')
  return kept === '' ? whole : `${whole}.${kept}`
}
