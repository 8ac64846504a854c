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
import { keyColumnsOf, loginColumns, readKey, readLogin } from './rows.ts'
import type { Transactions } from './sqlite-transactions.ts'
import type { Login, LoginWithKeys, Store, StoredKey } from './store.ts'

const USED_KEYS = 'SELECT keys.*, last_used_at FROM keys LEFT JOIN key_uses USING (key_id)'

/** Logins and their keys, in tables of the store's database. */
export class SqliteLogins
  implements
    Pick<
      Store,
      | 'addLogin'
      | 'changeLogin'
      | 'removeLogin'
      | 'noteKeyUse'
      | 'listLogins'
      | 'findLogin'
      | 'addKey'
      | 'listKeys'
      | 'revokeKey'
    >
{
  readonly #statements: ReturnType<typeof prepare>
  readonly #transactions: Transactions

  constructor(database: DatabaseSync, transactions: Transactions) {
    this.#statements = prepare(database)
    this.#transactions = transactions
  }

  async addLogin(login: Login): Promise<void> {
    requireView(login)
    const { insertLogin } = this.#statements
    await this.#change(() => {
      const { changes } = insertLogin.run(loginColumns(login))
      if (changes === 0) throw takenLogin(login.name)
    })
  }

  async changeLogin(login: Parameters<Store['changeLogin']>[0]): Promise<void> {
    requireView(login)
    const { name, role, sees, bodyHashRequired, timezone = null } = login
    await this.#change(() => {
      const columns = [role, JSON.stringify(sees), bodyHashRequired ? 1 : 0, timezone] as const
      if (this.#statements.setView.run(...columns, name).changes === 0) throw unknownLogin(name)
    })
  }

  async removeLogin(name: string, removedAt: Date): Promise<void> {
    const { setRemoved, revokeAll, endSessions } = this.#statements
    await this.#change(() => {
      if (setRemoved.run(removedAt.getTime(), name).changes === 0) throw unknownLogin(name)
      revokeAll.run(removedAt.getTime(), name)
      endSessions.run({ login: name })
    })
  }

  async noteKeyUse(keyId: string, usedAt: Date): Promise<void> {
    this.#transactions.run(() => this.#statements.setUsed.run(keyId, usedAt.getTime()))
  }

  async listLogins(): Promise<readonly Login[]> {
    return this.#transactions.read(() => this.#statements.logins.all().map(readLogin))
  }

  async findLogin(name: string): Promise<LoginWithKeys | undefined> {
    const { loginNamed, liveKeys } = this.#statements
    return this.#transactions.read(() => {
      const row = loginNamed.get(name)
      return row && { ...readLogin(row), keys: liveKeys.all(name).map(readKey) }
    })
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
    logins: statement('SELECT * FROM consumers WHERE removed_at IS NULL ORDER BY login'),
    loginNamed: statement('SELECT * FROM consumers WHERE login = ? AND removed_at IS NULL'),
    setView: statement(
      `UPDATE consumers SET role = ?, sees = ?, body_hash_required = ?, timezone = ?
       WHERE login = ? AND removed_at IS NULL`,
    ),
    setRemoved: statement(
      'UPDATE consumers SET removed_at = ? WHERE login = ? AND removed_at IS NULL',
    ),
    revokeAll: statement('UPDATE keys SET revoked_at = ? WHERE login = ? AND revoked_at IS NULL'),
    setUsed: statement(
      `INSERT INTO key_uses VALUES (?, ?)
       ON CONFLICT (key_id) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
    ),
    insertKey: statement(
      `INSERT INTO keys (key_id, login, method, fingerprint, created_at, revoked_at,
         pem, master_key_version, iv, ciphertext, tag)
       VALUES (:key_id, :login, :method, :fingerprint, :created_at, :revoked_at,
         :pem, :master_key_version, :iv, :ciphertext, :tag)`,
    ),
    keys: statement(`${USED_KEYS} ORDER BY created_at, keys.rowid`),
    keysOf: statement(`${USED_KEYS} WHERE login = ? ORDER BY created_at, keys.rowid`),
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
