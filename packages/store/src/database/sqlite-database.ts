import { chmodSync, closeSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { LIMITS } from '@counterfoil/common'
import {
  createDatabase,
  type Database,
  type Execute,
  lacksTables,
  sql,
  storeFailure,
} from './database.ts'
import { SCHEMA_VERSION, SQLITE_TABLES } from './schema.ts'

const SQLITE_BUSY = 5
const WAL_WAIT_MS = 10
const BUSY_WAIT_MS = 2
/** Longer statements have a value for each of many rows, and rarely come again. */
const KEPT_STATEMENT_CHARACTERS = 2_000
const PAGES_MAX = 2 ** 31 - 1

const toDisk = promisify(fdatasync)

/** Opens the store in a SQLite file that only its owner can read, and creates it if there is none. */
export function openSqliteDatabase(file: string): Database {
  try {
    createPrivately(file)
    const database = new DatabaseSync(file, { timeout: LIMITS.storeBusyTimeoutMs })
    switchToWal(database)
    // `reachDisk` writes the log to the disk before an answer. A thread waits for the disk, so that reports go on.
    database.exec('PRAGMA synchronous = NORMAL')
    createTables(database)
    database.exec('PRAGMA busy_timeout = 0')
    const log = openSync(`${file}-wal`, 'r+')
    const execute = executorOf(database)
    let last: Promise<unknown> = Promise.resolve()
    return createDatabase({
      // There is one connection. Its users take turns.
      connect: async (work) => {
        const turn = last.then(() => work(execute))
        last = turn.catch(() => {})
        return await turn
      },
      // The transaction takes SQLite's only lock first: no other process writes after the transaction has read.
      begin: async (connection) => void (await connection(sql`BEGIN IMMEDIATE`)),
      reachDisk: async () => {
        await toDisk(log).catch((cause: unknown) => {
          throw storeFailure('The store cannot write to the disk', cause)
        })
      },
      share: (_, work) => work(),
      close: async () => {
        await last
        if (!database.isOpen) return
        database.close()
        closeSync(log)
      },
    })
  } catch (cause) {
    throw storeFailure(`Cannot open the store ${file}`, cause)
  }
}

/** Creates the file, or takes from all but its owner the rights on it. SQLite gives its other files the same mode. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
}

/** While another process switches a new file, SQLite fails at once: its own time-out does not apply here. */
function switchToWal(database: DatabaseSync): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (let waitedMs = 0; ; waitedMs += WAL_WAIT_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (cause) {
      if (!isBusy(cause) || waitedMs >= LIMITS.storeBusyTimeoutMs) throw cause
      Atomics.wait(sleeper, 0, 0, WAL_WAIT_MS)
    }
  }
}

function createTables(database: DatabaseSync): void {
  const readVersion = () => Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (!lacksTables(readVersion())) return
  database.exec('BEGIN IMMEDIATE')
  // Another process may have created them meanwhile.
  if (lacksTables(readVersion())) database.exec(SQLITE_TABLES)
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)
}

/** Runs statements, and keeps them prepared. Waits for other processes that write without holding up this one. */
function executorOf(database: DatabaseSync): Execute {
  const kept = new Map<string, StatementSync>()
  return async (statement) => {
    const text = statement.write(() => '?')
    for (let waitedMs = 0; ; waitedMs += BUSY_WAIT_MS) {
      try {
        const prepared = kept.get(text) ?? database.prepare(text)
        if (text.length < KEPT_STATEMENT_CHARACTERS) kept.set(text, prepared)
        if (prepared.columns().length > 0) {
          return { rows: prepared.all(...statement.values), changes: 0 }
        }
        return { rows: [], changes: Number(prepared.run(...statement.values).changes) }
      } catch (cause) {
        if (!isBusy(cause) || waitedMs >= LIMITS.storeBusyTimeoutMs) {
          throw storeFailure('The store failed', cause)
        }
        await sleep(BUSY_WAIT_MS)
      }
    }
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY
}

/** The store in a SQLite file at one moment. */
export type SqliteMoment = ReturnType<typeof holdSqlite>

/** Holds this moment of a SQLite file. Close it soon, because the write-ahead log grows until then. */
export function holdSqlite(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    // The transaction begins with its first read.
    database.exec('BEGIN; SELECT 1 FROM sqlite_schema')
  } catch (error) {
    database.close()
    throw error
  }
  return {
    /** Copies the store of that moment to a new file. Other processes may write to the store meanwhile. */
    copy: async (target: string): Promise<void> => {
      // All pages in one step, on the connection whose transaction reads the moment.
      await backup(database, target, { rate: PAGES_MAX })
    },
    rows: (table: string, orderedBy: string | undefined): Iterable<object> => {
      const order = orderedBy === undefined ? '' : ` ORDER BY ${orderedBy}`
      return database.prepare(`SELECT * FROM ${table}${order}`).iterate()
    },
    close: () => database.close(),
  }
}
