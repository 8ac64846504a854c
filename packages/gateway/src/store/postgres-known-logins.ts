import * as z from 'zod'
import type { Query } from './postgres-database.ts'
import { readKey, readLogin } from './rows.ts'
import { StandIns } from './stand-ins.ts'
import type { LoginWithKeys, StoredKey } from './store.ts'

const newestRow = z.object({ newest: z.int() })
const changeRow = z.object({ login: z.string(), change: z.int() })

/** The logins that the first look-up reads at a time, so that a statement ends before its time-out. */
const LOGINS_AT_ONCE = 5_000

const NEWEST = 'SELECT coalesce(max(change), 0) AS newest FROM credential_changes'
const CHANGES = `SELECT login, change FROM credential_changes WHERE change > $1
  ORDER BY change LIMIT ${LOGINS_AT_ONCE}`
const LOGINS = 'SELECT * FROM logins WHERE login = ANY ($1) AND removed_at IS NULL'
const KEYS = `SELECT * FROM keys WHERE login = ANY ($1) AND revoked_at IS NULL
  ORDER BY created_at, number`

/**
 * Every login with its active keys, in memory. A look-up asks for the newest change, and reads the logins that somebody
 * has changed since the last look-up: the same statements for a login that exists and for one that does not. The first
 * look-up reads all logins. Memory: about 3 KB for a login with two keys.
 */
export class PostgresKnownLogins {
  readonly #query: Query
  readonly #logins = new Map<string, LoginWithKeys>()
  readonly #standIns = new StandIns(this.#logins)
  readonly #readKeys: StoredKey[] = []
  /** The newest change that the map has. */
  #change = 0
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(query: Query) {
    this.#query = query
  }

  async find(name: string): Promise<LoginWithKeys | undefined> {
    // A running refresh may have missed the newest change. All look-ups in the meantime share the refresh after it, so
    // that strangers cannot take more than one connection.
    this.#next ??= this.#running.then(() => this.#begin())
    await this.#next
    return this.#logins.get(name)
  }

  /** See `Store.findStandIn`. */
  findStandIn(name: string, login: LoginWithKeys | undefined): LoginWithKeys | undefined {
    return this.#standIns.find(name, login)
  }

  /** See `Store.chooseStandInsBy`. */
  chooseStandInsBy(secret: string): void {
    this.#standIns.useSecret(secret)
  }

  /** See `Store.takeReadKeys`. */
  takeReadKeys(countMax: number): readonly StoredKey[] {
    return this.#readKeys.splice(0, countMax)
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const refresh = this.#refresh()
    this.#running = refresh.catch(() => {})
    return refresh
  }

  async #refresh(): Promise<void> {
    const [row] = await this.#query(NEWEST)
    const { newest } = newestRow.parse(row)
    while (this.#change < newest) {
      const rows = await this.#query(CHANGES, [this.#change])
      const changes = rows.map((change) => changeRow.parse(change))
      await this.#readLogins(changes.map(({ login }) => login))
      this.#change = changes.at(-1)?.change ?? newest
    }
  }

  /** Reads logins again. Later changes have higher numbers, so the next look-up reads what this one misses. */
  async #readLogins(names: readonly string[]): Promise<void> {
    const logins = (await this.#query(LOGINS, [names])).map(readLogin)
    const keys = new Map<string, StoredKey[]>()
    for (const key of (await this.#query(KEYS, [names])).map(readKey)) {
      keys.set(key.login, [...(keys.get(key.login) ?? []), key])
      this.#readKeys.push(key)
    }
    this.#standIns.forget()
    for (const name of names) this.#logins.delete(name)
    for (const login of logins) {
      this.#logins.set(login.name, { ...login, keys: keys.get(login.name) ?? [] })
    }
  }
}
