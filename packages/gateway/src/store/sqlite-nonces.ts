import type { DatabaseSync } from 'node:sqlite'
import type { NonceOutcome, NonceUse } from '@counterfoil/signing'
import { LIMITS } from '../limits.ts'
import { hashNonce } from './hash-nonce.ts'
import type { Transactions } from './sqlite-transactions.ts'
import type { Store } from './store.ts'

/** Spent nonces, in tables of the store's database. */
export class SqliteNonces implements Pick<Store, 'spendNonce'> {
  readonly #statements: ReturnType<typeof prepare>
  readonly #transactions: Transactions
  /** The clock of the spend before; nothing is forgotten by the first one. */
  #clockSeconds = 0

  constructor(database: DatabaseSync, transactions: Transactions) {
    this.#statements = prepare(database)
    this.#transactions = transactions
  }

  async spendNonce(use: NonceUse, nowSeconds: number): Promise<NonceOutcome> {
    const { consumerKey, timestampSeconds, nonce } = use
    const { newerForgotten, insertNonce, forgetNonces } = this.#statements
    if (timestampSeconds <= nowSeconds - LIMITS.nonceKeptSeconds) return 'expired'
    const hash = hashNonce(consumerKey, timestampSeconds, nonce)
    const { changes } = this.#transactions.read(() =>
      insertNonce.run(consumerKey, timestampSeconds, hash),
    )
    if (changes === 0) {
      const isForgotten = this.#transactions.read(() =>
        newerForgotten.get(consumerKey, timestampSeconds),
      )
      return isForgotten ? 'expired' : 'replayed'
    }
    // A clock that reads wrong once makes the store forget nothing.
    const forgottenUpTo = Math.min(nowSeconds, this.#clockSeconds) - LIMITS.nonceKeptSeconds
    this.#clockSeconds = nowSeconds
    this.#transactions.read(() =>
      forgetNonces.run(consumerKey, forgottenUpTo, LIMITS.noncesForgottenMax),
    )
    await this.#transactions.reachDisk()
    return 'spent'
  }
}

function prepare(database: DatabaseSync) {
  const statement = (sql: string) => database.prepare(sql)
  return {
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
