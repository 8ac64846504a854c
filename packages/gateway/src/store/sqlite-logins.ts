import type { DatabaseSync } from 'node:sqlite'
import {
  refuseKnownKey,
  requireActive,
  requireRoom,
  requireView,
  takenLogin,
  unknownKey,
  unknownLogin,
} from './credential-refusals.ts'
import { KnownLogins } from './known-logins.ts'
import { keyColumnsOf, loginColumns, readKey, readLogin } from './rows.ts'
import type { Transactions } from './sqlite-transactions.ts'
import type { Login, LoginWithKeys, Store, StoredKey } from './store.ts'

/** Logins and their keys, in tables of the store's database. */
export class SqliteLogins
  implements
    Pick<
      Store,
      | 'addLogin'
      | 'listLogins'
      | 'findLogin'
      | 'findStandIn'
      | 'chooseStandInsBy'
      | 'takeReadKeys'
      | 'addKey'
      | 'listKeys'
      | 'revokeKey'
    >
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
    requireView(login)
    const { insertLogin } = this.#statements
    await this.#change(() => {
      const { changes } = insertLogin.run(loginColumns(login))
      if (changes === 0) throw takenLogin(login.name)
    })
  }

  async listLogins(): Promise<readonly Login[]> {
    return this.#transactions.read(() => this.#statements.logins.all().map(readLogin))
  }

  async findLogin(name: string): Promise<LoginWithKeys | undefined> {
    return this.#transactions.read(() => this.#known.find(name))
  }

  findStandIn(name: string, login: LoginWithKeys | undefined): LoginWithKeys | undefined {
    return this.#known.findStandIn(name, login)
  }

  chooseStandInsBy(secret: string): void {
    this.#known.chooseStandInsBy(secret)
  }

  takeReadKeys(countMax: number): readonly StoredKey[] {
    return this.#known.takeReadKeys(countMax)
  }

  async addKey(key: StoredKey): Promise<void> {
    const { login, fingerprint } = key
    const { loginNamed, liveKeys, keyByFingerprint, insertKey } = this.#statements
    await this.#change(() => {
      if (!loginNamed.get(login)) throw unknownLogin(login)
      const same = keyByFingerprint.get(fingerprint)
      refuseKnownKey(same && readKey(same))
      requireRoom(key, liveKeys.all(login).map(readKey))
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
    const { keyById, setRevoked, endSessions } = this.#statements
    return await this.#change(() => {
      const row = keyById.get(keyId)
      if (!row) throw unknownKey(keyId)
      const key = readKey(row)
      requireActive(key)
      setRevoked.run(revokedAt.getTime(), keyId)
      endSessions.run({ login: key.login })
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
      `INSERT INTO consumers (login, role, sees, body_hash_required, timezone, created_at)
       VALUES (:login, :role, :sees, :body_hash_required, :timezone, :created_at) ON CONFLICT DO NOTHING`,
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
    endSessions: statement(
      `DELETE FROM view_sessions WHERE login = :login AND NOT EXISTS
         (SELECT 1 FROM keys WHERE login = :login AND revoked_at IS NULL)`,
    ),
  }
}
