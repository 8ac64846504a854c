// @module-tag long

import { afterAll, expect, test } from 'vitest'
import { REPORT_COLUMNS } from '../../../ledger/src/model/names.ts'
import { startClickHouse, clusterOf } from '../kit/clickhouse-server.ts'
import { type Ended, runHere } from '../kit/run-here.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const sandbox = await useSandbox(6000, [])
const servers = [await startClickHouse(), await startClickHouse()] as const
const cluster = clusterOf(sandbox.folder, ...servers)
const file = await sandbox.writeConfig({ engine: { cluster } })
afterAll(async () => {
  for (const server of servers) await server.remove()
})

async function copy(): Promise<Ended> {
  return await runHere('ledger copy --to cluster', '--config', file)
}

/** Returns the printed lines of pieces that the command copied. */
function copied({ stdout }: Ended): readonly string[] {
  return stdout.split('\n').filter((line) => line.includes(': copied '))
}

test('copies every table to each server', async () => {
  const ended = await copy()
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Next: start') })
  expect(copied(ended).join('\n')).toMatch(/^transactions 202610: copied [1-9]\d* rows$/m)
  for (const table of Object.keys(REPORT_COLUMNS)) expect(ended.stdout).toContain(table)
  const [first, second] = servers
  for (const table of ['transactions', 'merchants']) {
    const sql = `SELECT count() > 0, sum(cityHash64(*)) FROM ${table} FINAL`
    expect(await first.run(sql)).toMatch(/^1\t/)
    expect(await first.run(sql)).toBe(await second.run(sql))
  }
})

test('copies nothing that is there', async () => {
  const ended = await copy()
  expect(ended.code).toBe(0)
  expect(copied(ended)).toEqual([])
})

test('goes on where it stopped, and copies no row twice', async () => {
  const [first, second] = servers
  const sql = 'SELECT count(), sum(amount) FROM transactions FINAL'
  const before = await second.run(sql)
  await second.run('ALTER TABLE transactions DROP PARTITION 202610')
  await first.run('TRUNCATE TABLE merchants')
  expect(await second.run(sql)).not.toBe(before)
  const ended = await copy()
  expect(ended.code).toBe(0)
  expect(copied(ended)).toEqual([
    expect.stringMatching(/^transactions 202610: /),
    expect.stringMatching(/^merchants: /),
  ])
  expect(await second.run(sql)).toBe(before)
})

test('completes a month of which a server has some rows', async () => {
  const [{ run }] = servers
  const sql = 'SELECT count(), sum(amount) FROM transactions FINAL'
  const before = await run(sql)
  await run(`INSERT INTO transactions SELECT * REPLACE (row_version - 1 AS row_version)
    FROM transactions WHERE toInt64(transaction_id) % 2 = 1 LIMIT 100`)
  await run(`ALTER TABLE transactions DELETE WHERE toInt64(transaction_id) % 2 = 0
    SETTINGS mutations_sync = 1`)
  expect(await run(sql)).not.toBe(before)
  expect((await copy()).code).toBe(0)
  expect(await run(sql)).toBe(before)
})

const COLUMNS = 'transaction_id, merchant_id, created_at, updated_at'

test.each([
  ['a row that the embedded ledger lacks', '202610', '2026-10-05 10:00:00', 1],
  ['a row of another month', '202005', '2020-05-01 00:00:00', 1],
])('refuses a cluster with %s, and inserts nothing', async (_, month, createdAt, id) => {
  await servers[0].run(
    `INSERT INTO transactions (${COLUMNS}) VALUES (${id}, 2, '${createdAt}', '${createdAt}')`,
  )
  expect(await copyWithoutMerchants()).toEqual(refused(month))
  for (const { run } of servers) {
    await run(`ALTER TABLE transactions DELETE WHERE transaction_id = '${id}'
      SETTINGS mutations_sync = 1`)
  }
})

test('refuses a cluster with a newer version of a row, and inserts nothing', async () => {
  await servers[0].run(`INSERT INTO transactions (${COLUMNS})
    SELECT transaction_id, merchant_id, created_at, updated_at + INTERVAL 1 DAY
    FROM transactions FINAL WHERE toYYYYMM(created_at) = 202610 LIMIT 1`)
  expect(await copyWithoutMerchants()).toEqual(refused('202610'))
})

/** Copies to servers of which the first has no merchants, and returns also whether the copy inserted nothing. */
async function copyWithoutMerchants() {
  const [{ run }] = servers
  await run('TRUNCATE TABLE merchants')
  const sql = `SELECT (SELECT count() FROM transactions), count() FROM merchants`
  const before = await run(sql)
  return { ...(await copy()), insertedNothing: (await run(sql)) === before }
}

/** The end of a copy that refuses a month. */
const refused = (month: string): object => ({
  code: 1,
  stdout: '',
  stderr: expect.stringContaining(`rows in transactions ${month} that the embedded ledger lacks`),
  insertedNothing: true,
})

test('refuses a configuration without ClickHouse servers', async () => {
  const config = await sandbox.writeConfig()
  const { code, stderr } = await runHere('ledger copy --to cluster', '--config', config)
  expect(code).toBe(1)
  expect(stderr).toContain('Add engine.cluster to')
})
