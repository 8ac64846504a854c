import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import type { OutboxEntry } from './outbox.ts'
import { MIGRATIONS } from './migrations.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')

let folder: string
let file: string
let store: Store

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'store.sqlite')
  store = openSqliteStore(file)
  for (const name of ['shop', 'other']) {
    const created = { bodyHashRequired: false, createdAt: new Date(NOW) }
    await store.addLogin({ name, role: 'merchant', sees: [1], ...created })
  }
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

function accept(on: Store, clientOrderId: string, entries: readonly OutboxEntry[] = []) {
  return on.outbox.accept({ login: 'shop', clientOrderId }, (number) => {
    return { fieldsHash: 'hash', keyVersion: 1, answer: String(number), entries }
  })
}

const dueAt = (ms: number): OutboxEntry => ({ dueAt: new Date(NOW + ms), rows: `{"at":${ms}}` })

const listDue = async (ms: number) => {
  const due = await store.outbox.listDue(new Date(NOW + ms), 100)
  return due.map(({ rows }) => rows)
}

test('keeps the first operation of an idempotency key, and gives each operation another number', async () => {
  expect(await accept(store, 'one')).toEqual({ fieldsHash: 'hash', keyVersion: 1, answer: '1' })
  expect(await accept(store, 'two')).toMatchObject({ answer: '2' })
  expect(await accept(store, 'one')).toMatchObject({ answer: '1' })
  const other = { login: 'other', clientOrderId: 'one' }
  const made = { fieldsHash: 'h', keyVersion: 2, answer: 'theirs', entries: [] }
  expect(await store.outbox.accept(other, () => made)).toMatchObject({ answer: 'theirs' })
})

test('of two processes at once, the second one gets the operation of the first', async () => {
  const second = openSqliteStore(file)
  const accepted = await Promise.all(
    Array.from({ length: 20 }, (_, place) => accept(place % 2 === 0 ? store : second, 'one')),
  )
  expect(new Set(accepted.map(({ answer }) => answer))).toEqual(new Set(['1']))
  expect(await accept(second, 'two')).toMatchObject({ answer: '2' })
  await second.close()
})

test('keeps nothing of an operation that failed', async () => {
  const fail = () => {
    throw new Error('no')
  }
  const key = { login: 'shop', clientOrderId: 'one' }
  await expect(store.outbox.accept(key, fail)).rejects.toMatchObject({ code: 'store' })
  expect(await accept(store, 'one', [dueAt(0)])).toMatchObject({ answer: '1' })
  expect(await listDue(0)).toEqual(['{"at":0}'])
})

test('lists what is due, the oldest first, until it was relayed', async () => {
  await accept(store, 'late', [dueAt(5_000), dueAt(1)])
  await accept(store, 'soon', [dueAt(0)])
  expect(await listDue(1)).toEqual(['{"at":0}', '{"at":1}'])
  await store.outbox.markRelayed(await store.outbox.listDue(new Date(NOW), 100), new Date(NOW))
  expect(await listDue(10_000)).toEqual(['{"at":1}', '{"at":5000}'])
})

test('makes entries due again that were relayed lately, and prunes older ones', async () => {
  await accept(store, 'one', [dueAt(0)])
  await accept(store, 'two', [dueAt(1)])
  const relay = async (atMs: number) => {
    const due = await store.outbox.listDue(new Date(NOW + atMs), 1)
    await store.outbox.markRelayed(due, new Date(NOW + atMs))
  }
  await relay(0)
  await relay(LIMITS.outboxRetentionMs)
  await store.outbox.makeDueAgain(new Date(NOW + LIMITS.outboxRetentionMs))
  expect(await listDue(1)).toEqual(['{"at":0}', '{"at":1}'])
  await relay(1)
  await relay(LIMITS.outboxRetentionMs + 2)
  await store.outbox.makeDueAgain(new Date(NOW + LIMITS.outboxRetentionMs + 2))
  expect(await listDue(1)).toEqual(['{"at":1}'])
})

test('never makes an entry due again that was relayed long ago, even if no other came since', async () => {
  await accept(store, 'one', [dueAt(0)])
  await store.outbox.markRelayed(await store.outbox.listDue(new Date(NOW), 1), new Date(NOW))
  await store.outbox.makeDueAgain(new Date(NOW + LIMITS.outboxRetentionMs + 1))
  expect(await listDue(0)).toEqual([])
})

test('gives no number again that the ledger has', async () => {
  await accept(store, 'one')
  await store.outbox.raiseNumbers(41)
  expect(await accept(store, 'two')).toMatchObject({ answer: '42' })
  await store.outbox.raiseNumbers(7)
  expect(await accept(store, 'three')).toMatchObject({ answer: '43' })
})

test('continues where an imported id had raised the number beyond the maximum', async () => {
  await accept(store, 'one')
  await store.close()
  const database = new DatabaseSync(file)
  database.exec('UPDATE operation_numbers SET last = 12000000000000000')
  database.close()
  store = openSqliteStore(file)
  await expect(accept(store, 'two')).rejects.toMatchObject({ code: 'store' })
  await store.outbox.raiseNumbers(0)
  expect(await accept(store, 'two')).toMatchObject({ answer: '2' })
})

test('gives no number above the maximum', async () => {
  await store.outbox.raiseNumbers(LIMITS.ordersMax - 1)
  expect(await accept(store, 'last')).toMatchObject({ answer: String(LIMITS.ordersMax) })
  await expect(accept(store, 'more')).rejects.toMatchObject({ code: 'store' })
})

test('lists the versions of the keys of its hashes', async () => {
  expect(await store.outbox.listKeyVersions()).toEqual([])
  for (const [id, keyVersion] of [
    ['one', 1],
    ['two', 3],
    ['three', 3],
  ] as const) {
    const made = { fieldsHash: 'h', keyVersion, answer: '', entries: [] }
    await store.outbox.accept({ login: 'shop', clientOrderId: id }, () => made)
  }
  expect(new Set(await store.outbox.listKeyVersions())).toEqual(new Set([1, 3]))
})

test('adds its tables to an older store', async () => {
  await store.close()
  rmSync(file)
  const database = new DatabaseSync(file)
  database.exec(MIGRATIONS[0] ?? '')
  database.exec(`INSERT INTO consumers VALUES ('shop', 'merchant', '[1]', 0, ${NOW})`)
  database.exec('PRAGMA user_version = 1')
  database.close()
  store = openSqliteStore(file)
  expect(await store.findLogin('shop')).toMatchObject({ name: 'shop' })
  expect(await accept(store, 'one')).toMatchObject({ answer: '1' })
})
