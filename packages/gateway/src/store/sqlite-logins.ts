import type { DatabaseSync } from 'node:sqlite'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { KnownLogins } from './known-logins.ts'
import { keyColumnsOf, loginColumns, readKey, readLogin } from './rows.ts'
import type { Transactions } from './sqlite-transactions.ts'
import type { Login, LoginWithKeys, Store, StoredKey } from './store.ts'

/** Logins and their keys, in tables of the store's database. */
export class SqliteLogins
  implements
    Pick<Store, 'addLogin' | 'listLogins' | 'findLogin' | 'addKey' | 'listKeys' | 'revokeKey'>
{
  readonly #statements: ReturnType<typeof prepare>
  readonly #transactions: Transactions
  readonly #known: KnownLogins

  constructor(database: DatabaseSync, transactions: Transactions) {
    this.#statements = prepare(database)
    this.#transactions = transactions
    this.#known = new KnownLogins(database)
  }

  async addLogin(login: Login): Promise<void> {
    const { name, role, sees } = login
    if (role !== 'operator' && sees.length === 0) throw refusal(`expected ids that ${name} sees`)
    const { insertLogin } = this.#statements
    await this.#change(() => {
      const { changes } = insertLogin.run(loginColumns(login))
      if (changes === 0) throw refusal(`The login ${name} already exists`)
    })
  }

  async listLogins(): Promise<readonly Login[]> {
    return this.#transactions.read(() => this.#statements.logins.all().map(readLogin))
  }

  async findLogin(name: string): Promise<LoginWithKeys | undefined> {
    return this.#transactions.read(() => this.#known.find(name))
  }

  async addKey(key: StoredKey): Promise<void> {
    const { login, fingerprint } = key
    const { loginNamed, liveKeys, keyByFingerprint, insertKey } = this.#statements
    await this.#change(() => {
      if (!loginNamed.get(login)) throw unknownLogin(login)
      const same = keyByFingerprint.get(fingerprint)
      if (same) {
        const { keyId, login: owner, revokedAt } = readKey(same)
        if (revokedAt !== undefined) {
          const state = 'was revoked. The gateway never accepts it again'
          throw refusal(`The key ${fingerprint} (${keyId} of ${owner}) ${state}`)
        }
        throw refusal(`The key ${fingerprint} already exists (${keyId} of ${owner})`)
      }
      const live = liveKeys.all(login).map(readKey)
      if (live.length >= LIMITS.activeKeysMax) {
        const advice = `Revoke ${live.map(({ keyId }) => keyId).join(' or ')} first`
        throw refusal(`${login} has ${live.length} active keys, the maximum. ${advice}`)
      }
      insertKey.run(keyColumnsOf(key))
    })
  }

  async listKeys(login?: string): Promise<readonly StoredKey[]> {
    const { loginNamed, keys, keysOf } = this.#statements
    return this.#transactions.read(() => {
      if (login === undefined) return keys.all().map(readKey)
      if (!loginNamed.get(login)) throw unknownLogin(login)
      return keysOf.all(login).map(readKey)
    })
  }

  async revokeKey(keyId: string, revokedAt: Date): Promise<StoredKey> {
    const { keyById, setRevoked } = this.#statements
    return await this.#change(() => {
      const row = keyById.get(keyId)
      if (!row) throw refusal(`There is no key ${keyId}. "keys list" shows all`)
      const key = readKey(row)
      if (key.revokedAt)
        throw refusal(`The key ${keyId} was already revoked at ${key.revokedAt.toISOString()}`)
      setRevoked.run(revokedAt.getTime(), keyId)
      return { ...key, revokedAt }
    })
  }

  async #change<T>(work: () => T): Promise<T> {
    this.#known.expectChanges()
    return await this.#transactions.durably(work)
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
  }
}

function unknownLogin(login: string): GatewayError {
  return refusal(`There is no login ${login}. "logins list" shows all`)
}

function refusal(message: string): GatewayError {
  return new GatewayError('credentials', message)
}
