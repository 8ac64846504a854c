import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencyDigits, formatDecimal, parseDecimal } from './currencies.ts'

describe('decimals', () => {
  test('are exact sums at any number of digits', () => {
    const amount = fc.tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.integer({ min: 0, max: 10 }))
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        // Another way to the sum: integers of ten digits after the point.
        const expected = amounts.reduce(
          (sum, [units, digits]) => sum + units * 10n ** BigInt(10 - digits),
          0n,
        )
        const texts = amounts.map(([units, digits]) => pointed(units, digits))
        const sum = texts.reduce((total, text) => total + (parseDecimal(text) ?? 0n), 0n)
        expect(formatDecimal(sum, 10)).toBe(pointed(expected, 10))
      }),
    )
  })

  test.each(['', 'x', '1e3', '1,5', '1.2.3', ' 1', '--1', '0x1'])('refuse %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined()
  })

  test.each([
    ['0', 0, '0'],
    ['302.98', 2, '302.98'],
    ['302.98', 3, '302.980'],
    ['-0.05', 0, '-0.05'],
    ['-0.5', 2, '-0.50'],
    ['-5', 2, '-5.00'],
    ['1000', 0, '1000'],
    ['0.0001', 2, '0.0001'],
    ['9999999999999999.9999', 3, '9999999999999999.9999'],
  ])('keep %s, with at least %i fraction digits as %s', (text, digitsMin, written) => {
    expect(formatDecimal(parseDecimal(text) ?? 0n, digitsMin)).toBe(written)
    expect(formatDecimal(parseDecimal(text, 4) ?? 0n, digitsMin, 4)).toBe(written)
  })

  test('have the scale and the separator that the caller names', () => {
    expect(parseDecimal('0.00001', 4)).toBeUndefined()
    expect(formatDecimal(5n, 0, 0)).toBe('5')
    expect(formatDecimal(15_000n, 2, 4, ',')).toBe('1,50')
  })
})

function pointed(units: bigint, digits: number): string {
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  const sign = units < 0n ? '-' : ''
  return sign + text.slice(0, text.length - digits) + (digits > 0 ? `.${text.slice(-digits)}` : '')
}

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
