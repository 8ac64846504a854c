import * as z from 'zod'
import type { PostgresDatabase } from './postgres-database.ts'
import { readKey, readLogin } from './rows.ts'
import type { LoginWithKeys } from './store.ts'

/** A login's newest change. Without columns the login is gone. */
const changeRow = z.object({
  name: z.string(),
  change: z.int(),
  login_columns: z.record(z.string(), z.unknown()).nullable(),
})

const keyOfChange = z.looseObject({ key_id: z.string().nullable() })

/** One statement, and so one snapshot: a login, its keys and their newest change fit together. */
const CHANGES = `
SELECT credential_changes.login AS name, change, to_json(logins) AS login_columns, keys.*
FROM credential_changes
LEFT JOIN logins USING (login)
LEFT JOIN keys ON keys.login = credential_changes.login AND keys.revoked_at IS NULL
WHERE change > $1
ORDER BY change, keys.created_at, keys.number`

/**
 * Every login with its active keys, in memory. A look-up runs one statement, which returns the logins that somebody has
 * changed since the last look-up: for a login that exists the same as for one that does not. The first look-up reads
 * all. Memory: about 3 KB for a login with two keys.
 */
export class PostgresKnownLogins {
  readonly #database: Pick<PostgresDatabase, 'query'>
  readonly #logins = new Map<string, { readonly change: number; readonly login?: LoginWithKeys }>()
  /** The newest change that the map has. */
  #change = 0

  constructor(database: Pick<PostgresDatabase, 'query'>) {
    this.#database = database
  }

  async find(name: string): Promise<LoginWithKeys | undefined> {
    const rows = await this.#database.query(CHANGES, [this.#change])
    const changed = new Map<string, { change: number; login?: LoginWithKeys }>()
    for (const row of rows) {
      const { name: login, change, login_columns: columns } = changeRow.parse(row)
      const known = changed.get(login)?.login ?? (columns && { ...readLogin(columns), keys: [] })
      const { key_id: keyId } = keyOfChange.parse(row)
      const keys = known && keyId !== null ? [...known.keys, readKey(row)] : (known?.keys ?? [])
      changed.set(login, { change, ...(known && { login: { ...known, keys } }) })
    }
    for (const [login, entry] of changed) {
      // Look-ups overlap: an earlier snapshot may arrive later.
      if (entry.change <= (this.#logins.get(login)?.change ?? 0)) continue
      this.#logins.set(login, entry)
      this.#change = Math.max(this.#change, entry.change)
    }
    return this.#logins.get(name)?.login
  }
}
