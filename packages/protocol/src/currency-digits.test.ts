import { expect, test } from 'vitest'
import { currencyDigits } from './currency-digits.ts'

test.each([
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['GOLD', undefined],
  ['eur', undefined],
  ['', undefined],
])('the currency %j has %j fraction digits', (currency, digits) => {
  expect([currencyDigits(currency), currencyDigits(currency)]).toEqual([digits, digits])
})
