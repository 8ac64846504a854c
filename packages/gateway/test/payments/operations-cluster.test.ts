// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startClickHouse, type TestServer, USER } from '../kit/clickhouse-server.ts'
import { byRef, findEndpoints, operate, type OwnEndpoint, reported } from '../kit/operate.ts'
import { runHere } from '../kit/run-here.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

let sandbox: Sandbox
let server: TestServer
let gateway: RunningGateway
let own: OwnEndpoint

beforeAll(async () => {
  server = await startClickHouse()
  sandbox = await makeSandbox(1000)
  const passwordFile = join(sandbox.folder, 'clickhouse-password')
  writeFileSync(passwordFile, USER.password, { mode: 0o600 })
  const cluster = { urls: [server.url], user: USER.user, passwordFile }
  const file = await sandbox.writeConfig({ engine: { cluster } })
  const { code, stderr } = await runHere('ledger', 'copy', '--to', 'cluster', '--config', file)
  if (code !== 0) throw new Error(stderr)
  gateway = await serve(sandbox, { engine: { cluster } })
  ;({ own } = await findEndpoints(gateway.engine, sandbox.logins.merchant))
})
afterAll(async () => {
  await gateway.close()
  await server.remove()
  sandbox.remove()
})

test('the next report from a server contains every accepted operation, also of a long batch', async () => {
  const { merchant } = sandbox.logins
  const order_desc = 'é'.repeat(120)
  const orders = Array.from({ length: 200 }, (_, index) => `order-${index}`)
  const answers = await Promise.all(
    orders.map(async (order) => {
      return await operate(
        gateway,
        merchant,
        `v4/transfer-by-ref/${own.id}`,
        byRef(order, own, { order_desc }),
      )
    }),
  )
  expect(answers.map(({ text }) => JSON.parse(text).type)).toEqual(
    orders.map(() => 'async-response'),
  )
  const rows = await reported(gateway, merchant)
  const reportedOrders = rows.map((row) => row['Merchant_OID'])
  expect(orders.filter((order) => !reportedOrders.includes(order))).toEqual([])
})
