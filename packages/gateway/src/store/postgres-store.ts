import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { ConnectionShare } from './connection-share.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { PostgresLogins } from './postgres-logins.ts'
import { migratePostgres } from './postgres-migrations.ts'
import { PostgresNonces } from './postgres-nonces.ts'
import { PostgresOutbox } from './postgres-outbox.ts'
import { PostgresRuns, PostgresSigningKeys } from './postgres-runs.ts'
import { type PostgresSettings, poolConfigOf } from './postgres-settings.ts'
import { PostgresViewSessions } from './postgres-view-sessions.ts'
import { storeFailure } from './store-failure.ts'
import type { Store } from './store.ts'

/**
 * Opens the store in PostgreSQL, and creates or migrates its tables. Several gateways may have it open.
 *
 * @throws {GatewayError} `store` if PostgreSQL cannot be reached, or if a newer gateway has migrated the store
 */
export async function openPostgresStore(settings: PostgresSettings): Promise<Store> {
  await withMigratedPostgres(settings, async () => {})
  const database = new PostgresDatabase(poolConfigOf(settings, LIMITS.storeBusyTimeoutMs))
  const logins = new PostgresLogins(database)
  const share = new ConnectionShare(LIMITS.storeConnectionsMax)
  const nonces = new PostgresNonces(database, share)
  return {
    addLogin: (login) => logins.addLogin(login),
    changeLogin: (login) => logins.changeLogin(login),
    removeLogin: (name, removedAt) => logins.removeLogin(name, removedAt),
    noteKeyUse: (keyId, usedAt) => logins.noteKeyUse(keyId, usedAt),
    listLogins: () => logins.listLogins(),
    findLogin: (name) => logins.findLogin(name),
    addKey: (key) => logins.addKey(key),
    listKeys: (login) => logins.listKeys(login),
    revokeKey: (keyId, revokedAt) => logins.revokeKey(keyId, revokedAt),
    spendNonce: (use, nowSeconds) => nonces.spendNonce(use, nowSeconds),
    outbox: new PostgresOutbox(database, share),
    runs: new PostgresRuns(database),
    signingKeys: new PostgresSigningKeys(database),
    viewSessions: new PostgresViewSessions(database),
    close: () => database.close(),
  }
}

/** Runs work on a migrated database, on a connection without time-outs for statements. */
export async function withMigratedPostgres<T>(
  settings: PostgresSettings,
  work: (database: PostgresDatabase) => Promise<T>,
): Promise<T> {
  const database = await openWithoutTimeouts(settings)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function openWithoutTimeouts(settings: PostgresSettings): Promise<PostgresDatabase> {
  const { host, pathname } = new URL(settings.url)
  const message = `Cannot open the store in PostgreSQL (${host}${pathname})`
  let database: PostgresDatabase | undefined
  try {
    database = new PostgresDatabase(poolConfigOf(settings, 0))
    await migratePostgres(database)
    return database
  } catch (cause) {
    await database?.close()
    // The operator needs the reason, which a caller does not get.
    const isAway = cause instanceof GatewayError && cause.code === 'store-busy'
    throw storeFailure(message, isAway ? cause.cause : cause)
  }
}
