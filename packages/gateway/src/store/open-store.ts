import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresSettings } from './postgres-settings.ts'
import { openPostgresStore } from './postgres-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

/** What a configuration says of its store. */
export interface StoreSettings {
  readonly dataDir: string
  /** Absent for the SQLite file in `dataDir`. */
  readonly store?: { readonly postgres: PostgresSettings } | undefined
}

/** Opens the store that a configuration describes, and creates or migrates it. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const { store } = settings
  return store ? await openPostgresStore(store.postgres) : openSqliteStore(storeFile(settings))
}

/** Whether opening the store creates no file. */
export function hasStore(settings: StoreSettings): boolean {
  return settings.store !== undefined || existsSync(storeFile(settings))
}

/** The file of the store in SQLite. SQLite puts two more beside it. */
export function storeFile({ dataDir }: StoreSettings): string {
  return join(dataDir, 'store.sqlite')
}
