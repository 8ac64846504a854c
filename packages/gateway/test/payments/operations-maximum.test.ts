// @module-tag long

import { afterEach, expect, test } from 'vitest'
import { findEndpointsIn, reported, transfer } from '../kit/operate.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import type { Login } from '../kit/sandbox.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const sandbox = await useSandbox(1_000)
const { merchant } = sandbox.logins
const { own } = await findEndpointsIn(sandbox, merchant)
const other = await sandbox.addLogin('another-shop', 'merchant', merchant.sees)
let gateway: RunningGateway
afterEach(() => gateway.close())

async function send(login: Login, orderId: string, amount = '10.42') {
  const { status, content } = await transfer(gateway, login, own, orderId, { amount })
  return { status, content }
}

test('refuses a new operation of a login with the maximum, and answers its retries and reports', async () => {
  const refusal = {
    status: 422,
    content: {
      type: 'validation-error',
      'error-code': '115',
      'error-message':
        'Your login has too many operations. The sandbox accepts at most 100000 operations of a login in a day (UTC), ' +
        'and stores 3. ' +
        'Ask the operator to raise payments.perLoginAndDayMax or payments.perLoginMax',
      'serial-number': expect.any(String),
    },
  }
  gateway = await serve(sandbox, { payments: { perLoginMax: 3 } })
  const orders = ['one', 'two', 'three']
  const accepted: unknown[] = []
  for (const order of orders) accepted.push(await send(merchant, order))
  expect(accepted).toMatchObject(orders.map(() => ({ status: 200 })))
  expect(await send(merchant, 'four')).toEqual(refusal)
  expect(gateway.lines().at(-1)).toMatchObject({ login: 'merchant', code: 'too-many-operations' })
  expect(await send(other, 'four')).toMatchObject({ status: 200 })

  await gateway.close()
  gateway = await serve(sandbox, { payments: { perLoginMax: 3 } })
  expect(await send(merchant, 'four')).toEqual(refusal)
  // A fault in the form comes first.
  expect((await send(merchant, 'four', '0.001')).content).toMatchObject({ 'error-code': '111' })
  expect((await send(merchant, 'one', '1.00')).content).toMatchObject({ 'error-code': '114' })
  for (const [index, order] of orders.entries()) {
    expect(await send(merchant, order)).toEqual(accepted[index])
  }
  const rows = await reported(gateway, merchant)
  expect(new Set(rows.map((row) => row['Merchant_OID']))).toEqual(new Set([...orders, 'four']))
})

test('refuses more new operations of a login in a day than configured', async () => {
  gateway = await serve(sandbox, { payments: { perLoginAndDayMax: 2 } })
  const shop = await sandbox.addLogin('daily-shop', 'merchant', merchant.sees)
  for (const order of ['1', '2']) expect(await send(shop, order)).toMatchObject({ status: 200 })
  const refused = await send(shop, '3')
  expect(refused).toMatchObject({ status: 422, content: { 'error-code': '115' } })
  expect(refused.content['error-message']).toContain('at most 2 operations of a login in a day')
  // A retry still gets its first answer.
  expect(await send(shop, '1')).toMatchObject({ status: 200 })
})
