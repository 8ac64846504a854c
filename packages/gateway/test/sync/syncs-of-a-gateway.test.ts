import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ask, LIST, parameters, readCatalogue } from '../kit/ask.ts'
import { freePort } from '../kit/free-port.ts'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { readMetrics } from '../kit/read-metrics.ts'
import { runHere } from '../kit/run-here.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { filesWith, makeSandbox, type Sandbox } from '../kit/sandbox.ts'
import { PAYMENTS, SOURCE } from './sync-kit.ts'

const PASSWORD = 'not/a secret'

let postgres: PostgresServer
let client: pg.Client
let sandbox: Sandbox
let gateway: RunningGateway
let source: string
let metrics: number
beforeAll(async () => {
  postgres = await startPostgres()
  client = await postgres.connect()
  await client.query(`SET search_path = public; ${PAYMENTS}`)
  await client.query("INSERT INTO payments VALUES (1, 'm', 1050, 'EUR', 'approved', now(), now())")
  sandbox = await makeSandbox(0)
  source = join(sandbox.folder, 'payments.sql')
  writeFileSync(source, SOURCE)
  metrics = await freePort()
  gateway = await serve(sandbox, {
    databases: { shop: postgres.settings },
    syncs: [{ source, schedule: '0 0 1 1 *' }],
    dataLagMinutes: 60,
    metrics: { port: metrics },
  })
})
afterAll(async () => {
  await gateway.close()
  sandbox.remove()
  await client.end().catch(() => {})
  await postgres.remove()
})

/** A day in UTC, some days after today. */
const dayAfter = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const command = async (...args: readonly string[]) => {
  return await runHere(...args, '--config', gateway.config)
}

async function untilStatus(pattern: RegExp): Promise<string> {
  for (;;) {
    const { stdout } = await command('status')
    if (pattern.test(stdout)) return stdout
    await sleep(200)
  }
}

test('a gateway syncs when it starts, and says how far each source goes', async () => {
  const status = await untilStatus(/payments +\d{4}/)
  expect(status).toMatch(/payments +\S+Z +\d+ s +1 +0 +0\n/)
  const logged = 'sync of payments: 1 rows taken, 0 deleted, 0 refused'
  await vi.waitFor(() => expect(gateway.log()).toContain(logged))
  const ready = await fetch(`http://127.0.0.1:${gateway.port}/readyz`)
  expect(await ready.json()).toMatchObject({
    status: 'ok',
    sources: [{ source: 'payments', isFailing: false }],
  })
  const samples = await readMetrics(metrics)
  expect(samples['counterfoil_sync_failed{source="payments"}']).toBe(0)
  expect(samples['counterfoil_sync_timestamp_seconds{source="payments"}']).toBeGreaterThan(1e9)
})

test('each report, its run and the catalogue say how far the syncs go', async () => {
  const { operator } = sandbox.logins
  const report = await ask(gateway, operator, LIST)
  const syncedAt = String(report.headers['counterfoil-synced-at'])
  expect(Date.now() - Date.parse(syncedAt)).toBeLessThan(600_000)
  const runs = { ...gateway, reportUrl: `${gateway.reportUrl}/runs` }
  await vi.waitFor(async () => {
    const { text } = await ask(runs, operator, '')
    expect(JSON.parse(text)).toMatchObject({ runs: [{ syncedAt }] })
  })
  expect(await readCatalogue(gateway, operator)).toMatchObject({ syncedAt })
})

test('a report is a problem if its period ended after the newest sync', async () => {
  const reportTo = async (dateTo: string) => {
    const period = { dateFrom: dayAfter(-3), dateTo, timezone: 'UTC' }
    return await ask(gateway, sandbox.logins.operator, { ...LIST, ...parameters(period) })
  }
  expect((await reportTo(dayAfter(1))).status).toBe(200)
  const late = await reportTo(new Date().toISOString().slice(0, 19).replace('T', ' '))
  expect(late.status).toBe(503)
  expect(JSON.parse(late.text)).toMatchObject({ code: 'not-synced' })
  expect(JSON.parse(late.text)['detail']).toMatch(/^The data goes to 2\S+Z, and this report needs/)
})

test('the commands try and sync a source beside the gateway', async () => {
  await client.query("INSERT INTO payments VALUES (2, 'm', 200, 'ZZZ', 'approved', now(), now())")
  const tried = await command('try', source)
  expect(tried.stdout).toMatch(/key 2: .*currency: expected a currency/)
  expect(tried.stdout).toMatch(/key 1: unchanged\n.*cents="1050".*\n.*amount="10.5"/)
  expect(tried.code).toBe(3)
  const synced = await command('sync', source)
  expect(synced).toMatchObject({ code: 3, stderr: expect.stringContaining('lacks 1 rows') })
  expect(synced.stdout).toMatch(/^1 row: 0 taken, 0 unchanged, 0 older, 1 refused/)
  await client.query('DELETE FROM payments')
  const deleted = await command('sync', source)
  expect(deleted).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Deleted from the ledger: 1'),
  })
  expect((await command('sync', source)).stdout).toBe('The database has not changed.\n')
})

test('a command names a source of the wrong kind', async () => {
  const files = join(sandbox.folder, 'files.sql')
  writeFileSync(files, 'SELECT * FROM file')
  expect((await command('sync', files)).stderr).toContain('only a database can be synced')
  expect((await command('try', files)).stderr).toContain('expected a file')
  const imported = await command('import', source, files)
  expect(imported.stderr).toContain('Use "counterfoil-gateway sync"')
})

test('a database that is away leaves the ledger as it was, and no secret anywhere', async () => {
  await client.end()
  await postgres.stop()
  const failed = await command('sync', source)
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('the database shop: ') })
  const status = await untilStatus(
    /The sync of payments at \S+ failed: the database shop: .*ECONNREFUSED/,
  )
  expect((await readMetrics(metrics))['counterfoil_sync_failed{source="payments"}']).toBe(1)
  expect(status + gateway.log() + failed.stderr).not.toContain(PASSWORD)
  expect(filesWith([PASSWORD], sandbox.folder)).toEqual([])
})
