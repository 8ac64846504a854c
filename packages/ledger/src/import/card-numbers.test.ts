import { expect, test } from 'vitest'
import { LEDGER_TABLES } from '../model/model.ts'
import { cardColumnFault, isTame } from './card-numbers.ts'

test('recognises columns for card numbers and verification values by their names', () => {
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
    'unmasked_pan',
    'UnmaskedPAN',
    'unmaskedpan',
    'card_number_unmasked',
    'not_masked_pan',
    'pan_not_masked',
    'non-masked card number',
    'un_masked_pan',
    'pan_clear',
    'cvv_code',
    'CVV2Code',
    'cvvcode',
    'cvn',
    'cvd',
    'csc_value',
    'pinblock',
    'pin_code',
    'track2data',
    'track_2_data',
    'CardNr',
    'cardpan',
    'PAN1',
    'pan_2',
    'fpan',
    'DPAN',
    'credit_card',
    'CreditCardNo',
    'creditcardnumber',
    'card_numbers',
    'primary_account_no',
    'magstripe',
  ]
  expect(names.filter((name) => cardColumnFault(name) === undefined)).toEqual([])
})

test('accepts other names, and every column of the ledger', () => {
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
    'pan_masked',
    'maskedPan',
    'MASKED_CARD_NO',
    'pan_mask',
    'is_masked_pan',
    'pan_eligibility',
    'pan_token',
    'pan_hash',
    'pan_last4',
    'lifespan',
    'card_type',
    'credit_card_type',
    'credit_card_fee',
    'card_brand',
    'card_country',
    'cvv_result',
    'cvc_check',
    'pin_entered',
    'pincode',
    'spin',
    'shipping',
    'soundtrack',
    'track_id',
    'discard_number',
    'scorecard',
    'postcard_no',
    'account_number',
    'account_no',
    'number',
    'unmasked',
  ]
  const ledger = Object.values(LEDGER_TABLES).flatMap((columns) => Object.keys(columns))
  expect([...names, ...ledger].filter((name) => cardColumnFault(name) !== undefined)).toEqual([])
})

test('an error shows a column’s name only if it cannot be a value', () => {
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
