import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { runHere as runMerchantCommand } from '../../../counterfoil/test/run-command.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([
  1000,
  ['transactions-list.yaml', 'order-reconciliation.yaml'],
])
const merchants = Array.from({ length: 20 }, (_, index) => String(index + 1))
const shop = await sandbox.addLogin('shop', 'merchant', merchants)

/** Runs the merchant's command in the folder of the sandbox. */
async function run(...args: readonly string[]) {
  const env = {
    COUNTERFOIL_ENDPOINT: gateway.reportUrl,
    COUNTERFOIL_LOGIN: shop.login,
    COUNTERFOIL_CONTROL_KEY: shop.controlKey,
  }
  return await runMerchantCommand(args, { folder: sandbox.folder, env })
}

/** The orders of the merchant as a shop would keep them, computed from the ledger without a report. */
async function readShopOrders() {
  const ofType = (...types: readonly string[]) => {
    const names = types.map((type) => `'${type}'`).join(', ')
    return `status = 'approved' AND transaction_type IN (${names})`
  }
  const sql = `SELECT client_order_id AS id, any(t.currency) AS currency,
      toString(sumIf(amount, ${ofType('sale', 'capture')})) AS paid,
      multiIf(countIf(${ofType('chargeback')}) > 0, 'chargeback',
        countIf(${ofType('reversal')}) > 0
          AND sumIf(amount, ${ofType('reversal')}) >= sumIf(amount, ${ofType('sale', 'capture')}), 'refunded',
        countIf(${ofType('sale', 'capture')}) > 0, 'paid', 'failed') AS state
    FROM transactions AS t WHERE merchant_id IN ({merchants:Array(String)})
      AND transaction_type NOT IN ('payout', 'transfer', 'account_verification', 'pan_eligibility')
    GROUP BY id HAVING uniqExact(t.currency) = 1`
  const shape = z.object({
    id: z.string(),
    currency: z.string(),
    paid: z.string(),
    state: z.string(),
  })
  return await readRows(gateway.engine, shape, { sql, parameters: { merchants } })
}

test('a merchant reconciles a report with own orders', async () => {
  const orders = await readShopOrders()
  expect(orders.length).toBeGreaterThan(20)
  expect(new Set(orders.map(({ state }) => state)).size).toBeGreaterThan(2)
  const writeShop = (change: (order: (typeof orders)[number]) => string) => {
    const lines = orders.map(
      (order) => `${order.id};${change(order)};${order.currency};${order.state}`,
    )
    return writeFile(
      join(sandbox.folder, 'shop.csv'),
      `Order;Total;Currency;Status\n${lines.join('\n')}\n`,
    )
  }
  const columns = ['Merchant_OID', 'Amount', 'Currency', 'Transaction_type', 'Status']
  const named = columns.flatMap((column) => ['--column', column])
  const saved = await run('report', 'transactions-list', ...named, '-o', 'report.csv')
  expect(saved.stderr).toMatch(/^Saved report\.csv/)
  await writeShop(({ paid }) => paid)
  const equal = await run('reconcile', 'report.csv', '--orders', 'shop.csv')
  expect(equal.stdout).toContain(`${orders.length} orders agree, 0 differ.`)
  expect(equal).toMatchObject({ code: 0, stderr: '' })
  const changed = orders.find(({ state }) => state === 'paid')
  await writeShop((order) => (order === changed ? `${order.paid}1` : order.paid))
  const other = await run('reconcile', 'report.csv', '--orders', 'shop.csv')
  expect(other.code).toBe(1)
  expect(other.stdout).toContain('The amount differs: 1\n')
  expect(other.stdout).toContain(`\n  ${changed?.id} `)
})
