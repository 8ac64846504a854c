import { GatewayError } from '@counterfoil/common'
import { hasStore, type LoginWithKeys, openStore, type Store } from '@counterfoil/store'
import type { Config } from '../config/config.ts'

/**
 * Opens the store of a configuration, runs work on it, and closes it. A gateway may have the store open.
 *
 * @throws {GatewayError} `store` if there is no store: a mistyped `dataDir` creates no folder
 */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  if (!hasStore(config)) {
    const advice = `Check dataDir in ${config.file}. "logins add" creates the store`
    throw new GatewayError('store', `${config.dataDir} holds no store. ${advice}`)
  }
  return await withNewStore(config, work)
}

/** Does the same as {@link withStore}, and creates the store if there is none. */
export async function withNewStore<T>(
  config: Config,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(config)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/**
 * Finds a login.
 *
 * @throws {GatewayError} `credentials` if there is no such login
 */
export async function requireLogin(
  store: Pick<Store, 'findLogin'>,
  name: string,
): Promise<LoginWithKeys> {
  const login = await store.findLogin(name)
  if (login) return login
  throw new GatewayError('credentials', `There is no login ${name}. "logins list" shows all`)
}
