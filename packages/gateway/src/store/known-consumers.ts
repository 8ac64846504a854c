import type { DatabaseSync } from 'node:sqlite'
import { readConsumer, readKey } from './rows.ts'
import type { ConsumerWithKeys, StoredKey } from './store.ts'

/**
 * Every consumer with its active keys, in memory: a look-up runs the same statement for a login that exists and for one
 * that does not. The first look-up reads all consumers and keys; a later one reads again only the logins that somebody
 * has changed since, each with two statements. Memory: about 3 KB for a login with two keys.
 */
export class KnownConsumers {
  readonly #statements: ReturnType<typeof prepare>
  readonly #consumers = new Map<string, ConsumerWithKeys>()
  /** The newest of the store's changes that the map has; none before the first look-up. */
  #change: number | undefined
  /** SQLite's count of what other connections have written, by which the map is up to date. */
  #version = Number.NaN

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database)
  }

  find(login: string): ConsumerWithKeys | undefined {
    const version = Number(this.#statements.dataVersion.get()?.['data_version'])
    if (version !== this.#version) {
      if (this.#change === undefined) this.#readAll()
      else this.#readChanges(this.#change)
      this.#version = version
    }
    return this.#consumers.get(login)
  }

  /** This connection writes to consumers or keys, which SQLite does not count. */
  expectChanges(): void {
    this.#version = Number.NaN
  }

  #readAll(): void {
    const { newestChange, consumers, liveKeys } = this.#statements
    // The number comes first: a change after it is read again, which does no harm.
    this.#change = Number(newestChange.get()?.['newest'])
    const keys = new Map<string, StoredKey[]>()
    for (const row of liveKeys.iterate()) {
      const key = readKey(row)
      const others = keys.get(key.login)
      if (others) others.push(key)
      else keys.set(key.login, [key])
    }
    for (const row of consumers.iterate()) {
      const consumer = readConsumer(row)
      const { login } = consumer
      this.#consumers.set(login, { ...consumer, keys: keys.get(login) ?? [] })
    }
  }

  #readChanges(after: number): void {
    const { changes, consumer, liveKeysOf } = this.#statements
    for (const { login, newest } of changes.all(after)) {
      const row = consumer.get(String(login))
      if (row) {
        const keys = liveKeysOf.all(String(login)).map(readKey)
        this.#consumers.set(String(login), { ...readConsumer(row), keys })
      } else {
        this.#consumers.delete(String(login))
      }
      this.#change = Math.max(this.#change ?? 0, Number(newest))
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
    consumers: statement('SELECT * FROM consumers'),
    consumer: statement('SELECT * FROM consumers WHERE login = ?'),
    liveKeys: statement(`${liveKeys} ORDER BY created_at, rowid`),
    liveKeysOf: statement(`${liveKeys} AND login = ? ORDER BY created_at, rowid`),
  }
}
