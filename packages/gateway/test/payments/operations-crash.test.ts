// @module-tag long

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { byRef, findEndpointsIn, operate, type OwnEndpoint, reported } from '../kit/operate.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const OPERATIONS = 200
const AT_ONCE = 20

let sandbox: Sandbox
let own: OwnEndpoint
beforeAll(async () => {
  sandbox = await makeSandbox(1_000)
  ;({ own } = await findEndpointsIn(sandbox, sandbox.logins.merchant))
})
afterAll(() => sandbox.remove())

async function send(gateway: ChildGateway, orderId: string): Promise<string> {
  const path = `v4/transfer-by-ref/${own.id}`
  const answer = await operate(gateway, sandbox.logins.merchant, path, byRef(orderId, own))
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.text
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
