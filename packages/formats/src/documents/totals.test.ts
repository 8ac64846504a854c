import { expect, test } from 'vitest'
import { sumsByCurrency, type TotalGroup } from './totals.ts'

function group(type: string, currency: string, ...sums: TotalGroup['sums']): TotalGroup {
  return { keys: [type, currency], rows: 2, sums, digits: [3, currency === 'JPY' ? 0 : 2] }
}

test('adds up the columns that have a sum over a currency, exactly', () => {
  const large = 99_999_999_999_999_999_999n
  const groups = [
    group('sale', 'USD', 5n, undefined),
    group('sale', 'JPY', 5n, 70n),
    group('refund', 'JPY', 5n, -1n),
    group('fee', 'JPY', 5n, undefined),
    group('sale', 'EUR', 5n, large),
    group('fee', 'EUR', 5n, 1n),
  ]
  expect(sumsByCurrency(groups, { currency: 1, columns: [1] })).toEqual([
    { keys: ['EUR'], rows: 4, sums: [large + 1n], digits: [2] },
    { keys: ['JPY'], rows: 6, sums: [69n], digits: [0] },
    { keys: ['USD'], rows: 2, sums: [undefined], digits: [2] },
  ])
})
