import { type Config, loadConfig, storeFile } from '../config/config.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import type { Store } from '../store/store.ts'

/** Runs work on the store that a configuration file names, also while a gateway holds it; closes it whatever comes. */
export async function withStore<T>(
  configFile: string,
  work: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(configFile)
  const store = openSqliteStore(storeFile(config))
  try {
    return await work(store, config)
  } finally {
    await store.close()
  }
}
