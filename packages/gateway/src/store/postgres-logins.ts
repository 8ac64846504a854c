import {
  refuseKnownKey,
  requireActive,
  requireRoom,
  requireView,
  takenLogin,
  unknownKey,
  unknownLogin,
} from './credential-refusals.ts'
import { LOCKS, type PostgresDatabase, type Query } from './postgres-database.ts'
import { keyColumnsOf, loginColumns, readKey, readLogin } from './rows.ts'
import type { Login, LoginWithKeys, Store, StoredKey } from './store.ts'

const KEYS = 'SELECT * FROM keys'
const USED_KEYS = 'SELECT keys.*, last_used_at FROM keys LEFT JOIN key_uses USING (key_id)'
const SET_VIEW = `UPDATE logins SET role = $2, sees = $3, body_hash_required = $4, timezone = $5
  WHERE login = $1`
const SET_USED = `INSERT INTO key_uses AS uses VALUES ($1, $2) ON CONFLICT (key_id)
  DO UPDATE SET last_used_at = greatest(uses.last_used_at, excluded.last_used_at)`
const FIND_LOGIN = 'SELECT 1 FROM logins WHERE login = $1 AND removed_at IS NULL'
const BY_AGE = 'ORDER BY created_at, number'
const END_SESSIONS = `DELETE FROM view_sessions WHERE login = $1 AND NOT EXISTS
  (SELECT 1 FROM keys WHERE login = $1 AND revoked_at IS NULL)`

/** Logins and their keys, in tables of PostgreSQL. */
export class PostgresLogins
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
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async addLogin(login: Login): Promise<void> {
    requireView(login)
    await this.#change(async (query) => {
      const [taken] = await query('SELECT 1 FROM logins WHERE login = $1', [login.name])
      if (taken) throw takenLogin(login.name)
      await insert(query, 'logins', loginColumns(login))
    })
  }

  async changeLogin(login: Parameters<Store['changeLogin']>[0]): Promise<void> {
    requireView(login)
    const { name, role, sees, bodyHashRequired, timezone = null } = login
    await this.#change(async (query) => {
      await requireLogin(query, name)
      const columns = [name, role, JSON.stringify(sees), bodyHashRequired ? 1 : 0, timezone]
      await query(SET_VIEW, columns)
    })
  }

  async removeLogin(name: string, removedAt: Date): Promise<void> {
    await this.#change(async (query) => {
      await requireLogin(query, name)
      const values = [removedAt.getTime(), name]
      await query('UPDATE logins SET removed_at = $1 WHERE login = $2', values)
      await query('UPDATE keys SET revoked_at = $1 WHERE login = $2 AND revoked_at IS NULL', values)
      await query(END_SESSIONS, [name])
    })
  }

  async noteKeyUse(keyId: string, usedAt: Date): Promise<void> {
    await this.#database.query(SET_USED, [keyId, usedAt.getTime()])
  }

  async listLogins(): Promise<readonly Login[]> {
    const rows = await this.#database.query(
      'SELECT * FROM logins WHERE removed_at IS NULL ORDER BY login COLLATE "C"',
    )
    return rows.map(readLogin)
  }

  async findLogin(name: string): Promise<LoginWithKeys | undefined> {
    const { query } = this.#database
    const [row] = await query('SELECT * FROM logins WHERE login = $1 AND removed_at IS NULL', [
      name,
    ])
    if (row === undefined) return undefined
    const keys = await query(`${KEYS} WHERE login = $1 AND revoked_at IS NULL ${BY_AGE}`, [name])
    return { ...readLogin(row), keys: keys.map(readKey) }
  }

  async addKey(key: StoredKey): Promise<void> {
    const { login, fingerprint } = key
    await this.#change(async (query) => {
      await requireLogin(query, login)
      const [same] = await query(`${KEYS} WHERE fingerprint = $1`, [fingerprint])
      refuseKnownKey(same === undefined ? undefined : readKey(same))
      const ofLogin = `${KEYS} WHERE login = $1 AND revoked_at IS NULL ${BY_AGE}`
      requireRoom(key, (await query(ofLogin, [login])).map(readKey))
      await insert(query, 'keys', keyColumnsOf(key))
    })
  }

  async listKeys(login?: string): Promise<readonly StoredKey[]> {
    const { query } = this.#database
    if (login === undefined) return (await query(`${USED_KEYS} ${BY_AGE}`)).map(readKey)
    await requireLogin(query, login)
    return (await query(`${USED_KEYS} WHERE login = $1 ${BY_AGE}`, [login])).map(readKey)
  }

  async revokeKey(keyId: string, revokedAt: Date): Promise<StoredKey> {
    return await this.#change(async (query) => {
      const [row] = await query(`${KEYS} WHERE key_id = $1`, [keyId])
      if (row === undefined) throw unknownKey(keyId)
      const key = readKey(row)
      requireActive(key)
      const revoke = 'UPDATE keys SET revoked_at = $1 WHERE key_id = $2'
      await query(revoke, [revokedAt.getTime(), keyId])
      await query(END_SESSIONS, [key.login])
      return { ...key, revokedAt }
    })
  }

  /** Changes follow one another, so that what a change has read is still true when it writes. */
  async #change<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return await this.#database.transaction(work, LOCKS.credentials)
  }
}

async function requireLogin(query: Query, login: string): Promise<void> {
  const [row] = await query(FIND_LOGIN, [login])
  if (row === undefined) throw unknownLogin(login)
}

async function insert(
  query: Query,
  table: 'logins' | 'keys',
  columns: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = Object.keys(columns)
  const places = names.map((_, index) => `$${index + 1}`)
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`
  await query(sql, Object.values(columns))
}
