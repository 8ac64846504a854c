import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FairQueue, GatewayError, LIMITS } from '@counterfoil/common'
import type { Database } from '../database/database.ts'
import { createKeyStore, createLoginStore } from './logins.ts'
import { createNonceStore } from './nonces.ts'
import { createOutbox } from './outbox.ts'
import { openPostgresDatabase } from '../database/postgres-database.ts'
import type { PostgresSettings } from '../database/postgres-settings.ts'
import { createRunStore, createSigningKeyStore } from './run-store.ts'
import { openSqliteDatabase } from '../database/sqlite-database.ts'
import type { Store } from './store.ts'
import { createViewSessionStore } from './view-sessions.ts'

/** What a configuration says of its store. */
export interface StoreSettings {
  readonly dataDir: string
  /** Absent for the SQLite file in `dataDir`. */
  readonly store?: { readonly postgres: PostgresSettings } | undefined
}

/**
 * Opens the store that a configuration describes, and creates or migrates it.
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

/** Opens the store in a SQLite file. See {@link openSqliteDatabase}. */
export function openSqliteStore(file: string): Store {
  return createStore(openSqliteDatabase(file))
}

/** Opens the store in PostgreSQL. See {@link openPostgresDatabase}. */
export async function openPostgresStore(settings: PostgresSettings): Promise<Store> {
  return shareConnections(createStore(await openPostgresDatabase(settings)))
}

/** Lets a login use at most half of the connections at once, so that the requests of others find one. */
function shareConnections(store: Store): Store {
  const { storeConnectionsMax, storeBusyTimeoutMs } = LIMITS
  const queue = new FairQueue({
    places: storeConnectionsMax,
    perLogin: Math.ceil(storeConnectionsMax / 2),
    waitingMax: Number.POSITIVE_INFINITY,
    waitMs: storeBusyTimeoutMs,
    busy: { code: 'store-busy', message: 'The store is busy.' },
  })
  const { outbox } = store
  return {
    ...store,
    spendNonce: (use, now) => queue.run(use.consumerKey, () => store.spendNonce(use, now)),
    outbox: {
      ...outbox,
      accept: (key, ...more) => queue.run(key.login, () => outbox.accept(key, ...more)),
    },
  }
}

function createStore(database: Database): Store {
  return {
    ...createLoginStore(database),
    ...createKeyStore(database),
    ...createNonceStore(database),
    outbox: createOutbox(database),
    runs: createRunStore(database),
    signingKeys: createSigningKeyStore(database),
    viewSessions: createViewSessionStore(database),
    close: () => database.close(),
  }
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
