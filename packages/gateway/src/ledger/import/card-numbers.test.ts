import { expect, test } from 'vitest'
import { LEDGER_TABLES } from '../model.ts'
import { cardColumnFault, isTame } from './card-numbers.ts'

test('columns for card numbers and verification values are known by their names', () => {
  const names = [
    'pan',
    'PAN',
    'Card Number',
    'cardnumber',
    'destinationCardNo',
    'card-pan',
    'pan_no',
    'CVV2',
    'cvc',
    '(cvv)',
    'track2',
    'Track 1 data',
    'PIN',
    'pinBlock',
  ]
  expect(names.filter((name) => cardColumnFault(name) === undefined)).toEqual([])
})

test('others are not, and none of the ledger', () => {
  const names = [
    'japan',
    'company',
    'masked_pan',
    'card_number_masked',
    'pin_code_city',
    'span',
    'card_ref_id',
    'tracking',
    '',
  ]
  const ledger = Object.values(LEDGER_TABLES).flatMap((columns) => Object.keys(columns))
  expect([...names, ...ledger].filter((name) => cardColumnFault(name) !== undefined)).toEqual([])
})

test('a name is told where it can be nothing else', () => {
  expect(['amount', 'Сумма, €', 'Amount (EUR)', 'col 12'].map(isTame)).toEqual([
    true,
    false,
    true,
    true,
  ])
  expect(['4111111111111111', 'x 4111111111', '', 'a\nb', 'x'.repeat(65)].filter(isTame)).toEqual(
    [],
  )
})
