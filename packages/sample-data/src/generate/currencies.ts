/** A currency of the demo's ledger. */
export interface Currency {
  readonly code: string
  /** How many fraction digits its amounts have. */
  readonly exponent: number
  /** How many of a thousand transactions are in this currency. */
  readonly share: number
  /** The value of a hundred euros, made up but realistic. */
  readonly perHundredEuros: number
}

/** The currencies, the most used first. The index of a currency identifies it. */
export const CURRENCIES: readonly Currency[] = [
  { code: 'EUR', exponent: 2, share: 370, perHundredEuros: 100 },
  { code: 'USD', exponent: 2, share: 270, perHundredEuros: 108 },
  { code: 'GBP', exponent: 2, share: 90, perHundredEuros: 85 },
  { code: 'PLN', exponent: 2, share: 60, perHundredEuros: 430 },
  { code: 'TRY', exponent: 2, share: 50, perHundredEuros: 3500 },
  { code: 'BRL', exponent: 2, share: 40, perHundredEuros: 590 },
  { code: 'INR', exponent: 2, share: 40, perHundredEuros: 9100 },
  { code: 'JPY', exponent: 0, share: 30, perHundredEuros: 16_300 },
  { code: 'KZT', exponent: 2, share: 20, perHundredEuros: 51_000 },
  { code: 'CHF', exponent: 2, share: 10, perHundredEuros: 94 },
  { code: 'SEK', exponent: 2, share: 8, perHundredEuros: 1130 },
  { code: 'KRW', exponent: 0, share: 6, perHundredEuros: 148_000 },
  { code: 'KWD', exponent: 3, share: 3, perHundredEuros: 33 },
  { code: 'TND', exponent: 3, share: 2, perHundredEuros: 338 },
  { code: 'BHD', exponent: 3, share: 1, perHundredEuros: 41 },
]

/**
 * The smallest amount of a currency in ten-thousandths, the ledger's scale. All amounts are computed in
 * ten-thousandths.
 */
export function leastAmount({ exponent }: Currency): number {
  return 10 ** (4 - exponent)
}

/** The amount of a currency, in ten-thousandths, that is worth about `euroCents`. */
export function worthOf(currency: Currency, euroCents: number): number {
  const least = leastAmount(currency)
  return Math.max(1, Math.round((euroCents * currency.perHundredEuros) / least)) * least
}
