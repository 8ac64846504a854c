import { closeSync, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { storeFailure } from './store-failure.ts'

const toDisk = promisify(fdatasync)

/** Runs what touches the store's database. A failure throws a `GatewayError` of the code `store`. */
export class Transactions {
  readonly #database: DatabaseSync
  /** SQLite's write-ahead log, which holds what was committed. */
  readonly #log: number

  constructor(database: DatabaseSync, file: string) {
    this.#database = database
    this.#log = openSync(`${file}-wal`, 'r+')
  }

  read<T>(work: () => T): T {
    return attempt(work)
  }

  /** Runs all of `work` or none. */
  run<T>(work: () => T): T {
    return attempt(() => transaction(this.#database, work))
  }

  /** Runs all of `work` or none, and returns when it has reached the disk. */
  async durably<T>(work: () => T): Promise<T> {
    const result = this.run(work)
    await this.reachDisk()
    return result
  }

  /**
   * Waits until what was committed is on the disk. A thread waits, so that reports go on meanwhile, and many commits
   * wait together.
   */
  async reachDisk(): Promise<void> {
    try {
      await toDisk(this.#log)
    } catch (cause) {
      throw storeFailure('The store cannot write to the disk', cause)
    }
  }

  close(): void {
    closeSync(this.#log)
  }
}

/** Runs all of `work` or none; IMMEDIATE, so that no other process writes between its reads and its writes. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw cause
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw storeFailure('The store failed', cause)
  }
}
