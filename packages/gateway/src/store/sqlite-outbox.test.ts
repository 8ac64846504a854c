import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeLogin } from '../../test/kit/store-contract.ts'
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
  await store.addLogin(makeLogin('shop'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

function accept(clientOrderId: string) {
  return store.outbox.accept({ login: 'shop', clientOrderId }, (number) => {
    return { fieldsHash: 'hash', keyVersion: 1, answer: String(number), entries: [] }
  })
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
