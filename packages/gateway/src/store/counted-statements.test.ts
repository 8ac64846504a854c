import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store, StoredKey } from './store.ts'

const NOW = 1_800_000_000

let folder: string
let file: string
let store: Store

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'store.sqlite')
  store = openSqliteStore(file)
  const shop = { name: 'shop', role: 'merchant', sees: [17], bodyHashRequired: false } as const
  await store.addLogin({ ...shop, createdAt: new Date(NOW * 1000) })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await store.close()
  rmSync(folder, { recursive: true })
})

const publicKey = (keyId: string, login: string): StoredKey => ({
  keyId,
  login,
  method: 'RSA-SHA256',
  fingerprint: `SHA256:${keyId}`,
  createdAt: new Date(NOW * 1000),
  material: { kind: 'public-key', pem: 'the PEM text' },
})

describe('a look-up', () => {
  test('runs the same statements for a login that exists and for one that does not', async () => {
    await store.addKey(publicKey('one', 'shop'))
    await store.findLogin('nobody')
    const counted = countStatements()
    const countOf = async (login: string) => {
      const before = counted()
      await store.findLogin(login)
      const after = counted()
      return [
        after.run - before.run,
        after.get - before.get,
        after.all - before.all,
        after.iterate - before.iterate,
      ]
    }
    const known = await countOf('shop')
    expect(known).toEqual([0, 1, 0, 0])
    for (const login of ['nobody', 'nobody else', '', 'shop']) {
      expect(await countOf(login)).toEqual(known)
    }
    // Another process spends a nonce: the next look-up asks what has changed, whoever is looked up.
    const other = openSqliteStore(file)
    for (const login of ['nobody', 'shop']) {
      await other.spendNonce({ consumerKey: 'shop', timestampSeconds: NOW, nonce: login }, NOW)
      const before = counted()
      await store.findLogin(login)
      const { get, all } = counted()
      expect([get - before.get, all - before.all]).toEqual([1, 1])
    }
    await other.close()
  })

  test('reads one login again when one of thousands gets a key', async () => {
    const database = new DatabaseSync(file)
    database.exec(`INSERT INTO consumers (login, role, sees, body_hash_required, created_at)
      WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4999)
      SELECT 'shop-' || n, 'merchant', '[1]', 0, 0 FROM numbers`)
    await store.findLogin('nobody')
    const other = openSqliteStore(file)
    await other.addKey(publicKey('one', 'shop-17'))
    const counted = countStatements()
    expect((await store.findLogin('shop-17'))?.keys).toEqual([publicKey('one', 'shop-17')])
    expect(counted()).toEqual({ run: 0, get: 2, all: 2, iterate: 0 })
    database.exec("DELETE FROM keys; DELETE FROM consumers WHERE login = 'shop-17'")
    database.close()
    expect(await store.findLogin('shop-17')).toBeUndefined()
    expect(await store.findLogin('shop-18')).toMatchObject({ name: 'shop-18' })
    await other.close()
  })
})

test('spending a nonce costs one insert and one delete, however many logins there are', async () => {
  const spend = (at: number, consumerKey: string) => {
    const use = { consumerKey, timestampSeconds: NOW + at, nonce: 'n' }
    return store.spendNonce(use, NOW + at)
  }
  await spend(0, 'first')
  const counted = countStatements()
  for (let at = 0; at < 10; at++) await spend(at, `login-${at % 5}`)
  expect(counted()).toEqual({ run: 20, get: 0, all: 0, iterate: 0 })
})

/** Counts the statements that SQLite runs from now on, until the end of the test. */
function countStatements() {
  const [run, get, all, iterate] = (['run', 'get', 'all', 'iterate'] as const).map((name) => {
    return vi.spyOn(StatementSync.prototype, name)
  })
  const countOf = (spy: typeof run) => spy?.mock.calls.length ?? 0
  return () => ({
    run: countOf(run),
    get: countOf(get),
    all: countOf(all),
    iterate: countOf(iterate),
  })
}
