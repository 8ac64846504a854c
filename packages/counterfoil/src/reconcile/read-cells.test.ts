import { expect, test } from 'vitest'
import { formatAmount, readAmount } from './read-cells.ts'

const read = (...options: Parameters<typeof readAmount>) => formatAmount(readAmount(...options), 0)

test.each([
  ['1.50', '1.5'],
  [' 1,50 ', '1.5'],
  ['001.000000', '1'],
  ['-0.00', '0'],
  ['+7', '7'],
  ['7.', '7'],
  ['-12,5', '-12.5'],
  ['1.234,50', '1234.5'],
  ['1,234.50', '1234.5'],
  ['1,234,567', '1234567'],
  ['1 234 567,8', '1234567.8'],
  ['1\u{202F}234,50', '1234.5'],
  ["1'234.50", '1234.5'],
  ['1.234', '1.234'],
  ['1000000000000', '1000000000000'],
])('reads the amount %j as %s', (text, amount) => {
  expect(read(text)).toBe(amount)
})

// biome-ignore format: a list of words
test.each(['', '-', '.5', '1.2.3', '1,2,3', '12,34.5.6', '1e5', '0x1f', '10 EUR', '1..2', '½', '0.00001', '1000000000000.1'])(
  'refuses %j',
  (text) => {
    expect(() => read(text)).toThrow('expected an amount with up to 4 fraction digits, got')
  },
)

test('does not guess whether a comma groups digits', () => {
  expect(() => read('1,234')).toThrow(
    'the amount 1,234 may be 1234 or 1.234; say which with --decimal-separator',
  )
  expect(read('1,234', ',')).toBe('1.234')
  expect(read('1,234', '.')).toBe('1234')
  expect(read('1.234', ',')).toBe('1234')
  expect(read('65,990', undefined, ',')).toBe('65.99')
  expect(read('65.990', undefined, ',')).toBe('65.99')
})
