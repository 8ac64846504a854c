import { chmodSync, closeSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { NonceOutcome, NonceUse } from '@counterfoil/signing'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { hashNonce } from './hash-nonce.ts'
import { KnownLogins } from './known-logins.ts'
import { MIGRATIONS } from './migrations.ts'
import { loginColumns, keyColumnsOf, readLogin, readKey } from './rows.ts'
import { SqliteOutbox } from './sqlite-outbox.ts'
import type { Login, LoginWithKeys, Store, StoredKey } from './store.ts'

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
    return new SqliteStore(database, openSync(`${file}-wal`, 'r+'))
  } catch (cause) {
    throw storeFailure(`${file}: expected a store that can be opened`, cause)
  }
}

const toDisk = promisify(fdatasync)

class SqliteStore implements Store {
  readonly outbox: SqliteOutbox
  readonly #database: DatabaseSync
  readonly #statements: ReturnType<typeof prepare>
  /** SQLite's write-ahead log, which holds what was committed. */
  readonly #log: number
  readonly #known: KnownLogins
  /** The clock of the spend before; nothing is forgotten by the first one. */
  #clockSeconds = 0

  constructor(database: DatabaseSync, log: number) {
    this.#database = database
    this.#log = log
    this.#statements = prepare(database)
    this.#known = new KnownLogins(database)
    this.outbox = new SqliteOutbox(database, {
      read: attempt,
      run: (work) => attempt(() => transaction(database, work)),
      durably: (work) => this.#durably(work),
    })
  }

