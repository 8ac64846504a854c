// @module-tag long

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { encodeForm, sign } from '@counterfoil/signing'
import { expect, test } from 'vitest'
import { CounterfoilClient, type OperationFields, type OperationName } from '@counterfoil/client'
import {
  byRef,
  CARDS,
  findEndpoints,
  type Form,
  FORM_TYPE,
  operate,
  operationUrl,
  reported,
} from '../kit/operate.ts'
import { isInstalled } from '../../../signing/test/is-installed.ts'
import { SCENARIOS } from '../../src/payments/simulate.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const readPage = (name: string) => {
  return readFileSync(join(import.meta.dirname, `../../../../docs/${name}.md`), 'utf8')
}

const PAGE = readPage('sandbox')

const HARD = "Заказ №1: 50% + 'tax' = (ok)! *~ a&b ทดสอบ 😀"

const CARD_EXPIRY = { expire_month: '12', expire_year: '2099' }

/** The fields of each operation for an order, in the form that the client takes. */
const FIELDS = {
  'pan-eligibility': (orderId: string) => ({
    ...CARD_EXPIRY,
    'card-printed-name': HARD,
    'client-order-id': orderId,
    'sending-card-number': CARDS.approved,
  }),
  transfer: (orderId: string) => ({
    ...byRef(orderId, own),
    ...CARD_EXPIRY,
    card_printed_name: HARD,
    credit_card_number: CARDS.approved,
    cvv2: '739',
  }),
  'transfer-by-ref': (orderId: string) => byRef(orderId, own),
  payout: (orderId: string) => {
    const { 'destination-card-no': _, ...form } = byRef(orderId, own)
    return { ...form, account_number: 'LV80BANK0000435195001', bank_name: HARD }
  },
} as const

const PATHS: Readonly<Record<OperationName, string>> = {
  'pan-eligibility': 'v2/pan-eligibility/send',
  transfer: 'v4/transfer',
  'transfer-by-ref': 'v4/transfer-by-ref',
  payout: 'v4/payout',
}

/** Payouts have to be signed with RSA-SHA256. */
const { sandbox, gateway } = await serveSandbox([1_000], { payments: { rsaOnly: ['payout'] } })
const { own, foreign } = await findEndpoints(gateway.engine, sandbox.logins.merchant)

/** Sends a signed form. `change` edits the parameters of the header that the body repeats. */
async function post(path: string, fields: Form, change = (value: string) => value) {
  const { login, hmac } = sandbox.logins.merchant
  const url = operationUrl(gateway, `${path}/${own.id}`)
  const form = Object.entries(fields)
  const credentials = { consumerKey: login, key: hmac }
  const signed = await sign({ method: 'POST', url, form }, credentials)
  const repeated = signed.oauthParameters
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]) => [name, change(value)] as const)
  const headers = { Authorization: signed.authorization, 'Content-Type': FORM_TYPE }
  const body = encodeForm([...form, ...repeated])
  const answer = await fetch(url, { method: 'POST', headers, body })
  return { status: answer.status, text: await answer.text() }
}

test.each(['pan-eligibility', 'transfer', 'transfer-by-ref'] as const)(
  '%s takes a form that repeats the parameters of the header',
  async (name) => {
    const isQuestion = name === 'pan-eligibility'
    const form = { ...FIELDS[name](`${name} repeats`), ...(!isQuestion && { order_desc: HARD }) }
    const { status, text: answer } = await post(PATHS[name], form)
    expect([status, answer]).toMatchObject([200, expect.stringContaining('"serial-number"')])
    const rows = await reported(gateway, sandbox.logins.merchant, [
      'Merchant_OID',
      'Order_description',
    ])
    const sent = rows.filter((row) => row['Merchant_OID'] === `${name} repeats`)
    const description = isQuestion ? '' : HARD
    expect(sent.map((row) => row['Order_description'])).toEqual(
      name === 'transfer' ? [description, description] : [description],
    )
    expect((await post(PATHS[name], form, (value) => `${value}1`)).status).toBe(403)
  },
)

test('requires RSA-SHA256 for an operation if configured', async () => {
  const send = (orderId: string, key: 'hmac' | 'rsa') => {
    const form = FIELDS.payout(orderId)
    return operate(gateway, sandbox.logins.merchant, `v4/payout/${own.id}`, form, { key })
  }
  const refused = await send('by-hmac', 'hmac')
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('Step that failed: header')
  expect(refused.text).toContain('expected oauth_signature_method to be RSA-SHA256, got HMAC-SHA1')
  expect((await send('by-rsa', 'rsa')).status).toBe(200)
  const orderIds = (await reported(gateway, sandbox.logins.merchant)).map(
    (row) => row['Merchant_OID'],
  )
  expect(orderIds).toContain('by-rsa')
  expect(orderIds).not.toContain('by-hmac')
})

