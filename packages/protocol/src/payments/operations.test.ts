import { expect, test } from 'vitest'
import {
  formBytesMax,
  type Operation,
  OPERATION_ERRORS,
  operationPath,
  spellingsOf,
} from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { formatLengths, type OperationFault } from './validate-form.ts'
import { errorResponse, faultsResponse } from './answers.ts'

// A second copy of the declarations, so that nobody changes one unseen.
const DECLARED = `
v2 pan-eligibility/send
client_orderid|client-order-id identifier 1 to 128 required
sending-card-number|sending_card_number card 12 to 19
card-printed-name|card_printed_name text 1 to 128
expire_month|expire-month month 2
expire_year|expire-year year 4
sending-card-ref-id|sending_card_ref_id card-id 1 to 20
server_callback_url|server-callback-url url 8 to 1024
the card: sending-card-number+card-printed-name+expire_month+expire_year or sending-card-ref-id(card-printed-name expire_month expire_year)

v4 transfer
client_orderid|client-order-id identifier 1 to 128 required
amount amount 1 to 10 required
currency currency 3 required
order_desc|order-desc text 1 to 125
credit_card_number|credit-card-number card 12 to 19
cvv2 cvv 3 to 4
expire_month|expire-month month 2
expire_year|expire-year year 4
card_printed_name|card-printed-name text 1 to 128
card_recurring_payment_id|card-recurring-payment-id card-id 1 to 20
deposit2card boolean 4 to 5
destination-card-no|destination_card_no card 16 to 19
destination_card_recurring_payment_id|destination-card-recurring-payment-id card-id 1 to 20
ipaddress ip 7 to 45
server_callback_url|server-callback-url url 8 to 1024
redirect_url|redirect-url url 8 to 1024
the source: credit_card_number+cvv2+expire_month+expire_year+card_printed_name or card_recurring_payment_id(cvv2 expire_month expire_year card_printed_name) or deposit2card
the destination: destination-card-no or destination_card_recurring_payment_id

v4 transfer-by-ref
client_orderid|client-order-id identifier 1 to 128 required
amount amount 1 to 10 required
currency currency 3 required
order_desc|order-desc text 1 to 125
destination-card-no|destination_card_no card 16 to 19
destination-card-ref-id|destination_card_ref_id card-id 1 to 20
ipaddress ip 7 to 45
first_name|first-name text 1 to 128
middle_name|middle-name text 1 to 128
last_name|last-name text 1 to 128
ssn digits 4
birthday birthday 6 to 8
address1 text 1 to 50
city text 1 to 50
state text 2 to 3
zip_code|zip-code text 1 to 10
country country 2
email email 3 to 50
phone phone 1 to 15
cell_phone|cell-phone phone 1 to 15
receiver_first_name|receiver-first-name text 1 to 128
receiver_middle_name|receiver-middle-name text 1 to 128
receiver_last_name|receiver-last-name text 1 to 128
receiver_phone|receiver-phone phone 1 to 128
receiver_resident|receiver-resident boolean 4 to 5
receiver_identity_document_series|receiver-identity-document-series text 1 to 512
receiver_identity_document_number|receiver-identity-document-number text 1 to 512
receiver_identity_document_id|receiver-identity-document-id text 1 to 512
receiver_address1|receiver-address1 text 1 to 512
receiver_city|receiver-city text 1 to 512
server_callback_url|server-callback-url url 8 to 128
redirect_url|redirect-url url 8 to 250
the destination: destination-card-no or destination-card-ref-id

v4 payout
client_orderid|client-order-id identifier 1 to 128 required
amount amount 1 to 10 required
currency currency 3 required
order_desc|order-desc text 1 to 64
ipaddress ip 7 to 45
purpose text 1 to 128
server_callback_url|server-callback-url url 8 to 128
redirect_url|redirect-url url 8 to 250
account_number|account-number identifier 1 to 24
bank_name|bank-name text 1 to 255
bank_branch|bank-branch text 1 to 255
bank_code|bank-code text 1 to 3
bank_address1|bank-address1 text 1 to 255
bank_zip_code|bank-zip-code text 1 to 255
routing_number|routing-number text 1 to 16
bank_province|bank-province text 1 to 255
bank_area|bank-area text 1 to 255
bank_city|bank-city text 1 to 255
account_name|account-name text 1 to 128
credit_card_number|credit-card-number card 12 to 19
card_printed_name|card-printed-name text 1 to 128
expire_month|expire-month month 2
expire_year|expire-year year 4
cvv2 cvv 3 to 4
first_name|first-name text 1 to 50
last_name|last-name text 1 to 50
phone phone 1 to 50
email email 3 to 128
the destination: account_number+bank_name(bank_branch bank_code bank_address1 bank_zip_code routing_number bank_province bank_area bank_city account_name) or credit_card_number(card_printed_name expire_month cvv2)
the card's expiry, where it is sent: expire_month+expire_year
`

