import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import {
  byRef,
  findEndpoints,
  type Form,
  operate,
  type OwnEndpoint,
  reported,
} from '../kit/operate.ts'
import { rowsWithCards } from '../kit/running-gateway.ts'
import { filesWith } from '../kit/sandbox.ts'
import { storeFile } from '../../src/store/open-store.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

// In every other suite, `operate` searches each answer for secrets, `close` the log, and `remove` the data folder.

const SOURCE = '4111111111111111'
const DESTINATION = '5555555555554444'
const CVV = '4217'
/** Too long for a verification value, and so long that it never occurs by chance. */
const LONG_CVV = '739217'
/** Random digits: ids, ports, times. */
const CHANCE = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|%3A\d+%2F|oauth_timestamp%3D\d+/g
const SECRETS = [SOURCE, DESTINATION, CVV, LONG_CVV]

const { sandbox, gateway } = await serveSandbox([1_000])
let own: OwnEndpoint
let form: Form
beforeAll(async () => {
  ;({ own } = await findEndpoints(gateway.engine, sandbox.logins.merchant))
  form = {
    ...byRef('secret', own, { 'destination-card-no': DESTINATION }),
    credit_card_number: SOURCE,
    card_printed_name: 'ANNA NOVAK',
    expire_month: '12',
    expire_year: '2099',
    cvv2: CVV,
  }
})

async function send(change: Form, options: object = {}) {
  const { merchant } = sandbox.logins
  const path = `v4/transfer/${own.id}`
  const { status, text } = await operate(gateway, merchant, path, { ...form, ...change }, options)
  expect(SECRETS.filter((secret) => text.replaceAll(CHANCE, '').includes(secret))).toEqual([])
  return status
}

test('shows no card number and no verification value in any answer', async () => {
  expect(await send({})).toBe(200)
  expect(await send({})).toBe(200)
  expect(await send({ amount: '99.00' })).toBe(422)
  expect(await send({ client_orderid: 'long', cvv2: LONG_CVV })).toBe(422)
  expect(await send({ client_orderid: 'elsewhere', expire_year: SOURCE })).toBe(422)
  expect(await send({ client_orderid: 'text', order_desc: `card ${SOURCE}` })).toBe(422)
  expect(await send({ client_orderid: 'name', [SOURCE]: CVV })).toBe(422)
  expect(await send({}, { contentType: 'text/plain' })).toBe(415)
  const body = `credit-card-number=${SOURCE}&cvv2=${CVV}`
  expect(await send({}, { body })).toBe(403)
  expect(await send({}, { key: 'rsa', body: `order_desc=${SOURCE}&pan=${DESTINATION}` })).toBe(403)
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

test('finds secrets that this test puts into the ledger', async () => {
  const planted = { cardNumbers: new Set(['6304000000000000000']), cvvs: new Set(['98765']) }
  expect(await rowsWithCards(gateway.engine, planted)).toBe(0)
  for (const [id, text] of ['for 6304000000000000000', '98765', '987654'].entries()) {
    const sql = `INSERT INTO transactions (transaction_id, order_id, order_description)
      VALUES ({id:Int64}, 2000000000000000001, {text:String})`
    await gateway.engine.execute(sql, { id, text })
  }
  expect(await rowsWithCards(gateway.engine, planted)).toBe(2)
})
