import { expect, test } from 'vitest'
import { recordedTotals } from './describe-run.ts'

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
  const totals = totalsOf(17, (column) => `Settlement_amount_${column}`)
  expect(recordedTotals(totals)).toEqual(totals)
})

test('the record of a run lacks totals that long titles make very long', () => {
  expect(recordedTotals(totalsOf(4, (column) => TITLE + column))).toHaveLength(120)
  expect(recordedTotals(totalsOf(5, (column) => TITLE + column))).toBeUndefined()
})

test('masks a title that holds a card number', () => {
  const [total] = recordedTotals(totalsOf(1, () => 'of 4111 1111 1111 1111')) ?? []
  expect(total).toMatchObject({ column: '[masked]', currency: 'C10' })
})
