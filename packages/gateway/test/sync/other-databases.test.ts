// @module-tag long

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer, usersXml } from '../kit/clickhouse-server.ts'
import { HAS_MYSQL, type MysqlServer, startMysql } from '../kit/mysql-server.ts'
import { type LedgerPayment, openSyncKit } from './sync-kit.ts'

/** The statements of a database that change its payments, one after the other. */
interface Changes {
  readonly create: string
  readonly change: string
  readonly remove: string
  readonly add: string
}

const CLICKHOUSE: Changes = {
  create: `CREATE TABLE payments ENGINE = MergeTree ORDER BY id AS
    SELECT number AS id, 'a "quoted" merchant' AS merchant, number * 100 AS cents, 'EUR' AS currency,
      'approved' AS state, toDateTime64('2026-11-20 10:00:00.5', 6, 'Asia/Tokyo') AS created_at,
      now64(6) - INTERVAL 1 HOUR AS updated_at FROM numbers(3)`,
  change: 'ALTER TABLE payments UPDATE cents = 950 WHERE id = 1 SETTINGS mutations_sync = 1',
  remove: 'ALTER TABLE payments DELETE WHERE id = 2 SETTINGS mutations_sync = 1',
  add: `INSERT INTO payments SELECT 4, 'm', 1, 'JPY', 'approved', now64(6), now64(6)`,
}

// A TIMESTAMP is read in UTC, whatever zone the server has.
const MYSQL: Changes = {
  create: `CREATE TABLE payments (id bigint PRIMARY KEY, merchant varchar(50), cents bigint, currency char(3),
    state varchar(20), created_at timestamp(6), updated_at timestamp(6)) AS
    SELECT id, 'a "quoted" merchant' AS merchant, id * 100 AS cents, 'EUR' AS currency, 'approved' AS state,
      '2026-11-20 10:00:00.5' AS created_at, now(6) - INTERVAL 1 HOUR AS updated_at
    FROM (SELECT 0 AS id UNION SELECT 1 UNION SELECT 2) AS ids`,
  change: 'UPDATE payments SET cents = 950, updated_at = updated_at WHERE id = 1',
  remove: 'DELETE FROM payments WHERE id = 2',
  add: `INSERT INTO payments SELECT 4, 'm', 1, 'JPY', 'approved', now(6), now(6)`,
}

const SYNCED = [
  { id: 'p-0', merchant: 'a "quoted" merchant', amount: '0' },
  { id: 'p-1', amount: '9.5' },
  { id: 'p-4', amount: '1' },
]

let folder: string
let clickHouse: TestServer
let mysql: MysqlServer | undefined
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  writeFileSync(join(folder, 'password'), '\n', { mode: 0o600 })
  clickHouse = await startServer({ users: usersXml() })
  if (HAS_MYSQL) mysql = await startMysql()
})
afterAll(async () => {
  await clickHouse.remove()
  await mysql?.remove()
  rmSync(folder, { recursive: true })
})

async function syncTwice(
  url: string,
  run: (sql: string) => Promise<unknown>,
  { create, change, remove, add }: Changes,
  select?: string,
): Promise<readonly LedgerPayment[]> {
  const kit = await openSyncKit({ url, passwordFile: join(folder, 'password') })
  try {
    await run(create)
    const sync = async () => await kit.sync({}, select === undefined ? {} : { select })

    expect(await sync()).toMatchObject({ judged: { taken: 3 }, refused: 0 })
    expect(await sync()).toMatchObject({ judged: undefined })
    await run(change)
    await run(remove)
    await run(add)
    expect(await sync()).toMatchObject({ judged: { taken: 2, replaced: 1 }, deleted: 1 })
    const [first] = await kit.times()
    expect(first).toBe('2026-11-20 01:00:00.500')
    const payments = await kit.payments()
    await expect(kit.sync({ query: 'SELECT * FROM missing' })).rejects.toThrow(
      /the database shop: .*missing/,
    )
    return payments
  } finally {
    await kit.close()
  }
}

test('a sync of ClickHouse brings new, changed and deleted rows', async () => {
  const { port } = new URL(clickHouse.url)
  const payments = await syncTwice(
    `http://default@127.0.0.1:${port}/default`,
    clickHouse.run,
    CLICKHOUSE,
  )
  expect(payments).toMatchObject(SYNCED)
})

test.skipIf(!HAS_MYSQL)('a sync of MySQL brings new, changed and deleted rows', async () => {
  const { port = 0, run = async () => {} } = mysql ?? {}
  const select = `SELECT _line, concat('p-', id) AS transaction_id, 'sale' AS transaction_type, state AS status,
    concat(created_at, 'Z') AS created_at, minor(cents, currency) AS amount, currency, merchant AS merchant_id FROM file`
  const payments = await syncTwice(`mysql://root@127.0.0.1:${port}/test`, run, MYSQL, select)
  expect(payments).toMatchObject(SYNCED)
})
