import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { runHere as runMerchantCommand } from '../../../counterfoil/test/run-command.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { LIST, signRequest } from '../kit/ask.ts'
import { runHere } from '../kit/run-here.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

const { sandbox, gateway } = await serveSandbox([
  1000,
  ['transactions-list.yaml', 'order-reconciliation.yaml'],
])
const merchants = Array.from({ length: 20 }, (_, index) => String(index + 1))
const shop = await sandbox.addLogin('shop', 'merchant', merchants)
const { merchant } = sandbox.logins

/** Runs the merchant's command in the folder of the sandbox. */
async function run(...args: readonly string[]) {
  return await runAs(shop, args)
}

/** Runs the merchant's command with the key of a login, and with its input. */
async function runAs(login: Login, args: readonly string[], input = '') {
  const env = {
    COUNTERFOIL_ENDPOINT: gateway.reportUrl,
    COUNTERFOIL_LOGIN: login.login,
    COUNTERFOIL_CONTROL_KEY: login.controlKey,
  }
  return await runMerchantCommand(args, { folder: sandbox.folder, env, input })
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

test('a merchant reconciles either report with own orders', async () => {
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
  const period = ['--from', '2026-01-01', '--to', '2026-12-31']
  for (const request of [
    ['transactions-list', ...named],
    ['order-reconciliation', ...period],
  ]) {
    const saved = await run('report', ...request, '-o', 'report.csv', '--overwrite')
    expect(saved.stderr).toMatch(/^Saved report\.csv/)
    await writeShop(({ paid }) => paid)
    const equal = await run('reconcile', 'report.csv', '--orders', 'shop.csv')
    expect(equal.stdout).toContain(`${orders.length} orders agree, 0 differ.`)
    expect(equal).toMatchObject({ code: 0, stderr: '' })
    const changed = orders.find(({ state }) => state === 'paid')
    await writeShop((order) => (order === changed ? `${order.paid}1` : order.paid))
    const other = await run('reconcile', 'report.csv', '--orders', 'shop.csv', '--json')
    expect(other.code).toBe(1)
    expect(JSON.parse(other.stdout.split('\n')[0] ?? '')).toMatchObject({
      orderId: changed?.id,
      differs: ['amount'],
    })
  }
})

test('a merchant creates a key pair, the operator adds its public key, and the merchant gets a report', async () => {
  const { code, stdout } = await run('keygen', 'shop', '--bits', '2048')
  expect(code).toBe(0)
  const [, fingerprint = ''] = /fingerprint {2}(\S+)/.exec(stdout) ?? []
  const config = await sandbox.writeConfig()
  const publicKey = join(sandbox.folder, 'shop-public.pem')
  const add = ['keys', 'add', shop.login, '--public-key', publicKey, '--config', config]
  const added = await runHere(...add)
  expect(added.stderr).toContain(`(RSA-SHA256, ${fingerprint}) to ${shop.login}.`)
  const key = ['--private-key', 'shop-private.pem']
  const saved = await run('report', 'transactions-list', ...key, '-o', 'signed.csv')
  expect(saved.stderr).toMatch(/^Saved signed\.csv/)
})

/** Runs `counterfoil explain` with the merchant's key. */
async function explain(curl: string, args: readonly string[] = ['--gateway']) {
  return await runAs(merchant, ['explain', ...args], curl)
}

/** The curl command line of a request that was signed for another URL, or later changed. */
async function curlOf(
  url: string,
  {
    signedUrl = url,
    form,
    sentForm = form,
  }: { signedUrl?: string; form?: string; sentForm?: string },
): Promise<string> {
  const contentType = form === undefined ? 'application/json' : FORM_TYPE
  const asked = { sandbox, reportUrl: signedUrl }
  const { headers } = await signRequest(asked, merchant, form ?? LIST, { contentType })
  const body = sentForm ?? JSON.stringify(LIST)
  return `curl '${url}' -H 'Authorization: ${headers['Authorization']}' -H 'Content-Type: ${contentType}' --data-raw '${body}'`
}

test('compares with the base string of the sandbox', async () => {
  const curl = await curlOf(gateway.reportUrl, { signedUrl: `${gateway.reportUrl}/` })
  const { code, stdout, stderr } = await explain(curl)
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
  expect(stdout).toContain('(url-trailing-slash)')
  expect(stdout).toContain('The sandbox says: You signed the path with a slash at its end')
  expect(stdout).toContain('The sandbox builds the same base string as this command.')
})

test('sees through the masks of the sandbox, and shows where its address differs', async () => {
  const card = '9001000000000018'
  const form = `credit_card_number=${card}&cvv2=123&order_desc=a%20b`
  const url = new URL('/gate/api/v4/transfer/1144', gateway.reportUrl).href
  const masked = await explain(await curlOf(url, { form, sentForm: `${form}&z=1` }))
  expect(masked.stdout).toContain('The sandbox builds the same base string as this command.')
  const localhost = url.replace('127.0.0.1', 'localhost')
  const { code, stdout } = await explain(await curlOf(localhost, { form, sentForm: `${form}&z=1` }))
  expect(code).toBe(1)
  expect(stdout).toContain('The sandbox signs another URL than you sent')
  expect(stdout).toMatch(
    /in the URL\n {2}sandbox {2}POST&http%3A%2F%2F127[^]*\n {2}here {5}POST&http%3A%2F%2Flocal/,
  )
})
