import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeLogin } from '../../test/kit/store-contract.ts'
import { LIMITS } from '../limits.ts'
import { MIGRATIONS } from './migrations.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')
const MAXIMA = { perLogin: 1_000, perDay: 1_000, day: 20_000 }

let folder: string
let file: string
let store: Store

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'store.sqlite')
  store = openSqliteStore(file)
  await store.addLogin(makeLogin('shop'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

function accept(clientOrderId: string, perLogin = MAXIMA.perLogin) {
  return store.outbox.accept(
    { login: 'shop', clientOrderId },
    { ...MAXIMA, perLogin },
    (number) => {
      return { fieldsHash: 'hash', keyVersion: 1, answer: String(number), entries: [] }
    },
  )
}

test('continues where an imported id had raised the number beyond the maximum', async () => {
  await accept('one')
  await store.close()
  const database = new DatabaseSync(file)
  database.exec('UPDATE operation_numbers SET last = 12000000000000000')
  database.close()
  store = openSqliteStore(file)
  await expect(accept('two')).rejects.toMatchObject({ code: 'store' })
  await store.outbox.raiseNumbers(0)
  expect(await accept('two')).toMatchObject({ answer: '2' })
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
  expect(await accept('one')).toMatchObject({ answer: '1' })
})

test('an older store keeps which entries the relay has written', async () => {
  await store.close()
  rmSync(file)
  const database = new DatabaseSync(file)
  const before = MIGRATIONS.findIndex((step) => step.includes('RENAME COLUMN brought_at'))
  database.function('hash_nonce', { varargs: true }, () => '')
  for (const step of MIGRATIONS.slice(0, before)) database.exec(step)
  database.exec(
    `INSERT INTO ledger_entries VALUES (1, 0, 'waits', NULL), (2, 0, 'written', ${NOW})`,
  )
  database.exec(`PRAGMA user_version = ${before}`)
  database.close()
  store = openSqliteStore(file)
  expect(await store.outbox.listDue(new Date(NOW), 10)).toMatchObject([{ rows: 'waits' }])
  await store.outbox.makeDueAgain(new Date(NOW))
  expect(await store.outbox.listDue(new Date(NOW), 10)).toHaveLength(2)
})

test('counts the operations of an older store, and those that an operator leaves', async () => {
  await store.close()
  rmSync(file)
  const database = new DatabaseSync(file)
  const before = MIGRATIONS.findIndex((step) => step.includes('operation_counts'))
  database.function('hash_nonce', { varargs: true }, () => '')
  for (const step of MIGRATIONS.slice(0, before)) database.exec(step)
  database.exec(`INSERT INTO consumers VALUES ('shop', 'merchant', '[1]', 0, ${NOW});
    INSERT INTO operations VALUES ('shop', 'one', 1, 'h', 1, '1'), ('shop', 'two', 2, 'h', 1, '2');
    UPDATE operation_numbers SET last = 2;
    PRAGMA user_version = ${before}`)
  store = openSqliteStore(file)
  expect(await accept('three', 2)).toBeUndefined()
  expect(await accept('three', 3)).toMatchObject({ answer: '3' })
  expect(await accept('four', 3)).toBeUndefined()

  database.exec("DELETE FROM operations WHERE client_order_id = 'one'")
  expect(await accept('four', 3)).toMatchObject({ answer: '4' })
  expect(await accept('five', 3)).toBeUndefined()
  database.exec('DELETE FROM operations')
  database.close()
  expect(await accept('five', 1)).toMatchObject({ answer: '5' })
  expect(await accept('six', 1)).toBeUndefined()
})

test('prunes many relayed entries a few at a time', async () => {
  const database = new DatabaseSync(file)
  const atOnce = 2 * LIMITS.relayBatchEntriesMax
  database.exec(`INSERT INTO ledger_entries (due_at, rows, relayed_at)
    SELECT 0, '{}', value FROM json_each('[${Array.from({ length: atOnce + 2 }, (_, at) => at + 1).join()}]')`)
  const kept = database.prepare('SELECT count(*) AS entries FROM ledger_entries')
  const now = new Date(NOW)
  await store.outbox.markRelayed([], now)
  expect(kept.get()).toEqual({ entries: 2 })
  await store.outbox.markRelayed([], now)
  expect(kept.get()).toEqual({ entries: 0 })
  database.close()
})
