import { type PostgresPoolClient, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { GatewayError, LIMITS } from '@counterfoil/common'
import { Database, lacksTables, LOCKS } from './database.ts'
import { type PostgresSettings, poolConfigOf, SCHEMA } from './postgres-settings.ts'
import { POSTGRES_TABLES, SCHEMA_VERSION } from './schema.ts'
import { storeBusy, storeFailure } from './store-failure.ts'

/** Distinguishes the gateway's advisory locks from those of other programs in the same database. */
const LOCK_CLASS = 0x636f_756e

/**
 * SQLSTATE codes and classes of failures that pass: the connection, resources, a shutdown or failover, a time-out, a
 * lock (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const PASSING = /^(08|40|53|57|58)|^(25006|25P03|55P03)$/

/**
 * Opens the store in PostgreSQL, and creates its tables if there are none. Several gateways may have it open.
 *
 * @throws {GatewayError} `store` if PostgreSQL cannot be reached, or has the tables of another version
 */
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

/** Connects to PostgreSQL when a query needs a connection. The pool replaces connections that broke. */
export function connectPostgres(config: pg.PoolConfig): Database {
  const pool = new pg.Pool(config)
  // A connection that breaks while nobody uses it. The next query opens another one.
  pool.on('error', () => {})
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect().catch((cause: unknown) => {
      throw failureOf(cause)
    })
    return guard(client)
  }
  return new Database({
    dialect: new PostgresDialect({
      pool: { connect, end: () => pool.end(), options: {} },
    }),
    lock: async (transaction, lock) => {
      await sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[lock]})`.execute(transaction)
    },
    // A commit returns when it is on the disk.
    reachDisk: async () => {},
    close: () => {},
  })
}

/** Tells failures of the connection from failures of a statement, and closes a connection that failed. */
function guard(client: pg.PoolClient): PostgresPoolClient {
  let broken: GatewayError | undefined
  // Without a listener, a connection that breaks between two statements would end the process.
  const ignore = (): void => {}
  client.on('error', ignore)
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    if (broken) throw broken
    try {
      return await client.query(text, [...values])
    } catch (cause) {
      const failure = failureOf(cause)
      if (!(cause instanceof pg.DatabaseError)) broken = failure
      throw failure
    }
  }
  const release = (): void => {
    client.off('error', ignore)
    client.release(broken !== undefined)
  }
  // Kysely declares a second form of `query`, for cursors.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { query, release } as PostgresPoolClient
}

function failureOf(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  const isLasting = cause instanceof pg.DatabaseError && !PASSING.test(cause.code ?? '')
  return isLasting ? storeFailure('The store failed', cause) : storeBusy(cause)
}

/** Gateways that start together wait for each other. */
async function createTables(database: Database): Promise<void> {
  await database.transaction('tables', async (transaction) => {
    const run = async <Row>(text: string) => (await sql.raw<Row>(text).execute(transaction)).rows
    // An administrator may have created the schema for a user that may not.
    const schema = await run(`SELECT 1 FROM pg_namespace WHERE nspname = '${SCHEMA}'`)
    if (schema.length === 0) await run(`CREATE SCHEMA ${SCHEMA}`)
    const version = await run("SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL")
    if (version.length === 0) await run('CREATE TABLE schema_version AS SELECT 0 AS version')
    const [row] = await run<{ readonly version: number }>('SELECT version FROM schema_version')
    if (!lacksTables(row?.version ?? 0)) return
    await run(POSTGRES_TABLES)
    await run(`UPDATE schema_version SET version = ${SCHEMA_VERSION}`)
  })
}
