// @module-tag long

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { checkStart } from '../../src/commands/serve.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/observe/log.ts'
import { openPostgresStore, openSqliteStore } from '../../../store/src/store/open-store.ts'
import type { StoredRun, StoredSigningKey } from '../../../store/src/store/run-store.ts'
import type { Store } from '../../../store/src/store/store.ts'
import type { ViewSession } from '../../../store/src/store/view-session-store.ts'
import { freePort } from '../kit/free-port.ts'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { type Ended, runHere } from '../kit/run-here.ts'
import { controlKey, makeLogin, publicKey } from '../../../store/test/contract/store-kit.ts'

const NOW = 1_800_000_000
/** More rows than one batch has. */
const ORDERS = 1_200
const MAXIMA = { perLogin: ORDERS + 1, perDay: ORDERS + 1, day: 20_000 }

let postgres: PostgresServer
let folder: string
let file: string
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.remove())
beforeEach(async () => {
  await postgres.clear()
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'data', 'store.sqlite')
  writeFileSync(join(folder, 'master.key'), randomBytes(32).toString('base64'), { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true }))

async function copy(store?: object): Promise<Ended> {
  return await runHere('store', 'copy', '--to', 'postgres', '--config', writeConfig(store))
}

/** Writes the configuration, and returns its file. */
function writeConfig(store: object = { store: { postgres: postgres.settings } }): string {
  const config = join(folder, 'gateway.yaml')
  const settings = {
    environment: 'sandbox',
    publicUrl: 'http://127.0.0.1:8080',
    reportPath: '/report',
    dataDir: 'data',
    reports: 'reports',
    masterKeys: [{ version: 1, file: 'master.key' }],
  }
  writeFileSync(config, stringify({ ...settings, ...store }))
  return config
}

/** Spends a nonce by a clock that reads `now`. */
const RUN: StoredRun = {
  runId: 'one',
  login: 'shop',
  reportIdentifier: 'transactions-list',
  endedAt: new Date('2026-02-01T00:00:00Z'),
  record: '{"name": "Žofie"}',
}
const SIGNING_KEY: StoredSigningKey = {
  keyId: 'key',
  createdAt: new Date('2026-02-01T00:00:00Z'),
  publicJwk: '{}',
  sealed: {
    masterKeyVersion: 1,
    iv: Uint8Array.of(1, 2),
    ciphertext: Uint8Array.of(0, 255),
    tag: Uint8Array.of(3),
  },
}

const VIEW_SESSION: ViewSession = {
  sessionId: 'view',
  login: 'shop',
  madeAt: new Date('2026-02-01T00:00:00Z'),
  expiresAt: new Date('2026-02-01T00:15:00Z'),
}

function spend(store: Store, nonce: string, timestampSeconds: number, now: number) {
  return store.spendNonce({ consumerKey: 'shop', timestampSeconds, nonce }, now)
}

function accept(store: Store, clientOrderId: string) {
  return store.outbox.accept({ login: 'shop', clientOrderId }, MAXIMA, (number) => {
    const entries = [{ dueAt: new Date(number), rows: `{"number":${number},"name":"Žofie"}` }]
    return { fieldsHash: 'hash', keyVersion: 3, answer: String(number), entries }
  })
}

/** Makes a store in SQLite with rows of every kind. */
async function fillSqlite(orders = 3): Promise<Pick<Store, 'listLogins' | 'listKeys'>> {
  const store = openSqliteStore(file)
  await store.addLogin(
    makeLogin('shop', { sees: ['17', '18'], bodyHashRequired: true, timezone: 'UTC' }),
  )
  await store.addLogin(makeLogin('boss', { role: 'operator', sees: [] }))
  for (const key of [controlKey('one'), publicKey('two'), controlKey('three', 'boss')]) {
    await store.addKey(key)
  }
  await store.revokeKey('one', new Date('2026-02-01T00:00:00Z'))
  for (const [nonce, at] of [
    ['forgotten', 0],
    ['forgets', 400],
    ['forgets again', 400],
  ] as const) {
    await spend(store, nonce, NOW + at, NOW + at)
  }
  for (let order = 1; order <= orders; order += 1) await accept(store, `order-${order}`)
  await store.outbox.markRelayed(await store.outbox.listDue(new Date(), 2), new Date())
  await store.runs.add([RUN, { ...RUN, runId: 'two' }])
  await store.signingKeys.add(SIGNING_KEY, 0)
  await store.viewSessions.addLink(VIEW_SESSION, 'link')
  const [logins, keys] = [await store.listLogins(), await store.listKeys()]
  await store.close()
  return { listLogins: async () => logins, listKeys: async () => keys }
}