/** A call of an operation through the client, by default for the merchant's own endpoint. */
interface Call {
  readonly operation: OperationName
  readonly fields: OperationFields
  readonly endpointId?: string
}

function callOf(operation: OperationName, orderId: string): Call {
  return { operation, fields: FIELDS[operation](orderId) }
}

async function call(
  { operation, fields, endpointId = own.id }: Call,
  key: 'controlKey' | 'privateKey',
) {
  const { login, controlKey, privateKey } = sandbox.logins.merchant
  const apiUrl = operationUrl(gateway, '').replace(/\/api\/$/, '')
  const options = { apiUrl, login }
  const { payments } = new CounterfoilClient(
    key === 'controlKey' ? { ...options, controlKey } : { ...options, privateKey },
  )
  return await payments.call(operation, endpointId, fields)
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
    code: 'operation-refused',
    requestId: expect.any(String),
    answer: { type: 'validation-error', 'error-code': '111' },
  })
  await expect(call({ ...right, endpointId: foreign.id }, 'controlKey')).rejects.toMatchObject({
    code: 'operation-refused',
    answer: { 'error-code': '113' },
  })
  await expect(call(callOf('payout', 'refused'), 'controlKey')).rejects.toMatchObject({
    code: 'not-authorised',
    refusal: expect.stringMatching(/^You are not authorised/),
  })
})

test('runs the first hour of docs/sandbox.md', async ({ skip }) => {
  skip(!isInstalled('curl') || !isInstalled('openssl'), 'curl or openssl is not installed')
  const { login, controlKey } = sandbox.logins.merchant
  const settings = [
    `api=${operationUrl(gateway, '').replace(/\/api\/$/, '')}`,
    `report=${gateway.reportUrl} login=${login}`,
    `key=${controlKey} endpoint=${own.id} currency=${own.currency}`,
  ]
  const [, ...blocks] = [...PAGE.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  const shell = spawn('sh', ['-eu'], { cwd: sandbox.folder })
  shell.stdin.end([...settings, blocks.join('echo; echo ----\n')].join('\n'))
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  expect(stderr).toBe('')
  const [, refused = '', accepted = '', row = ''] = stdout.split('----\n')
  expect(refused.split('\n').slice(1, 4)).toEqual(
    /^Mistake: [^]*\n(?=Request id)/m.exec(PAGE)?.[0].trim().split('\n'),
  )
  expect(refused).toMatch(/^You are not authorised [^]*\nStep that failed: signature\n[^]*\n403\n/)
  const answer = JSON.parse(accepted)
  expect(answer).toMatchObject({
    type: 'async-response',
    'client-order-id': expect.stringMatching(/^first-/),
  })
  expect(row.split(',')).toContain(`"${answer['transaction-id']}"`)
  expect(row).toContain('"approved","","Coffee"')
})

test('takes the form of docs/signing.md, and answers the error of docs/errors.md', async () => {
  const [, body = ''] = /^(client_orderid=\S+)$/m.exec(readPage('signing')) ?? []
  const [example = '{}'] = /^\{"type":"validation-error".*$/m.exec(readPage('errors')) ?? []
  const { merchant } = sandbox.logins
  const form = Object.fromEntries(new URLSearchParams(body))
  const answer = await operate(gateway, merchant, `v2/pan-eligibility/send/${own.id}`, form)
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
    200,
    { type: 'pan-eligibility-response', 'client-order-id': form['client_orderid'] },
  ])
  const wrong = byRef('wrong', own, { currency: 'XTS' })
  const refused = await operate(gateway, merchant, `v4/transfer-by-ref/${own.id}`, wrong)
  const { 'serial-number': _, ...expected } = JSON.parse(example)
  expect(JSON.parse(refused.text.replaceAll(own.currency, 'EUR'))).toMatchObject(expected)
})

test('lists exactly the test cards and amounts with their outcomes in docs/sandbox.md', () => {
  const canSend: Readonly<Record<string, string>> = {
    approved: 'true',
    error: '`error`',
    unknown: '`unknown`',
    processing: '`unknown`',
  }
  const rows = [...PAGE.matchAll(/^\| `(9001\d{12})` \| `(\d+)` \| (.+) \|$/gm)]
  expect(rows.map(([, card, amount, outcome]) => [card, amount, outcome])).toEqual(
    SCENARIOS.map(({ card, amount, reason, afterSeconds }) => {
      const { status, error, message } = reason
      const final = afterSeconds > 0 ? `processing, then ${status}` : status
      const sends = canSend[afterSeconds > 0 ? 'processing' : status] ?? 'false'
      const cells = [final, error ?? '', message ?? '', sends]
      return [card, amount, cells.join(' | ')]
    }),
  )
})
