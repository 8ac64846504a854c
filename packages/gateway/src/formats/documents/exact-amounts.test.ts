import { expect, test } from 'vitest'
import { readAmount, writeAmount } from './exact-amounts.ts'

test.each([
  ['0', 0, '0'],
  ['', 2, '0.00'],
  ['302.98', 2, '302.98'],
  ['302.98', 3, '302.980'],
  ['-0.05', 0, '-0.05'],
  ['-5', 2, '-5.00'],
  ['1000', 0, '1000'],
  ['0.0001', 2, '0.0001'],
  ['9999999999999999.9999', 3, '9999999999999999.9999'],
])('reads %s, and writes it with at least %i fraction digits as %s', (text, decimals, written) => {
  expect(writeAmount(readAmount(text), decimals, '.')).toBe(written)
})

test('writes the separator of the request', () => {
  expect(writeAmount(readAmount('1.5'), 2, ',')).toBe('1,50')
})
