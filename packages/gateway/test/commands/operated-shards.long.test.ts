import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.ts'
import { type Command, runCommand } from '../kit/child-gateway.ts'
import { type TestServer, USER } from '../kit/clickhouse-server.ts'
import { CLUSTER, startShards } from '../kit/clickhouse-shards.ts'
import { freePort } from '../kit/free-port.ts'
import { readMetrics } from '../kit/read-metrics.ts'
import { type Ended, runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

// The steps of docs/operations.md from an embedded ledger to shards, with the users of that page. The tests follow each
// other.

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/operations.md'), 'utf8')

let sandbox: Sandbox
let shards: readonly [TestServer, TestServer]
let file: string
let origin: string
let metricsPort: number
let gateway: Command | undefined
beforeAll(async () => {
  shards = await startShards()
  sandbox = await makeSandbox(6000, [])
  const passwordFile = join(sandbox.folder, 'clickhouse-password')
  writeFileSync(passwordFile, USER.password, { mode: 0o600 })
  const urls = shards.map(({ url }) => url)
  const cluster = { urls, name: CLUSTER, user: USER.user, passwordFile }
  const port = await freePort()
  metricsPort = await freePort()
  origin = `http://127.0.0.1:${port}`
  file = await sandbox.writeConfig({
    engine: { cluster },
    publicUrl: origin,
    listen: { host: '127.0.0.1', port },
    metrics: { port: metricsPort },
  })
})
afterAll(async () => {
  await stop()
  for (const shard of shards) await shard.remove()
  sandbox.remove()
})

async function start(): Promise<Command> {
  gateway = runCommand(['serve', '--config', file])
  await gateway.line(/"listening on /)
  return gateway
}

async function stop(): Promise<void> {
  gateway?.kill('SIGTERM')
  await gateway?.ended
}

async function copy(): Promise<Ended> {
  return await runHere('ledger', 'copy', '--to', 'cluster', '--config', file)
}

test('a gateway on an empty cluster warns of the embedded ledger, and no copy runs beside it', async () => {
  const first = await start()
  expect(await first.line(/has no transactions/)).toContain('ledger copy --to cluster')
  expect(await copy()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('A gateway listens on '),
  })
  await stop()
  expect((await copy()).code).toBe(0)
})

test('the next start checks no report file again, and neither does a reload', async () => {
  const second = await start()
  await second.line(/all \d report files passed their check before/)
  expect(second.stdout()).not.toContain('has no transactions')
  const { stdout: printed } = await runHere('reload', '--config', file)
  expect(printed).toContain('No report file has changed since its check.\n')
  sandbox.keepChecks()
})

test('a reload checks all report files again after a change of a server', async () => {
  const [{ run }] = shards
  await run('CREATE FUNCTION counterfoil_test AS (x) -> x + 1')
  expect((await runHere('reload', '--config', file)).stdout).toMatch(
    /^Checked (\d) of \1 report files\.$/m,
  )
  await run('DROP FUNCTION counterfoil_test')
})

test('status counts the rows of all shards', async () => {
  const { code, stdout } = await runHere('status', '--config', file)
  expect(code).toBe(0)
  expect(stdout).toContain('The gateway has run since ')
  for (const table of ['transactions', 'statements']) {
    const rows = Number(await shards[0].run(`SELECT count() FROM ${table}_distributed`))
    expect(rows).toBeGreaterThan(100)
    expect(stdout).toMatch(new RegExp(`^${table} +${rows.toLocaleString('en-US')} *$`, 'm'))
  }
  expect(stdout).toMatch(/^merchants +[1-9]\d* +\d+\.\d$/m)
  expect(stdout).toMatch(/^Newest transaction: 2026-/m)
})

test('the metrics have every value', async () => {
  const names = [
    'engine_memory_bytes',
    'newest_transaction_timestamp_seconds',
    'outbox_lag_seconds',
  ]
  expect(Object.keys(await readMetrics(metricsPort))).toEqual(
    expect.arrayContaining(names.map((name) => `counterfoil_${name}`)),
  )
})

test('a corrected row of the page replaces the row, without a row_version', async () => {
  const [, insert = ''] = /^ *(INSERT INTO transactions_distributed [^]*?)^ *```/m.exec(PAGE) ?? []
  expect(insert).toContain('distributed_foreground_insert = 1')
  await shards[0].run(insert)
  await shards[1].run(
    insert.replaceAll("'processing'", "'approved'").replaceAll('10:00:01', '10:00:02'),
  )
  await shards[0].run(insert)
  const sql = `SELECT groupArray(status) FROM transactions_distributed FINAL
    WHERE client_order_id = 'order-1'`
  expect(await shards[0].run(sql)).toBe("['approved']\n")
})

test('a gateway is not ready while a shard hangs or is dead, and logs the cause once', async () => {
  const readyStatus = async (): Promise<number> => {
    await sleep(LIMITS.readyCacheMs + 100)
    return (await fetch(`${origin}/readyz`)).status
  }
  expect(await readyStatus()).toBe(200)
  shards[1].freeze()
  expect(await readyStatus()).toBe(503)
  await shards[1].kill()
  expect(await readyStatus()).toBe(503)
  const failures = gateway?.stdout().match(/cannot read whether the gateway is ready/g)
  expect(failures).toHaveLength(1)
})