test('the declarations match their copy', () => {
  expect(`\n${Object.values(OPERATIONS).map(describeOperation).join('\n\n')}\n`).toBe(DECLARED)
})

test.each(Object.entries(OPERATIONS))(
  'the declaration of %s is consistent',
  (name, { fields, choices, ...rest }) => {
    expect(rest.name).toBe(name)
    const spellings = fields.flatMap(spellingsOf)
    expect(new Set(spellings).size).toBe(spellings.length)
    const names = fields.filter((field) => !field.required).map((field) => field.name)
    for (const { field, requires = [], allows = [] } of choices.flatMap((c) => c.alternatives)) {
      expect(names).toEqual(expect.arrayContaining([field, ...requires, ...allows]))
    }
  },
)

test('returns the path of an operation', () => {
  expect(operationPath(OPERATIONS['pan-eligibility'], '1144')).toBe(
    '/api/v2/pan-eligibility/send/1144',
  )
  expect(operationPath(OPERATIONS.transfer, '1144')).toBe('/api/v4/transfer/1144')
})

function describeOperation(operation: Operation): string {
  const { fields, choices } = operation
  const lines = fields.map((field) => {
    const lengths = formatLengths(field.lengthMin ?? 1, field.lengthMax).replace(' characters', '')
    const required = field.required ? ' required' : ''
    return `${spellingsOf(field).join('|')} ${field.kind} ${lengths}${required}`
  })
  const rules = choices.map(({ title, required, alternatives }) => {
    const ways = alternatives.map(({ field, requires = [], allows }) => {
      return [field, ...requires].join('+') + (allows ? `(${allows.join(' ')})` : '')
    })
    return `${title}${required ? '' : ', where it is sent'}: ${ways.join(' or ')}`
  })
  const path = operationPath(operation, '').replace(/^.api.(v.).(.*).$/, '$1 $2')
  return [path, ...lines, ...rules].join('\n')
}

test.each(Object.values(OPERATIONS))(
  'formBytesMax leaves room for the longest values of $name',
  (operation) => {
    const longest = operation.fields.map(({ name, lengthMax }) => {
      return `${name}=${encodeURIComponent('😀'.repeat(lengthMax))}`
    })
    expect(formBytesMax(operation)).toBeGreaterThanOrEqual(longest.join('&').length + 4_000)
    expect(formBytesMax(operation)).toBeLessThan(100 * 1024)
  },
)

test('gives every error its own code, and every validation error status 422', () => {
  const kinds = Object.values(OPERATION_ERRORS)
  expect(new Set(kinds.map(({ code }) => code)).size).toBe(kinds.length)
  for (const { type, status } of kinds) expect(status === 422).toBe(type === 'validation-error')
})

test('writes an error with its code and what was expected', () => {
  expect(errorResponse('order-id-taken', 'expected another one', 'serial-1')).toEqual({
    type: 'validation-error',
    'serial-number': 'serial-1',
    'error-code': '114',
    'error-message': 'You have used the client order id with other fields. expected another one',
  })
  expect(errorResponse('internal-error', '', 'serial-1')).toMatchObject({
    type: 'error',
    'error-message': 'The gateway failed',
  })
})

test('joins faults to one error: the code of the first, and the texts of 20', () => {
  const first: OperationFault = { error: 'missing-field', field: '', expected: 'expected a card' }
  const other: OperationFault = { error: 'field-value', field: 'amount', expected: 'expected less' }
  expect(faultsResponse([first, other], 'serial-1')).toMatchObject({
    'error-code': '104',
    'error-message': 'A field is missing. expected a card; amount: expected less',
  })
  const message = faultsResponse([first, ...Array.from({ length: 21 }, () => other)], 'serial-1')
  expect(message['error-message'].match(/amount:/g)).toHaveLength(19)
  expect(message['error-message']).toMatch(/; and 2 more$/)
})
