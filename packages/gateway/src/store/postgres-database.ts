import pg from 'pg'
import { GatewayError } from '../errors.ts'
import { storeBusy, storeFailure } from './store-failure.ts'

/** Runs one statement, and returns its rows. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly unknown[]>

/** The locks of transactions that must not run beside another one of their kind, on any gateway. */
export const LOCKS = { migrations: 1, credentials: 2, relay: 3 } as const

/** Distinguishes the gateway's advisory locks from those of other programs in the same database. */
const LOCK_CLASS = 0x636f_756e

/**
 * SQLSTATE codes and classes of failures that pass: the connection, resources, a shutdown or failover, a time-out, a
 * lock (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const PASSING = /^(08|40|53|57|58)|^(25006|25P03|55P03)$/

/** A pool of connections to the database of a store. The pool replaces connections that broke. */
export class PostgresDatabase {
  readonly #pool: pg.Pool

  constructor(config: pg.PoolConfig) {
    this.#pool = new pg.Pool(config)
    // A connection that breaks while nobody uses it. The next query opens another one.
    this.#pool.on('error', () => {})
  }

  /** Runs one statement in a transaction of its own. */
  readonly query: Query = async (sql, values) => {
    return await attempt(async () => {
      const { rows } = await this.#pool.query(sql, values && [...values])
      return rows
    })
  }

  /**
   * Runs all of `work` or none, and returns when the transaction is on the disk.
   *
   * @param lock the transaction waits for another one that holds the lock
   */
  async transaction<T>(
    work: (query: Query) => Promise<T>,
    lock?: (typeof LOCKS)[keyof typeof LOCKS],
  ): Promise<T> {
    const client = await attempt(() => this.#pool.connect())
    // Without a listener, a connection that breaks between two statements would end the process.
    const ignore = (): void => {}
    client.on('error', ignore)
    const query: Query = async (sql, values) => {
      return await attempt(async () => (await client.query(sql, values && [...values])).rows)
    }
    let isDone = false
    try {
      await query('BEGIN')
      if (lock !== undefined)
        await query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK_CLASS, lock])
      const result = await work(query)
      await query('COMMIT')
      isDone = true
      return result
    } catch (cause) {
      throw storeFailure('The store failed', cause)
    } finally {
      client.off('error', ignore)
      // PostgreSQL rolls back what a closed connection has not committed.
      client.release(!isDone)
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof pg.DatabaseError && !PASSING.test(cause.code ?? '')) {
      throw storeFailure('The store failed', cause)
    }
    if (cause instanceof GatewayError) throw cause
    throw storeBusy(cause)
  }
}
