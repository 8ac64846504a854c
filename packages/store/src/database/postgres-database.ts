import { readFileSync } from 'node:fs'
import pg from 'pg'
import * as z from 'zod'
import {
  databaseAddress,
  FairQueue,
  GatewayError,
  LIMITS,
  type PasswordSource,
  readPassword,
} from '@counterfoil/common'
import {
  createDatabase,
  type Database,
  type Execute,
  lacksTables,
  LOCKS,
  rawSql,
  sql,
  storeFailure,
} from './database.ts'
import { POSTGRES_TABLES, SCHEMA_VERSION } from './schema.ts'

/** What a configuration says of the PostgreSQL that holds the store. */
export interface PostgresSettings extends PasswordSource {
  /** `postgres://user@host:5432/database`, without a password. */
  readonly url: string
  readonly caFile?: string | undefined
}

const SCHEMA = 'counterfoil'
const PORT = 5432

/** Distinguishes the gateway's advisory locks from those of other programs in the same database. */
const LOCK_CLASS = 0x636f_756e

/** What every connection sets. The values of the database or of its user may be others. */
const SESSION = {
  // A commit returns when it is on the disk.
  synchronous_commit: 'on',
  // Statements after a wait for a lock must see what the other transaction has committed.
  default_transaction_isolation: 'read\\ committed',
  search_path: `${SCHEMA},pg_temp`,
}

/**
 * SQLSTATE codes and classes of failures that pass: the connection, resources, a shutdown or failover, a time-out, a
 * lock (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const PASSING = /^(08|40|53|57|58)|^(25006|25P03|55P03)$/

/** Opens the store in PostgreSQL, and creates its tables if there are none. Several gateways may have it open. */
export async function openPostgresDatabase(settings: PostgresSettings): Promise<Database> {
  await (await openWithoutTimeouts(settings)).close()
  return connectPostgres(poolConfigOf(settings, LIMITS.storeBusyTimeoutMs))
}

/** Opens the store as {@link openPostgresDatabase} does. Its statements may take as long as they need. */
export async function openWithoutTimeouts(settings: PostgresSettings): Promise<Database> {
  const database = connectPostgres(poolConfigOf(settings, 0))
  try {
    await createTables(database)
    return database
  } catch (cause) {
    await database.close()
    const { host, pathname } = new URL(settings.url)
    // The operator needs the reason, which a caller does not get.
    const isAway = cause instanceof GatewayError && cause.code === 'store-busy'
    const message = `Cannot open the store in PostgreSQL (${host}${pathname})`
    throw storeFailure(message, isAway ? cause.cause : cause)
  }
}

/** Makes the configuration of the pool. Each new connection reads the password. `timeoutMs` 0 means no limit. */
export function poolConfigOf(
  { url, caFile, ...source }: PostgresSettings,
  timeoutMs: number,
): pg.PoolConfig {
  const { server, isSecured } = databaseAddress(url, PORT)
  const types = new pg.TypeOverrides()
  // Every bigint of the store is a time, an id or a count below 2^53.
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.BYTEA, readBytes)
  const session = Object.entries(SESSION).map(([name, value]) => `-c ${name}=${value}`)
  return {
    ...server,
    ...((source.passwordFile ?? source.passwordEnvironment) !== undefined && {
      password: () => readPassword(source),
    }),
    ssl: isSecured && (caFile === undefined || { ca: readFileSync(caFile, 'utf8') }),
    types,
    options: session.join(' '),
    application_name: 'counterfoil',
    max: LIMITS.storeConnectionsMax,
    connectionTimeoutMillis: LIMITS.storeBusyTimeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    // A gateway that dies within a transaction frees its locks.
    idle_in_transaction_session_timeout: timeoutMs,
    keepAlive: true,
  }
}

/** Reads bytes in PostgreSQL's hex format: `\x00ff`. */
function readBytes(written: string): Uint8Array {
  return new Uint8Array(Buffer.from(written.slice(2), 'hex'))
}

/** Connects to PostgreSQL when a query needs a connection. The pool replaces connections that broke. */
export function connectPostgres(config: pg.PoolConfig): Database {
  const pool = new pg.Pool(config)
  // A connection that breaks while nobody uses it. The next query opens another one.
  pool.on('error', () => {})
  const { storeConnectionsMax: places, storeBusyTimeoutMs: waitMs } = LIMITS
  const queue = new FairQueue({
    places,
    perLogin: Math.ceil(places / 2),
    waitingMax: Number.POSITIVE_INFINITY,
    waitMs,
    busy: { code: 'store-busy', message: 'The store is busy.' },
  })
  return createDatabase({
    connect: (work) => withClient(pool, work),
    begin: async (execute, lock) => {
      await execute(sql`BEGIN`)
      if (lock) await execute(sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[lock]})`)
    },
    // A commit returns when it is on the disk.
    reachDisk: async () => {},
    share: (login, work) => queue.run(login, work),
    close: () => pool.end(),
  })
}

/** Gives `work` a connection. Closes a connection that failed, and runs no other statement on it. */
async function withClient<T>(pool: pg.Pool, work: (execute: Execute) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw failureOf(cause)
  })
  let broken: GatewayError | undefined
  // Without a listener, a connection that breaks between two statements would end the process.
  const ignore = (): void => {}
  client.on('error', ignore)
  try {
    return await work(async (statement) => {
      if (broken) throw broken
      try {
        const text = statement.write((number) => `$${number}`)
        const { rows, rowCount } = await client.query<object>(text, [...statement.values])
        return { rows, changes: rowCount ?? 0 }
      } catch (cause) {
        const failure = failureOf(cause)
        if (!(cause instanceof pg.DatabaseError)) broken = failure
        throw failure
      }
    })
  } finally {
    client.off('error', ignore)
    client.release(broken !== undefined)
  }
}

function failureOf(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  const isLasting = cause instanceof pg.DatabaseError && !PASSING.test(cause.code ?? '')
  if (isLasting) return storeFailure('The store failed', cause)
  const advice = `Sign again and retry in ${LIMITS.retryAfterSeconds} seconds.`
  return new GatewayError('store-busy', `The store is not available. ${advice}`, { cause })
}

const anything = z.object({})
const versionRow = z.object({ version: z.int() })

/** Gateways that start together wait for each other. */
async function createTables(database: Database): Promise<void> {
  await database.transaction('tables', async (queries) => {
    // An administrator may have created the schema for a user that may not.
    const schema = sql`SELECT 1 AS known FROM pg_namespace WHERE nspname = ${SCHEMA}`
    if (!(await queries.first(anything, schema)))
      await queries.run(rawSql(`CREATE SCHEMA ${SCHEMA}`))
    const known = sql`SELECT 1 AS known WHERE to_regclass('schema_version') IS NOT NULL`
    if (!(await queries.first(anything, known))) {
      await queries.run(sql`CREATE TABLE schema_version AS SELECT 0 AS version`)
    }
    const row = await queries.first(versionRow, sql`SELECT version FROM schema_version`)
    if (!lacksTables(row?.version ?? 0)) return
    await queries.run(rawSql(POSTGRES_TABLES))
    await queries.run(sql`UPDATE schema_version SET version = ${SCHEMA_VERSION}`)
  })
}
