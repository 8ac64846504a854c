import { chmodSync, closeSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { LIMITS } from '@counterfoil/common'
import { Database, lacksTables } from './database.ts'
import { SCHEMA_VERSION, SQLITE_TABLES } from './schema.ts'
import { storeFailure } from './store-failure.ts'

const SQLITE_BUSY = 5
const WAL_WAIT_MS = 10
const BUSY_WAIT_MS = 2
/** Longer statements have a value for each of many rows, and rarely come again. */
const KEPT_STATEMENT_CHARACTERS = 2_000

const toDisk = promisify(fdatasync)

/**
 * Opens the store in a SQLite file that only its owner can read, and creates it if there is none.
 *
 * @throws {GatewayError} `store` if the file is not a store, or has the tables of another version
 */
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
    return new Database({
      dialect: createDialect(database),
      // A transaction takes SQLite's only lock when it begins.
      lock: async () => {},
      reachDisk: async () => {
        await toDisk(log).catch((cause: unknown) => {
          throw storeFailure('The store cannot write to the disk', cause)
        })
      },
      close: () => {
        if (database.isOpen) database.close()
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

function createDialect(database: DatabaseSync): Dialect {
  const config = { database: adapt(database) }
  const dialect = new SqliteDialect(config)
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new WaitingDriver(config),
    createIntrospector: (queries) => dialect.createIntrospector(queries),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

/** Gives Kysely the interface that it expects, and keeps prepared statements. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  return {
    prepare: (sql) => {
      const known = kept.get(sql)
      if (known) return known
      const statement = adaptStatement(database, sql)
      if (sql.length < KEPT_STATEMENT_CHARACTERS) kept.set(sql, statement)
      return statement
    },
    close: () => database.close(),
  }
}

function adaptStatement(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  // The types of the tables have no other values.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  }
}

/** Waits for other processes that write without holding up this one. */
class WaitingDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined

  override async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#connection) return this.#connection
    const own = await super.acquireConnection()
    this.#connection = {
      executeQuery: (query) => retryWhileBusy(() => own.executeQuery(query)),
      streamQuery: (query, rows) => own.streamQuery(query, rows),
    }
    return this.#connection
  }

  /** Takes the lock for writing first: no other process writes after the transaction has read. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'))
  }
}

async function retryWhileBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += BUSY_WAIT_MS) {
    try {
      return await work()
    } catch (cause) {
      if (!isBusy(cause) || waitedMs >= LIMITS.storeBusyTimeoutMs) {
        throw storeFailure('The store failed', cause)
      }
      await sleep(BUSY_WAIT_MS)
    }
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY
}
