import { expect, test } from 'vitest'
import { createAmountReader, formatAmount } from './amounts.ts'

const read = (...options: Parameters<typeof createAmountReader>) => {
  const readAmount = createAmountReader(...options)
  return (text: string) => formatAmount(readAmount(text), 0)
}

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
  expect(read()(text)).toBe(amount)
})

// biome-ignore format: a list of words
test.each(['', '-', '.5', '1.2.3', '1,2,3', '12,34.5.6', '1e5', '0x1f', '10 EUR', '1..2', '½', '0.00001', '1000000000000.1'])(
  'refuses %j',
  (text) => {
    expect(() => read()(text)).toThrow('expected an amount with up to 4 fraction digits, got')
  },
)

test('does not guess whether a comma groups digits', () => {
  expect(() => read()('1,234')).toThrow(
    'the amount 1,234 may be 1234 or 1.234; say which with --decimal-separator',
  )
  expect(read(',')('1,234')).toBe('1.234')
  expect(read('.')('1,234')).toBe('1234')
  expect(read(',')('1.234')).toBe('1234')
  expect(read(undefined, ',')('65,990')).toBe('65.99')
  expect(read(undefined, ',')('65.990')).toBe('65.99')
})

test('knows what a separator means from the amounts before, and refuses a mixture', () => {
  const [comma, point] = [read(), read()]
  expect([comma('12,50'), comma('7'), comma('1,234'), comma('1.234')]).toEqual([
    '12.5',
    '7',
    '1.234',
    '1234',
  ])
  expect([point('12.50'), point('1,234')]).toEqual(['12.5', '1234'])
  expect(() => comma('1.50')).toThrow('have another decimal separator; name it with --decimal-s')
})
