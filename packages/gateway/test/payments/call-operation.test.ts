import { callOperation, type OperationCall } from '@counterfoil/client'
import { beforeAll, expect, test } from 'vitest'
import {
  byRef,
  CARDS,
  findEndpoints,
  operationUrl,
  type OwnEndpoint,
  reported,
} from '../kit/operate.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([1_000], { payments: { rsaOnly: ['payout'] } })
let own: OwnEndpoint
let foreign: OwnEndpoint
beforeAll(async () => {
  ;({ own, foreign } = await findEndpoints(gateway.engine, sandbox.logins.merchant))
})

const CARD = { card_printed_name: 'Anna', expire_month: '12', expire_year: '2099' }

/** The fields of each operation for an order, in the form that the client takes. */
const FORMS = {
  'pan-eligibility': (orderId: string) => ({
    ...CARD,
    'client-order-id': orderId,
    'sending-card-number': CARDS.approved,
  }),
  transfer: (orderId: string) => ({
    ...byRef(orderId, own),
    ...CARD,
    credit_card_number: CARDS.approved,
    cvv2: '739',
  }),
  'transfer-by-ref': (orderId: string) => byRef(orderId, own),
  payout: (orderId: string) => {
    const { 'destination-card-no': _, ...form } = byRef(orderId, own)
    return { ...form, account_number: 'LV80BANK0000435195001', bank_name: 'First Bank' }
  },
} as const

function callOf(operation: keyof typeof FORMS, orderId: string): OperationCall {
  return { operation, endpointId: String(own.id), fields: FORMS[operation](orderId) }
}

async function call(operation: OperationCall, key: 'controlKey' | 'privateKey') {
  const { login, controlKey, privateKey } = sandbox.logins.merchant
  const apiUrl = operationUrl(gateway, '').replace(/\/api\/$/, '')
  const options = { apiUrl, login }
  return await callOperation(
    operation,
    key === 'controlKey' ? { ...options, controlKey } : { ...options, privateKey },
  )
}

test.each([
  ['pan-eligibility', 'controlKey', 'status'],
  ['pan-eligibility', 'privateKey', 'can-send'],
  ['transfer', 'controlKey', 'transaction-id'],
  ['transfer', 'privateKey', 'transaction-id'],
  ['transfer-by-ref', 'controlKey', 'transaction-id'],
  ['transfer-by-ref', 'privateKey', 'transaction-id'],
  ['payout', 'privateKey', 'payout-id'],
] as const)('calls %s through the client with its %s', async (operation, key, member) => {
  const orderId = `${operation} ${key}`
  const answer = await call(callOf(operation, orderId), key)
  expect(answer).toMatchObject({ 'client-order-id': orderId, [member]: expect.anything() })
  expect(await call(callOf(operation, orderId), key)).toEqual(answer)
  if (answer.type !== 'async-response') return
  const orders = (await reported(gateway, sandbox.logins.merchant)).map(
    (row) => row['Merchant_OID'],
  )
  expect(orders).toContain(orderId)
})

test('throws an error in the client if the gateway does not accept a call', async () => {
  const right = callOf('transfer-by-ref', 'not accepted')
  const without = { ...right, fields: { ...right.fields, amount: '10.423' } }
  await expect(call(without, 'controlKey')).rejects.toMatchObject({
    code: 'problem',
    requestId: expect.any(String),
    answer: { type: 'validation-error', 'error-code': '111' },
  })
  await expect(
    call({ ...right, endpointId: String(foreign.id) }, 'controlKey'),
  ).rejects.toMatchObject({ code: 'problem', answer: { 'error-code': '113' } })
  await expect(call(callOf('payout', 'refused'), 'controlKey')).rejects.toMatchObject({
    code: 'refused',
    refusal: expect.stringMatching(/^You are not authorised/),
  })
})
