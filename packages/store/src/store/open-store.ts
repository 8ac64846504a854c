import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '@counterfoil/common'
import { openPostgresDatabase, type PostgresSettings } from '../database/postgres-database.ts'
import { openSqliteDatabase } from '../database/sqlite-database.ts'
import { Store } from './store.ts'

/** What a configuration says of its store. */
export interface StoreSettings {
  readonly dataDir: string
  /** Absent for the SQLite file in `dataDir`. */
  readonly store?: { readonly postgres: PostgresSettings } | undefined
}

/**
 * Opens the store that a configuration describes, and creates what it lacks.
 *
 * @throws {GatewayError} `store` if PostgreSQL has no login and the file in `dataDir` has some. A gateway would refuse
 *   every caller, and the first new row in PostgreSQL would prevent `store copy`.
 */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const file = storeFile(settings)
  if (!settings.store) return openSqliteStore(file)
  const store = await openPostgresStore(settings.store.postgres)
  try {
    if (existsSync(file)) await requireCopiedLogins(store, file)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

export function openSqliteStore(file: string): Store {
  return new Store(openSqliteDatabase(file))
}

export async function openPostgresStore(settings: PostgresSettings): Promise<Store> {
  return new Store(await openPostgresDatabase(settings))
}

async function requireCopiedLogins(store: Store, file: string): Promise<void> {
  if ((await store.listLogins()).length > 0) return
  const old = openSqliteStore(file)
  const { length } = await old.listLogins().finally(() => old.close())
  if (length === 0) return
  const found = `The store in PostgreSQL has no login, and ${file} has ${length}.`
  const advice = 'Run "counterfoil-gateway store copy --to postgres", or move the file away'
  throw new GatewayError('store', `${found} ${advice}`)
}

/** The store in SQLite that is left beside a store in PostgreSQL, if there is one. */
export function leftStoreFile(settings: StoreSettings): string | undefined {
  const file = storeFile(settings)
  return settings.store && existsSync(file) ? file : undefined
}

/** Whether opening the store creates no file. */
export function hasStore(settings: StoreSettings): boolean {
  return settings.store !== undefined || existsSync(storeFile(settings))
}

/** The file of the store in SQLite. SQLite puts two more beside it. */
export function storeFile({ dataDir }: StoreSettings): string {
  return join(dataDir, 'store.sqlite')
}
