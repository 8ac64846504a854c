// @module-tag long

import { expect, test } from 'vitest'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { findEndpointsIn, reported, transfer } from '../kit/operate.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const OPERATIONS = 200
const AT_ONCE = 20

const sandbox = await useSandbox(1_000)
const { merchant } = sandbox.logins
const { own } = await findEndpointsIn(sandbox, merchant)

async function send(gateway: ChildGateway, orderId: string): Promise<string> {
  const { status, text } = await transfer(gateway, merchant, own, orderId)
  if (status !== 200) throw new Error(text)
  return text
}

async function kill(gateway: ChildGateway): Promise<void> {
  gateway.kill('SIGKILL')
  await gateway.ended
}

test('keeps accepted operations over kill -9, in the next report and in answers to retries', async () => {
  const orderIds = Array.from({ length: OPERATIONS }, (_, place) => `order-${place}`)
  const answered = new Map<string, string>()
  const differing: string[] = []
  for (const enough of [OPERATIONS / 4, OPERATIONS / 2, OPERATIONS]) {
    const gateway = await serveInChild(sandbox)
    const waiting = [...orderIds]
    const sendOthers = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const text = await send(gateway, id)
        if (text !== (answered.get(id) ?? text)) differing.push(id)
        answered.set(id, text)
        if (answered.size >= enough && enough < OPERATIONS) gateway.kill('SIGKILL')
      }
    }
    await Promise.allSettled(Array.from({ length: AT_ONCE }, sendOthers))
    await kill(gateway)
    expect(answered.size).toBeGreaterThanOrEqual(enough)
    expect(answered.size).toBeLessThanOrEqual(Math.min(enough + AT_ONCE, OPERATIONS))
  }
  expect(differing).toEqual([])

  const gateway = await serveInChild(sandbox)
  const rows = await reported(gateway, sandbox.logins.merchant)
  const ids = rows.map((row) => row['Transaction_id'])
  for (const [orderId, text] of answered) {
    const id: unknown = JSON.parse(text)['transaction-id']
    expect([orderId, ids.filter((one) => one === id)]).toEqual([orderId, [id]])
  }
  expect(rows.filter((row) => row['Merchant_OID']?.startsWith('order-'))).toHaveLength(OPERATIONS)
  await kill(gateway)
})
