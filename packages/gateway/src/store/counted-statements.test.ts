import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

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
