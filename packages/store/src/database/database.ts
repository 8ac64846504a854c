import { type Dialect, Kysely, type Transaction as TransactionOf } from 'kysely'
import { GatewayError } from '@counterfoil/common'
import { SCHEMA_VERSION, type Tables } from './schema.ts'

/** The queries of a store. */
export type Queries = Kysely<Tables>

/** The queries of a transaction. */
export type Transaction = TransactionOf<Tables>

/** Work that must not run beside other work of its kind, in any process. */
export const LOCKS = { tables: 1, credentials: 2, relay: 3 } as const

/** The kind of a lock. */
export type Lock = keyof typeof LOCKS

/** What differs between databases. */
export interface Backend {
  /** Its driver throws a `GatewayError` of the code `store` or `store-busy` for a statement that fails. */
  readonly dialect: Dialect
  /** Waits for other transactions of the lock. Holds the lock until the end of the transaction. */
  lock(transaction: Transaction, lock: Lock): Promise<void>
  /** Waits until what was committed is on the disk. */
  reachDisk(): Promise<void>
  /** Releases what the dialect does not. */
  close(): void
}

/** The database of a store. */
export class Database {
  readonly queries: Queries
  readonly #backend: Backend

  constructor(backend: Backend) {
    this.#backend = backend
    this.queries = new Kysely<Tables>({ dialect: backend.dialect })
  }

  /** Runs all of `work` or none, and returns when it is on the disk. Transactions with the same lock run in turn. */
  async transaction<T>(
    lock: Lock | undefined,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const result = await this.queries.transaction().execute(async (transaction) => {
      if (lock) await this.#backend.lock(transaction, lock)
      return await work(transaction)
    })
    await this.reachDisk()
    return result
  }

  /** Waits until what was committed is on the disk. */
  async reachDisk(): Promise<void> {
    await this.#backend.reachDisk()
  }

  async close(): Promise<void> {
    await this.queries.destroy()
    this.#backend.close()
  }
}

/**
 * Throws if another version of the gateway made the tables.
 *
 * @returns whether there are no tables yet
 */
export function lacksTables(version: number): boolean {
  if (version === SCHEMA_VERSION || version === 0) return version === 0
  const message = `The store has version ${version}, of a newer gateway`
  throw new GatewayError('store', `${message}. This gateway reads version ${SCHEMA_VERSION}`)
}
