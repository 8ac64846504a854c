import { expect, test } from 'vitest'
import { areShort } from './describe-run.ts'

/** The longest title that a request may give to a column. */
const TITLE = '\u{2070e}'.repeat(99)

/** Makes the totals of some columns in 30 currencies. */
function totalsOf(columns: number, titleOf: (column: number) => string) {
  return Array.from({ length: 30 * columns }, (_, index) => ({
    column: titleOf(index % columns),
    currency: `C${10 + Math.floor(index / columns)}`,
    amounts: 1_000_000,
    sum: '-123456789.000',
  }))
}

test('the record of a run has the totals of many columns and currencies', () => {
  expect(areShort(totalsOf(17, (column) => `Settlement_amount_${column}`))).toBe(true)
})

test('the record of a run lacks totals that long titles make very long', () => {
  expect(areShort(totalsOf(4, (column) => TITLE + column))).toBe(true)
  expect(areShort(totalsOf(5, (column) => TITLE + column))).toBe(false)
})
