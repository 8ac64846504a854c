// @module-tag long

import { expect, onTestFinished, test } from 'vitest'
import { clusterOf, startClickHouse } from '../kit/clickhouse-server.ts'
import { findEndpoints, reported, transfer } from '../kit/operate.ts'
import { runHere } from '../kit/run-here.ts'
import { serve } from '../kit/running-gateway.ts'
import { makeSandbox } from '../kit/sandbox.ts'

test('the next report from a server contains every accepted operation, also of a long batch', async () => {
  const server = await startClickHouse()
  const sandbox = await makeSandbox(1000)
  const change = { engine: { cluster: clusterOf(sandbox.folder, server) } }
  const file = await sandbox.writeConfig(change)
  const copy = await runHere('ledger copy --to cluster', '--config', file)
  expect(copy).toMatchObject({ code: 0 })
  const gateway = await serve(sandbox, change)
  onTestFinished(async () => {
    await gateway.close()
    await server.remove()
    sandbox.remove()
  })
  const { merchant } = sandbox.logins
  const { own } = await findEndpoints(gateway.engine, merchant)
  const order_desc = 'é'.repeat(120)
  const orders = Array.from({ length: 200 }, (_, index) => `order-${index}`)
  const answers = await Promise.all(
    orders.map((order) => transfer(gateway, merchant, own, order, { order_desc })),
  )
  expect(answers.map(({ content }) => content.type)).toEqual(orders.map(() => 'async-response'))
  const rows = await reported(gateway, merchant)
  const reportedOrders = rows.map((row) => row['Merchant_OID'])
  expect(orders.filter((order) => !reportedOrders.includes(order))).toEqual([])
})
