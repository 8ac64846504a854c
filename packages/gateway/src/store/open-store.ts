import { join } from 'node:path'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

/** What a configuration says of its store. */
export interface StoreSettings {
  readonly dataDir: string
}

/** Opens the store that a configuration describes, and creates or migrates it. */
export function openStore(settings: StoreSettings): Store {
  return openSqliteStore(storeFile(settings))
}

/** The file of the store. SQLite puts two more beside it. */
export function storeFile({ dataDir }: StoreSettings): string {
  return join(dataDir, 'store.sqlite')
}
