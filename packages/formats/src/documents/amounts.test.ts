import { expect, test } from 'vitest'
import { groupDigits, inPercent, showAmount } from './amounts.ts'

test.each([
  ['', ''],
  ['0', '0'],
  ['-123', '-123'],
  ['1234', '1 234'],
  ['-123456', '-123 456'],
  ['1234567.8901', '1 234 567.8901'],
  ['1000,5', '1 000,5'],
  ['0.12345', '0.12345'],
  ['9223372036854775807', '9 223 372 036 854 775 807'],
])('groups the digits of %j as %j', (number, grouped) => {
  expect(groupDigits(number).replaceAll('\u00a0', ' ')).toBe(grouped)
})

test.each([
  ['0.0059', '0.59%'],
  ['-1,2345', '-123,45%'],
  ['12.0000', '1 200.00%'],
  ['0.0000', '0.00%'],
  ['nan', 'nan'],
  ['', ''],
])('writes the ratio %j as %j', (ratio, percent) => {
  expect(inPercent(ratio).replaceAll('\u00a0', ' ')).toBe(percent)
})

test('an amount keeps every digit', () => {
  expect(showAmount(-12_345_678n, 2, ',')).toBe('-1\u00a0234,5678')
})
