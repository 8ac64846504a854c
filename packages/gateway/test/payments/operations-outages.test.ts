// @module-tag long

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { ledgerFolder, loadConfig } from '../../src/config/config.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { open, parameters, read } from '../kit/ask.ts'
import { byRef, CARDS, findEndpointsIn, operate, reported, transfer } from '../kit/operate.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { makeSandbox } from '../kit/sandbox.ts'
import { useSandbox } from '../kit/served-sandbox.ts'
import { openStore, storeFile } from '../../../store/src/store/open-store.ts'

const sandbox = await useSandbox()
const { merchant } = sandbox.logins
const { own } = await findEndpointsIn(sandbox, merchant)
let gateway: RunningGateway
afterEach(() => gateway.close())

async function send(orderId: string, card: string = CARDS.approved) {
  return await transfer(gateway, merchant, own, orderId, { 'destination-card-no': card })
}

test('recognises a repeated and a changed form after a restart with a newer master key', async () => {
  gateway = await serve(sandbox)
  const first = await send('rotated')
  await gateway.close()
  const newer = join(sandbox.folder, 'newer.key')
  writeFileSync(newer, randomBytes(32).toString('base64'), { mode: 0o600 })
  const masterKeys = [
    { version: 1, file: join(sandbox.folder, 'master.key') },
    { version: 2, file: newer },
  ]
  gateway = await serve(sandbox, { masterKeys })
  expect(await send('rotated')).toMatchObject({ status: 200, content: first.content })
  expect(await send('rotated', CARDS.declined)).toMatchObject({
    status: 422,
    content: { 'error-code': '114' },
  })
})

test('does not start without the master key of stored form hashes', async () => {
  const other = await makeSandbox(1_000)
  onTestFinished(() => other.remove())
  gateway = await serve(other)
  const first = await operate(
    gateway,
    other.logins.merchant,
    `v4/transfer-by-ref/${own.id}`,
    byRef('first', own),
    { key: 'rsa' },
  )
  expect(first.status).toBe(200)
  await gateway.close()
  const store = await openStore(loadConfig(await other.writeConfig()))
  for (const key of await store.listKeys()) {
    if (key.material.kind === 'control-key') await store.revokeKey(key.keyId, new Date())
  }
  await store.close()
  const newer = join(other.folder, 'newer.key')
  writeFileSync(newer, randomBytes(32).toString('base64'), { mode: 0o600 })
  const starting = serve(other, { masterKeys: [{ version: 2, file: newer }] })
  await expect(starting).rejects.toThrow('Master key 1 is missing in the configuration')
  gateway = await serve(other)
})

test('never reuses an id of the ledger after an older store was restored', async () => {
  gateway = await serve(sandbox)
  const before = await send('before')
  await reported(gateway, merchant)
  await gateway.close()
  const database = new DatabaseSync(storeFile(loadConfig(await sandbox.writeConfig())))
  database.exec('DELETE FROM operations; DELETE FROM ledger_entries')
  database.exec('UPDATE operation_numbers SET last = 0')
  database.close()
  gateway = await serve(sandbox)
  const after = await send('after')
  const [earlier, later] = [before, after].map(({ content }) => BigInt(content['transaction-id']))
  expect(later).toBeGreaterThan(earlier ?? 0n)
})

test('ignores an imported order id outside the range of its own ids', async () => {
  gateway = await serve(sandbox)
  const before = await send('in range')
  await gateway.close()
  const config = loadConfig(await sandbox.writeConfig())
  const engine = await openEngine(config)
  const foreignId = '2120000000000000001'
  await engine.execute(
    `INSERT INTO transactions (transaction_id, order_id, merchant_id, created_at, row_version)
    VALUES ({id:Int64}, {id:Int64}, 2147483647, toDateTime64('2026-01-01', 3, 'UTC'), 1)`,
    { id: foreignId },
  )
  await engine.close()
  gateway = await serve(sandbox)
  const after = await send('still in range')
  const [earlier, later] = [before, after].map(({ content }) => BigInt(content['transaction-id']))
  expect((later ?? 0n) - (earlier ?? 0n)).toBe(10n)
})

