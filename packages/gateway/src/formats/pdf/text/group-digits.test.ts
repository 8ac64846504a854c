import { expect, test } from 'vitest'
import { groupDigits, showAmount } from './group-digits.ts'

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

test('an amount keeps every digit', () => {
  expect(showAmount(-12_345_678n, 2, ',')).toBe('-1\u00a0234,5678')
})
