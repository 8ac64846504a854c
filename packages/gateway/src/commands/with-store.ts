import { type Config, loadConfig } from '../config/config.ts'
import { GatewayError } from '@counterfoil/common'
import { hasStore, openStore, type Store } from '@counterfoil/store'

/**
 * Opens the store of a configuration, runs work on it, and closes it. A gateway may have the store open.
 *
 * @throws {GatewayError} `store` if there is no store: a mistyped `dataDir` creates no folder
 */
export async function withStore<T>(
  configFile: string,
  work: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(configFile)
  if (!hasStore(config)) {
    const advice = `Check dataDir in ${configFile}. "logins add" creates the store`
    throw new GatewayError('store', `${config.dataDir} holds no store. ${advice}`)
  }
  return await runOnStore(config, work)
}

/** Does the same as {@link withStore}, and creates the store if there is none. */
export async function withNewStore<T>(
  configFile: string,
  work: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  return await runOnStore(loadConfig(configFile), work)
}

async function runOnStore<T>(
  config: Config,
  work: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const store = await openStore(config)
  try {
    return await work(store, config)
  } finally {
    await store.close()
  }
}