test('reports operations that were accepted before a clock was set back', async () => {
  gateway = await serve(sandbox)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  try {
    await send('clock')
    vi.setSystemTime(Date.now() - 60_000)
    const rows = await reported(gateway, merchant)
    expect(rows.filter((row) => row['Merchant_OID'] === 'clock')).toHaveLength(1)
  } finally {
    vi.useRealTimers()
  }
})

test('gives a retry the first answer after its card has expired, and refuses a new order', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  // This test signs with later timestamps, so other tests cannot use its logins.
  const other = await makeSandbox(1_000)
  gateway = await serve(other)
  onTestFinished(() => other.remove())
  const [year = '', month = ''] = new Date().toISOString().split('-')
  const sendFrom = async (orderId: string, change: object = {}) => {
    const card = {
      credit_card_number: CARDS.approved,
      card_printed_name: 'ANNA NOVAK',
      expire_month: month,
      expire_year: year,
      cvv2: '739',
    }
    const form = { ...byRef(orderId, own), ...card, ...change }
    const answer = await operate(gateway, other.logins.merchant, `v4/transfer/${own.id}`, form)
    return { status: answer.status, content: JSON.parse(answer.text) }
  }
  try {
    const first = await sendFrom('kept')
    expect(first.status).toBe(200)
    vi.setSystemTime(Date.now() + 32 * 24 * 60 * 60 * 1000)
    expect(await sendFrom('kept')).toEqual(first)
    expect((await sendFrom('kept', { amount: '1' })).content).toMatchObject({ 'error-code': '114' })
    expect((await sendFrom('new')).content).toMatchObject({ 'error-code': '110' })
  } finally {
    vi.useRealTimers()
  }
})

test('reports the final outcome of a transaction that became final while no gateway ran', async () => {
  gateway = await serve(sandbox)
  await send('meanwhile', CARDS.delayedDeclined)
  await gateway.close()
  await sleep(5_000)
  gateway = await serve(sandbox)
  const rows = await reported(gateway, merchant)
  expect(rows.filter((row) => row['Merchant_OID'] === 'meanwhile')).toMatchObject([
    { Status: 'declined' },
  ])
})

test('accepts an operation without waiting for readers of reports', async () => {
  gateway = await serve(sandbox, { engine: { sessions: 1, queueLength: 0 } })
  const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
  const running = await open(gateway, sandbox.logins.operator, wide)
  const { status, content } = await send('beside')
  expect(status).toBe(200)
  expect(content).toMatchObject({ type: 'async-response' })
  running.destroy()
})

test('accepts operations while its engine is killed, and reports each once when the engine is back', async () => {
  gateway = await serve(sandbox)
  const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
  const running = await open(gateway, sandbox.logins.operator, wide)
  const names: string[] = []
  for (let kill = 0; kill < 3; kill += 1) {
    const file = join(ledgerFolder(loadConfig(await sandbox.writeConfig())), 'status')
    const killed = Number(/^PID: (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1])
    process.kill(killed, 'SIGKILL')
    for (let each = 0; each < 5; each += 1) {
      const name = `killed ${kill} ${each}`
      // The look-up of the endpoint may meet the engine as it dies: 503, and the caller sends the order again.
      await vi.waitFor(async () => expect(await send(name)).toMatchObject({ status: 200 }), 60_000)
      names.push(name)
    }
    await vi.waitFor(() => reported(gateway, merchant), { timeout: 60_000 })
  }
  await expect(read(running)).rejects.toThrow('aborted')
  const rows = await reported(gateway, merchant)
  const found = rows
    .map((row) => row['Merchant_OID'] ?? '')
    .filter((name) => name.startsWith('killed'))
  expect(found.toSorted()).toEqual(names)
})
