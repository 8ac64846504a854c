import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAmountReader, isAtLeast, sumDecimals } from './decimals.ts'

const readOne = (text: string) => createAmountReader()(text)

describe('an amount reader', () => {
  test.each([
    ['1.5', '1.5'],
    ['1.50', '1.5'],
    [' 1,50 ', '1.5'],
    ['001.000', '1'],
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
    ['123456789012345678901234.000000000001', '123456789012345678901234.000000000001'],
  ])('reads %j as %s', (text, amount) => {
    expect(readOne(text)).toBe(amount)
  })

  test.each(['', '-', '.5', '1.2.3', '1,2,3', '12,34.5.6', '1e5', '0x1f', '10 EUR', '1..2', '½'])(
    'refuses %j',
    (text) => {
      expect(() => readOne(text)).toThrow('expected an amount, got')
    },
  )

  test('does not guess whether a comma groups digits', () => {
    expect(() => readOne('1,234')).toThrow(
      'the amount 1,234 may be 1234 or 1.234; say which with --decimal-separator',
    )
    expect(createAmountReader(',')('1,234')).toBe('1.234')
    expect(createAmountReader('.')('1,234')).toBe('1234')
    expect(createAmountReader(',')('1.234')).toBe('1234')
  })

  test('takes the likely separator for an amount that may have either', () => {
    const read = createAmountReader(undefined, ',')
    expect([read('65,990'), read('7'), read('1.234,5')]).toEqual(['65.99', '7', '1234.5'])
    expect(createAmountReader(undefined, ',')('65.99')).toBe('65.99')
    expect(createAmountReader('.', ',')('65,990')).toBe('65990')
  })

  test('knows what a comma means from the amounts before', () => {
    const [comma, point] = [createAmountReader(), createAmountReader()]
    expect([comma('12,50'), comma('1,234')]).toEqual(['12.5', '1.234'])
    expect([point('12.50'), point('1,234')]).toEqual(['12.5', '1234'])
  })

  test('refuses a file that mixes separators', () => {
    const read = createAmountReader()
    read('12,50')
    read('7')
    expect(() => read('1.234')).toThrow(
      'the amounts before 1.234 have another decimal separator; name the separator with --decimal-separator',
    )
  })
})

test('adds and compares exactly', () => {
  expect(sumDecimals(['0.1', '0.2'])).toBe('0.3')
  expect(sumDecimals(['10', '-0.01'])).toBe('9.99')
  expect(sumDecimals(['-0.5', '0.5'])).toBe('0')
  expect(isAtLeast('10', '9.999')).toBe(true)
  expect(isAtLeast('9.99', '10')).toBe(false)
  const cents = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
  const written = (value: bigint) => {
    const digits = (value < 0n ? -value : value).toString().padStart(3, '0')
    return readOne(`${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`)
  }
  fc.assert(
    fc.property(cents, cents, (one, other) => {
      expect(sumDecimals([written(one), written(other)])).toBe(written(one + other))
      expect(isAtLeast(written(one), written(other))).toBe(one >= other)
    }),
  )
})