test('copies everything, and the new store goes on where the old one stopped', async () => {
  const before = await fillSqlite(ORDERS)
  const { code, stdout, stderr } = await copy()
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `Copied the store. Next: move ${file} away, and start the gateway.\n`,
  })
  const counts = stdout.trim().split('\n').slice(1)
  expect(counts.map((line) => line.trim().split(/ +/))).toEqual([
    ['logins', '2'],
    ['keys', '3'],
    ['key_uses', '0'],
    ['nonces', '2'],
    ['forgotten_nonces', '1'],
    ['operation_numbers', '1'],
    ['operations', String(ORDERS)],
    ['operation_counts', '1'],
    ['ledger_entries', String(ORDERS)],
    ['runs', '2'],
    ['signing_keys', '1'],
    ['view_sessions', '1'],
  ])

  const store = await openPostgresStore(postgres.settings)
  expect(await store.listLogins()).toEqual(await before.listLogins())
  expect(await store.listKeys()).toEqual(await before.listKeys())
  expect((await store.findLogin('shop'))?.keys).toEqual([publicKey('two')])
  await expect(store.addKey({ ...publicKey('new'), fingerprint: 'SHA256:one' })).rejects.toThrow(
    'was revoked',
  )
  const { runs } = await store.runs.list({ limit: 9, bytesMax: 10_000 })
  expect(runs).toMatchObject([{ runId: 'two' }, RUN])
  expect(await store.signingKeys.list()).toEqual([SIGNING_KEY])
  expect(await store.viewSessions.list(VIEW_SESSION.madeAt)).toEqual([VIEW_SESSION])
  expect(await spend(store, 'forgets', NOW + 400, NOW + 400)).toBe('replayed')
  expect(await spend(store, 'forgotten', NOW, NOW)).toBe('expired')
  expect(await accept(store, 'order-7')).toEqual({
    fieldsHash: 'hash',
    keyVersion: 3,
    answer: '7',
  })
  expect(await accept(store, 'new')).toMatchObject({ answer: String(ORDERS + 1) })
  expect(await accept(store, 'beyond the maximum')).toBeUndefined()
  const due = await store.outbox.listDue(new Date(), 10_000)
  const numbers = Array.from({ length: ORDERS - 1 }, (_, index) => index + 3)
  expect(due.map(({ rows }) => rows)).toEqual(
    numbers.map((number) => `{"number":${number},"name":"Žofie"}`),
  )
  await store.outbox.makeDueAgain(new Date())
  expect(await store.outbox.listDue(new Date(), 10_000)).toHaveLength(ORDERS + 1)
  await store.close()
})

test('a forgotten copy ends a start and every command before PostgreSQL has a row', async () => {
  await fillSqlite()
  const config = writeConfig()
  const add = ['logins', 'add', 'new', '--role', 'operator']
  for (const command of [['serve'], ['logins', 'list'], add]) {
    expect(await runHere(...command, '--config', config)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`PostgreSQL has no login, and ${file} has 2. Run "counter`),
    })
  }
  expect(await copy()).toMatchObject({ code: 0 })
  const { code, stdout } = await runHere('logins', 'list', '--config', config)
  expect([code, stdout]).toEqual([0, expect.stringContaining('shop')])
})

test('a start warns of a file of SQLite that is left', async () => {
  await openSqliteStore(file).close()
  const listen = { host: '127.0.0.1', port: await freePort() }
  const config = loadConfig(writeConfig({ listen, store: { postgres: postgres.settings } }))
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
  await checkStart(config, { log, environment: {} })
  expect(lines).toEqual([expect.stringContaining(`${file} is not in use`)])
  rmSync(file)
  await checkStart(config, { log, environment: {} })
  expect(lines).toHaveLength(1)
})

test('a backup says that a store in PostgreSQL is not in it', async () => {
  const target = join(folder, 'backup')
  const { code, stdout, stderr } = await runHere('backup', target, '--config', writeConfig())
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Backed up the ledger to ${target}.\n` })
  expect(stderr).toContain('The store is in PostgreSQL and not in this backup.')
})

test('refuses a PostgreSQL that has rows, and leaves it as it is', async () => {
  await fillSqlite()
  const store = await openPostgresStore(postgres.settings)
  await spend(store, 'n', NOW, NOW)
  expect(await copy()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: The store in PostgreSQL has rows already (nonces). Copy to an empty database. docs/servers.md says ' +
      'how to empty a store\n',
  })
  expect(await store.listLogins()).toEqual([])
  expect(await spend(store, 'n', NOW, NOW)).toBe('replayed')
  await store.close()
})

test('copies nothing if one row cannot be copied', async () => {
  await fillSqlite()
  const database = new DatabaseSync(file)
  database.exec('INSERT INTO ledger_entries (due_at, rows) VALUES (0, char(0))')
  database.close()
  const { code, stderr } = await copy()
  expect(code).toBe(1)
  expect(stderr).toContain('error: Cannot copy the table ledger_entries: invalid byte sequence')
  const store = await openPostgresStore(postgres.settings)
  expect(await store.listLogins()).toEqual([])
  expect(await store.outbox.listKeyVersions()).toEqual([])
  expect(await spend(store, 'forgets', NOW + 400, NOW + 400)).toBe('spent')
  await store.close()
})

test('says what is missing, or who is in the way', async () => {
  expect((await copy({})).stderr).toContain('names no PostgreSQL. Add store.postgres.url to')
  expect((await copy()).stderr).toContain('holds no store. Check dataDir')
  await fillSqlite()
  const away = { store: { postgres: { url: 'postgres://gateway@127.0.0.1:1/payments' } } }
  expect((await copy(away)).stderr).toContain('(127.0.0.1:1/payments): connect ECONNREFUSED')
  expect((await runHere('store copy')).code).toBe(2)
  const ledger = join(folder, 'data', 'ledger')
  mkdirSync(ledger)
  const gateway = new DatabaseSync(join(ledger, 'counterfoil.lock'))
  gateway.exec('BEGIN EXCLUSIVE')
  expect((await copy()).stderr).toBe(
    `error: Another process has ${ledger} open. Stop the gateway first\n`,
  )
  gateway.close()
})

test('refuses to copy while a gateway listens, also if its ledger is on a server', async () => {
  await fillSqlite()
  const socket = join(folder, 'data', 'control.sock')
  const gateway = createServer().listen(socket)
  await once(gateway, 'listening')
  expect(await copy()).toMatchObject({
    code: 1,
    stderr: `error: A gateway listens on ${socket}. Stop the gateway first\n`,
  })
  gateway.close()
  await once(gateway, 'close')
  expect(await copy()).toMatchObject({ code: 0 })
})
