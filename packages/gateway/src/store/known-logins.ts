import type { DatabaseSync } from 'node:sqlite'
import { readLogin, readKey } from './rows.ts'
import { StandIns } from './stand-ins.ts'
import type { LoginWithKeys, StoredKey } from './store.ts'

/**
 * Every login with its active keys, in memory: a look-up runs the same statement for a login that exists and for one
 * that does not. The first look-up reads all logins and keys; a later one reads again only the logins that somebody
 * has changed since, each with two statements. Memory: about 3 KB for a login with two keys.
 */
export class KnownLogins {
  readonly #statements: ReturnType<typeof prepare>
  readonly #logins = new Map<string, LoginWithKeys>()
  readonly #standIns = new StandIns(this.#logins)
  readonly #readKeys: StoredKey[] = []
  /** The newest of the store's changes that the map has; none before the first look-up. */
  #change: number | undefined
  /** SQLite's count of what other connections have written, by which the map is up to date. */
  #version = Number.NaN

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database)
  }

  find(name: string): LoginWithKeys | undefined {
    const version = Number(this.#statements.dataVersion.get()?.['data_version'])
    if (version !== this.#version) {
      if (this.#change === undefined) this.#readAll()
      else this.#readChanges(this.#change)
      this.#version = version
    }
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

  /** This connection writes to logins or keys, which SQLite does not count. */
  expectChanges(): void {
    this.#version = Number.NaN
  }

  #readAll(): void {
    const { newestChange, logins, liveKeys } = this.#statements
    this.#standIns.forget()
    // The number comes first: a change after it is read again, which does no harm.
    this.#change = Number(newestChange.get()?.['newest'])
    const keys = new Map<string, StoredKey[]>()
    for (const row of liveKeys.iterate()) {
      const key = readKey(row)
      this.#readKeys.push(key)
      const others = keys.get(key.login)
      if (others) others.push(key)
      else keys.set(key.login, [key])
    }
    for (const row of logins.iterate()) {
      const login = readLogin(row)
      this.#logins.set(login.name, { ...login, keys: keys.get(login.name) ?? [] })
    }
  }

  #readChanges(after: number): void {
    const { changes, loginNamed, liveKeysOf } = this.#statements
    for (const change of changes.all(after)) {
      this.#standIns.forget()
      const name = String(change['login'])
      const row = loginNamed.get(name)
      if (row) {
        const login = { ...readLogin(row), keys: liveKeysOf.all(name).map(readKey) }
        this.#logins.set(name, login)
        this.#readKeys.push(...login.keys)
      } else {
        this.#logins.delete(name)
      }
      this.#change = Math.max(this.#change ?? 0, Number(change['newest']))
    }
  }
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string) => database.prepare(sql)
  const liveKeys = 'SELECT * FROM keys WHERE revoked_at IS NULL'
  return {
    dataVersion: statement('PRAGMA data_version'),
    newestChange: statement('SELECT ifnull(max(change), 0) AS newest FROM credential_changes'),
    changes: statement(
      'SELECT login, max(change) AS newest FROM credential_changes WHERE change > ? GROUP BY login',
    ),
    logins: statement('SELECT * FROM consumers WHERE removed_at IS NULL'),
    loginNamed: statement('SELECT * FROM consumers WHERE login = ? AND removed_at IS NULL'),
    liveKeys: statement(`${liveKeys} ORDER BY created_at, rowid`),
    liveKeysOf: statement(`${liveKeys} AND login = ? ORDER BY created_at, rowid`),
  }
}
