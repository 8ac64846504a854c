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