  async addLogin(login: Login): Promise<void> {
    const { name, role, sees } = login
    if (role !== 'operator' && sees.length === 0) throw refusal(`expected ids that ${name} sees`)
    const { insertLogin } = this.#statements
    await this.#transaction(() => {
      const { changes } = insertLogin.run(loginColumns(login))
      if (changes === 0) throw refusal(`expected a new login: ${name} is taken`)
    })
  }

  async listLogins(): Promise<readonly Login[]> {
    return attempt(() => this.#statements.logins.all().map(readLogin))
  }

  async findLogin(name: string): Promise<LoginWithKeys | undefined> {
    return attempt(() => this.#known.find(name))
  }

  async addKey(key: StoredKey): Promise<void> {
    const { login, fingerprint } = key
    const { loginNamed, liveKeys, keyByFingerprint, insertKey } = this.#statements
    await this.#transaction(() => {
      if (!loginNamed.get(login)) throw unknownLogin(login)
      const same = keyByFingerprint.get(fingerprint)
      if (same) {
        const { keyId, login: owner, revokedAt } = readKey(same)
        if (revokedAt !== undefined) {
          const state = 'was revoked, and is never accepted again'
          throw refusal(`${fingerprint} (${keyId} of ${owner}) ${state}`)
        }
        throw refusal(`expected a new key: ${fingerprint} was added before (${keyId} of ${owner})`)
      }
      const live = liveKeys.all(login).map(readKey)
      if (live.length >= LIMITS.liveKeysMax) {
        const advice = `revoke ${live.map(({ keyId }) => keyId).join(' or ')} first`
        throw refusal(`${login} has ${live.length} active keys, and may have no more: ${advice}`)
      }
      insertKey.run(keyColumnsOf(key))
    })
  }

  async listKeys(login?: string): Promise<readonly StoredKey[]> {
    const { loginNamed, keys, keysOf } = this.#statements
    return attempt(() => {
      if (login === undefined) return keys.all().map(readKey)
      if (!loginNamed.get(login)) throw unknownLogin(login)
      return keysOf.all(login).map(readKey)
    })
  }

  async revokeKey(keyId: string, revokedAt: Date): Promise<StoredKey> {
    const { keyById, setRevoked } = this.#statements
    return await this.#transaction(() => {
      const row = keyById.get(keyId)
      if (!row) throw refusal(`there is no key ${keyId}: expected an id as "keys list" shows it`)
      const key = readKey(row)
      if (key.revokedAt) throw refusal(`key ${keyId} was revoked ${key.revokedAt.toISOString()}`)
      setRevoked.run(revokedAt.getTime(), keyId)
      return { ...key, revokedAt }
    })
  }

  async spendNonce(use: NonceUse, nowSeconds: number): Promise<NonceOutcome> {
    const { consumerKey, timestampSeconds, nonce } = use
    const { newerForgotten, insertNonce, forgetNonces } = this.#statements
    if (timestampSeconds <= nowSeconds - LIMITS.nonceKeptSeconds) return 'expired'
    const hash = hashNonce(consumerKey, timestampSeconds, nonce)
    const { changes } = attempt(() => insertNonce.run(consumerKey, timestampSeconds, hash))
    if (changes === 0) {
      const isForgotten = attempt(() => newerForgotten.get(consumerKey, timestampSeconds))
      return isForgotten ? 'expired' : 'replayed'
    }
    // A clock that reads wrong once makes the store forget nothing.
    const forgottenUpTo = Math.min(nowSeconds, this.#clockSeconds) - LIMITS.nonceKeptSeconds
    this.#clockSeconds = nowSeconds
    attempt(() => forgetNonces.run(consumerKey, forgottenUpTo, LIMITS.noncesForgottenMax))
    await this.#reachDisk()
    return 'spent'
  }

  async close(): Promise<void> {
    this.#database.close()
    closeSync(this.#log)
  }

  /** Changes logins or keys. */
  async #transaction<T>(work: () => T): Promise<T> {
    this.#known.expectChanges()
    return await this.#durably(work)
  }

  /** Runs all of `work` or none, and returns when it has reached the disk. */
  async #durably<T>(work: () => T): Promise<T> {
    const result = attempt(() => transaction(this.#database, work))
    await this.#reachDisk()
    return result
  }

  /**
   * Waits until what was committed is on the disk: a nonce that was spent stays spent. The waiting is left to a
   * thread, so that reports go on meanwhile, and many commits wait together.
   */
  async #reachDisk(): Promise<void> {
    try {
      await toDisk(this.#log)
    } catch (cause) {
      throw storeFailure('the store could not reach the disk', cause)
    }
  }
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string) => database.prepare(sql)
  return {
    insertLogin: statement(
      `INSERT INTO consumers (login, role, sees, body_hash_required, created_at)
       VALUES (:login, :role, :sees, :body_hash_required, :created_at) ON CONFLICT DO NOTHING`,
    ),
    logins: statement('SELECT * FROM consumers ORDER BY login'),
    loginNamed: statement('SELECT * FROM consumers WHERE login = ?'),
    insertKey: statement(
      `INSERT INTO keys (key_id, login, method, fingerprint, created_at, revoked_at,
         pem, master_key_version, iv, ciphertext, tag)
       VALUES (:key_id, :login, :method, :fingerprint, :created_at, :revoked_at,
         :pem, :master_key_version, :iv, :ciphertext, :tag)`,
    ),
    keys: statement('SELECT * FROM keys ORDER BY created_at, rowid'),
    keysOf: statement('SELECT * FROM keys WHERE login = ? ORDER BY created_at, rowid'),
    liveKeys: statement(
      'SELECT * FROM keys WHERE login = ? AND revoked_at IS NULL ORDER BY created_at, rowid',
    ),
    keyById: statement('SELECT * FROM keys WHERE key_id = ?'),
    keyByFingerprint: statement('SELECT * FROM keys WHERE fingerprint = ?'),
    setRevoked: statement('UPDATE keys SET revoked_at = ? WHERE key_id = ?'),
    newerForgotten: statement(
      'SELECT 1 FROM forgotten_nonces WHERE login = ? AND newest_timestamp >= ?',
    ),
    // One statement, and so atomic: no nonce that was forgotten comes in between.
    insertNonce: statement(
      `INSERT INTO nonces (login, timestamp, nonce) SELECT ?1, ?2, ?3
         WHERE NOT EXISTS (SELECT 1 FROM forgotten_nonces WHERE login = ?1 AND newest_timestamp >= ?2)
         ON CONFLICT DO NOTHING`,
    ),
    // A trigger raises what is in forgotten_nonces.
    forgetNonces: statement(
      `DELETE FROM nonces WHERE login = ?1 AND (timestamp, nonce) IN
         (SELECT timestamp, nonce FROM nonces WHERE login = ?1 AND timestamp <= ?2 ORDER BY timestamp LIMIT ?3)`,
    ),
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
    const expected = `expected a store of version ${MIGRATIONS.length} or older, got ${done}`
    throw new GatewayError('store', `${expected}: a newer counterfoil-gateway has written it`)
  }
  for (const step of MIGRATIONS.slice(done)) database.exec(step)
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
}

/** Runs all of `work` or none; IMMEDIATE, so that no other process writes between its reads and its writes. */
function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw cause
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw storeFailure('the store failed', cause)
  }
}

function storeFailure(message: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new GatewayError('store', `${message}: ${reason}`, { cause })
}

function unknownLogin(login: string): GatewayError {
  return refusal(`there is no login ${login}: expected one as "logins list" shows it`)
}

function refusal(message: string): GatewayError {
  return new GatewayError('credentials', message)
}
