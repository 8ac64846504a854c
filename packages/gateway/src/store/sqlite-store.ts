import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { hashNonce } from './hash-nonce.ts'
import { MIGRATIONS } from './migrations.ts'
import { SqliteLogins } from './sqlite-logins.ts'
import { SqliteNonces } from './sqlite-nonces.ts'
import { SqliteOutbox } from './sqlite-outbox.ts'
import { SqliteRuns, SqliteSigningKeys } from './sqlite-runs.ts'
import { transaction, Transactions } from './sqlite-transactions.ts'
import { SqliteViewSessions } from './sqlite-view-sessions.ts'
import { storeFailure } from './store-failure.ts'
import type { Store } from './store.ts'

const SQLITE_BUSY = 5
const WAL_WAIT_MS = 10

/**
 * Opens the store in a SQLite file, which only its owner can read, and makes or migrates it where needed.
 * Throws a `GatewayError` of the code `store` for a file that is none, or that a newer version has written.
 */
export function openSqliteStore(file: string): Store {
  try {
    createPrivately(file)
    const database = new DatabaseSync(file, { timeout: LIMITS.storeBusyTimeoutMs })
    switchToWal(database)
    // The log is put on the disk before an answer by the store itself, which need not stand still for it.
    database.exec('PRAGMA synchronous = NORMAL')
    database.function('hash_nonce', (login, timestamp, nonce) => {
      return hashNonce(String(login), Number(timestamp), String(nonce))
    })
    transaction(database, () => migrate(database))
    return storeOf(database, new Transactions(database, file))
  } catch (cause) {
    throw storeFailure(`Cannot open the store ${file}`, cause)
  }
}

/** Puts the store together of its parts, which share the database. */
function storeOf(database: DatabaseSync, transactions: Transactions): Store {
  const logins = new SqliteLogins(database, transactions)
  const nonces = new SqliteNonces(database, transactions)
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
    outbox: new SqliteOutbox(database, transactions),
    runs: new SqliteRuns(database, transactions),
    signingKeys: new SqliteSigningKeys(database, transactions),
    viewSessions: new SqliteViewSessions(database, transactions),
    close: async () => {
      database.close()
      transactions.close()
    },
  }
}

/** Makes the file, or takes from all but its owner the rights on it; SQLite gives its other files the same mode. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
}

/** While another process switches a new file, SQLite says at once that it is busy: its own time-out does not hold here. */
function switchToWal(database: DatabaseSync): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (let waitedMs = 0; ; waitedMs += WAL_WAIT_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (cause) {
      if (!isBusy(cause) || waitedMs >= LIMITS.storeBusyTimeoutMs) throw cause
      Atomics.wait(sleeper, 0, 0, WAL_WAIT_MS)
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function migrate(database: DatabaseSync): void {
  const done = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (done > MIGRATIONS.length) {
    const message = `The store has version ${done}, of a newer gateway`
    throw new GatewayError(
      'store',
      `${message}. This gateway reads versions up to ${MIGRATIONS.length}`,
    )
  }
  for (const step of MIGRATIONS.slice(done)) database.exec(step)
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
}
