import * as z from 'zod'
import type { PostgresDatabase } from './postgres-database.ts'
import { readKey, readLogin } from './rows.ts'
import type { LoginWithKeys } from './store.ts'

/** A changed login with one of its active keys. The columns are NULL where the login is gone, or has no key. */
const changeRow = z.looseObject({
  name: z.string(),
  change: z.int(),
  login_columns: z.record(z.string(), z.unknown()).nullable(),
  key_id: z.string().nullable(),
})

/** One statement, and so one snapshot: a login, its keys and their newest change fit together. */
const CHANGES = `
SELECT credential_changes.login AS name, change, to_json(logins) AS login_columns, keys.*
FROM credential_changes
LEFT JOIN logins USING (login)
LEFT JOIN keys ON keys.login = credential_changes.login AND keys.revoked_at IS NULL
WHERE change > $1
ORDER BY change, keys.created_at, keys.number`

/**
 * Every login with its active keys, in memory. A look-up waits for a statement that returns the logins that somebody
 * has changed since the last one: for a login that exists the same as for one that does not. The first statement reads
 * all. Memory: about 3 KB for a login with two keys.
 */
export class PostgresKnownLogins {
  readonly #database: Pick<PostgresDatabase, 'query'>
  readonly #logins = new Map<string, LoginWithKeys>()
  /** The newest change that the map has. */
  #change = 0
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(database: Pick<PostgresDatabase, 'query'>) {
    this.#database = database
  }

  async find(name: string): Promise<LoginWithKeys | undefined> {
    // A running statement may have missed the newest change. All look-ups in the meantime share the one after it, so
    // that strangers cannot take more than one connection.
    this.#next ??= this.#running.then(() => this.#begin())
    await this.#next
    return this.#logins.get(name)
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const reading = this.#readChanges()
    this.#running = reading.catch(() => {})
    return reading
  }

  async #readChanges(): Promise<void> {
    const rows = await this.#database.query(CHANGES, [this.#change])
    let newest = this.#change
    const changed = new Map<string, LoginWithKeys | undefined>()
    for (const row of rows) {
      const { name, change, login_columns: columns, key_id: keyId } = changeRow.parse(row)
      const login = changed.get(name) ?? (columns && { ...readLogin(columns), keys: [] })
      const keys = login && keyId !== null ? [...login.keys, readKey(row)] : []
      changed.set(name, login ? { ...login, keys } : undefined)
      newest = change
    }
    for (const [name, login] of changed) {
      if (login) this.#logins.set(name, login)
      else this.#logins.delete(name)
    }
    this.#change = newest
  }
}
