// @module-tag long

import { DatabaseSync } from 'node:sqlite'
import { encodeForm } from '@counterfoil/signing'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { ask, signRequest } from '../kit/ask.ts'
import {
  byRef,
  findEndpoints,
  type Form,
  FORM_TYPE,
  operate,
  operationUrl,
  reported,
} from '../kit/operate.ts'
import { rowsWithCards } from '../kit/running-gateway.ts'
import { filesWith } from '../kit/sandbox.ts'
import { storeFile } from '../../../store/src/store/open-store.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const SOURCE = '4111111111111111'
const DESTINATION = '5555555555554444'
const CVV = '4217'
/** Too long for a verification value, and so long that it never occurs by chance. */
const LONG_CVV = '739217'
/** Random digits: ids, ports, times. */
const CHANCE = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|%3A\d+%2F|oauth_timestamp%3D\d+/g
const SECRETS = [SOURCE, DESTINATION, CVV, LONG_CVV]

const { sandbox, gateway } = await serveSandbox([1_000])
const { own, foreign } = await findEndpoints(gateway.engine, sandbox.logins.merchant)

const order = (orderId: string, change: Form = {}) => byRef(orderId, own, change)

const sourceCard = (number: string, cvv2: string) => ({
  credit_card_number: number,
  card_printed_name: 'ANNA NOVAK',
  expire_month: '12',
  expire_year: '2099',
  cvv2,
})

describe('refuses an operation', () => {
  const send = async (path: string, form: Form, id: number | string = own.id) => {
    const answer = await operate(gateway, sandbox.logins.merchant, `${path}/${id}`, form)
    return { status: answer.status, content: JSON.parse(answer.text) }
  }
  const rowsOf = async (orderId: string) => {
    const rows = await reported(gateway, sandbox.logins.merchant)
    return rows.filter((row) => row['Merchant_OID'] === orderId)
  }
  const expectRefused = (answer: Awaited<ReturnType<typeof send>>, code: string) => {
    expect(answer.status).toBe(422)
    expect(answer.content).toMatchObject({ type: 'validation-error', 'error-code': code })
  }

  test('on an endpoint of another merchant and on an unknown one alike', async () => {
    const { 'serial-number': _, ...expected } = (
      await send('v4/transfer-by-ref', order('foreign'), foreign.id)
    ).content
    for (const id of ['99999999', 'abc', `0${own.id}`, '%31']) {
      const { status, content } = await send('v4/transfer-by-ref', order('foreign'), id)
      const { 'serial-number': __, ...unknown } = content
      expect([status, unknown]).toEqual([422, expected])
    }
    expect(expected).toMatchObject({ type: 'validation-error', 'error-code': '113' })
  })

  test.for([
    ['109', { 'destination-card-no': '9001000000000001' }],
    ['111', { amount: '10.423' }],
    ['112', { currency: 'XUA' }],
    ['102', { unknown: '1' }],
    ['107', { order_desc: 'nul \u0000' }],
    ['107', { ipaddress: '4111:1111:1111:1111::' }],
  ] as const)('with the code %s for %j', async ([code, change]) => {
    expectRefused(await send('v4/transfer-by-ref', order(`code-${code}`, change)), code)
    expect(await rowsOf(`code-${code}`)).toEqual([])
  })

  test('with its fields in the query', async () => {
    const { merchant } = sandbox.logins
    const form = order('query')
    const query = `?${encodeForm(Object.entries(form))}`
    for (const body of [form, {}]) {
      const path = `v4/transfer-by-ref/${own.id}`
      const asked = { sandbox, reportUrl: operationUrl(gateway, path) }
      const options = { query, contentType: FORM_TYPE }
      const { text } = await ask(asked, merchant, encodeForm(Object.entries(body)), options)
      expect(JSON.parse(text)).toMatchObject({ 'error-code': '101' })
    }
    expect(await rowsOf('query')).toEqual([])
  })

  test('with a field that moved from the form into the Authorization header', async () => {
    const { order_desc, ...rest } = order('moved')
    const form = encodeForm(Object.entries({ ...rest, order_desc }))
    const reportUrl = operationUrl(gateway, `v4/transfer-by-ref/${own.id}`)
    const { merchant } = sandbox.logins
    const signed = await signRequest({ sandbox, reportUrl }, merchant, form, {
      contentType: FORM_TYPE,
    })
    const { Authorization } = signed.headers
    const moved = `${Authorization},order_desc="${encodeURIComponent(order_desc)}"`
    const answer = await fetch(signed.url, {
      method: 'POST',
      headers: { ...signed.headers, Authorization: moved },
      body: encodeForm(Object.entries(rest)),
    })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ 'error-code': '101' })
    expect(await rowsOf('moved')).toEqual([])
  })
})

// In every other suite, `operate` searches each answer for secrets, `close` the log, and `remove` the data folder.

/** Sends a form with all the card data, and searches the answer for it. */
async function sendSecrets(change: Form, options: object = {}) {
  const { merchant } = sandbox.logins
  const form = {
    ...order('secret', { 'destination-card-no': DESTINATION }),
    ...sourceCard(SOURCE, CVV),
  }
  const path = `v4/transfer/${own.id}`
  const { status, text } = await operate(gateway, merchant, path, { ...form, ...change }, options)
  expect(SECRETS.filter((secret) => text.replaceAll(CHANCE, '').includes(secret))).toEqual([])
  return status
}

test('shows no card number and no verification value in any answer', async () => {
  expect(await sendSecrets({})).toBe(200)
  expect(await sendSecrets({})).toBe(200)
  expect(await sendSecrets({ amount: '99.00' })).toBe(422)
  expect(await sendSecrets({ client_orderid: 'long', cvv2: LONG_CVV })).toBe(422)
  expect(await sendSecrets({ client_orderid: 'elsewhere', expire_year: SOURCE })).toBe(422)
  expect(await sendSecrets({ client_orderid: 'text', order_desc: `card ${SOURCE}` })).toBe(422)
  expect(await sendSecrets({ client_orderid: 'name', [SOURCE]: CVV })).toBe(422)
  expect(await sendSecrets({}, { contentType: 'text/plain' })).toBe(415)
  const body = `credit-card-number=${SOURCE}&cvv2=${CVV}`
  expect(await sendSecrets({}, { body })).toBe(403)
  expect(
    await sendSecrets({}, { key: 'rsa', body: `order_desc=${SOURCE}&pan=${DESTINATION}` }),
  ).toBe(403)
})

test('keeps neither in the log, the store or the ledger, which hold the rest of the form', async () => {
  await reported(gateway, sandbox.logins.merchant)
  const numbers = [SOURCE, DESTINATION, LONG_CVV]
  expect(filesWith(numbers, sandbox.dataDir)).toEqual([])
  expect(filesWith(['ANNA NOVAK'], sandbox.dataDir)).toContainEqual(
    expect.stringContaining('store.sqlite'),
  )
  expect(numbers.filter((number) => gateway.log().includes(number))).toEqual([])
  expect(await rowsWithCards(gateway.engine, sandbox)).toBe(0)
  const database = new DatabaseSync(storeFile(loadConfig(await sandbox.writeConfig())))
  const stored = ['operations', 'ledger_entries'].flatMap((table) => {
    return database.prepare(`SELECT * FROM ${table}`).all()
  })
  database.close()
  expect(stored).toHaveLength(3)
  // Four digits may be a part of a longer number by chance, so they only count alone.
  const isSecret = (value: unknown) =>
    new RegExp(`\\b(${SECRETS.join('|')})\\b`).test(String(value))
  expect(stored.flatMap(Object.values).filter(isSecret)).toEqual([])
})
