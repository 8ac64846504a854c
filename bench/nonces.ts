import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/gateway/src/store/open-store.ts'
import type { Store } from '../packages/gateway/src/store/store.ts'
import { startPostgres } from '../packages/gateway/test/kit/postgres-server.ts'
import type { Comparison } from './comparison.ts'
import { takeTurns } from './rounds.ts'

const ROUNDS = 7
const ROUND_MS = 2000
const AT_ONCE = 8
const LOGIN = 'bench'

/** Compares the nonces that a store in PostgreSQL spends in a second with those of a store in SQLite. */
export async function measureNonces(): Promise<readonly Comparison[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const postgres = await startPostgres()
  // The first one: an empty store in PostgreSQL does not open beside a SQLite file with logins.
  const inPostgres = await openWithLogin({ dataDir, store: { postgres: postgres.settings } })
  const inSqlite = await openWithLogin({ dataDir })
  const spendInPostgres = async () => await spend(inPostgres)
  const spendInSqlite = async () => await spend(inSqlite)
  try {
    return [
      {
        name: `nonces in PostgreSQL, ${AT_ONCE} at once`,
        unit: 'nonces/s',
        referenceName: 'nonces in SQLite',
        ...(await takeTurns(ROUNDS, spendInPostgres, spendInSqlite)),
      },
    ]
  } finally {
    await inPostgres.close()
    await inSqlite.close()
    await postgres.remove()
    rmSync(dataDir, { recursive: true })
  }
}

async function openWithLogin(settings: Parameters<typeof openStore>[0]): Promise<Store> {
  const store = await openStore(settings)
  const login = { name: LOGIN, role: 'operator', sees: [], bodyHashRequired: false } as const
  await store.addLogin({ ...login, createdAt: new Date() })
  return store
}

/** Spends new nonces for a while, and returns how many it spent in a second. */
async function spend(store: Store): Promise<number> {
  const startedAt = performance.now()
  const isOver = (): boolean => performance.now() - startedAt >= ROUND_MS
  let spent = 0
  const spendInTurn = async (): Promise<void> => {
    while (!isOver()) {
      const timestampSeconds = Math.floor(Date.now() / 1000)
      const use = { consumerKey: LOGIN, timestampSeconds, nonce: randomUUID() }
      const outcome = await store.spendNonce(use, timestampSeconds)
      if (outcome !== 'spent') throw new Error(`expected a nonce to be spent, got ${outcome}`)
      spent += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, spendInTurn))
  return (spent * 1000) / (performance.now() - startedAt)
}
