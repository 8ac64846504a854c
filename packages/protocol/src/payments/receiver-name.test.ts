import { expect, test } from 'vitest'
import type { OperationName } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { validateForm } from './validate-form.ts'

type Form = Readonly<Record<string, string>>

const CARD = '4111111111111111'
const MONEY = { client_orderid: '902B4FF5', amount: '10.42', currency: 'EUR' }
const FORMS: Readonly<Partial<Record<OperationName, Form>>> = {
  'transfer-by-ref': { ...MONEY, 'destination-card-no': CARD },
  payout: { ...MONEY, credit_card_number: CARD },
}

function faultsOf(name: OperationName, change: Form) {
  const form = validateForm(OPERATIONS[name], Object.entries({ ...FORMS[name], ...change }))
  return 'faults' in form ? form.faults : []
}

test.each<[OperationName, Form]>([
  ['transfer-by-ref', { receiver_first_name: '41111111', receiver_last_name: '11111111' }],
  [
    'transfer-by-ref',
    {
      'receiver-first-name': '4111 1111',
      'receiver-middle-name': '1111',
      'receiver-last-name': '1111',
    },
  ],
  ['payout', { first_name: '4111-1111', last_name: '1111-1111' }],
])('%s refuses a card number split over the parts of a name: %j', (name, split) => {
  const [field = '', ...others] = Object.keys(split)
  const together = others.join(' and ')
  const expected = `expected nothing that looks like a card number, together with ${together}`
  expect(faultsOf(name, split)).toEqual([{ error: 'field-value', field, expected }])
})

test.each<[OperationName, Form]>([
  ['transfer-by-ref', { receiver_first_name: '41111111', receiver_last_name: '11111112' }],
  ['transfer-by-ref', { receiver_first_name: 'Anna', receiver_last_name: '11111111' }],
  // The ledger does not join these fields.
  ['payout', { first_name: '41111111', phone: '11111111' }],
])('%s accepts %j', (name, form) => {
  expect(faultsOf(name, form)).toEqual([])
})

test('reports a card number in one part of a name once', () => {
  const names = { receiver_first_name: CARD, receiver_last_name: 'Ozola' }
  expect(faultsOf('transfer-by-ref', names)).toMatchObject([{ field: 'receiver_first_name' }])
})

test('refuses a card field whose name and value are parts of the name', () => {
  const split = { receiver_first_name: 'cvv2', receiver_last_name: '=739' }
  const expected =
    'expected no card field with a value, such as cvv2=..., together with receiver_last_name'
  expect(faultsOf('transfer-by-ref', split)).toEqual([
    { error: 'field-value', field: 'receiver_first_name', expected },
  ])
})
