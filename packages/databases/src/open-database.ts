import { buffer } from 'node:stream/consumers'
import { GatewayError, LIMITS } from '@counterfoil/common'
import { clickHouseCode, type Queries } from '@counterfoil/engine'
import { openClickHouse, openS3 } from './clickhouse.ts'
import type { DatabaseSettings, SourceDatabase } from './source-database.ts'

/**
 * Connects to a database of the operator. The library of each kind of database is loaded when it is needed.
 *
 * @param engine reads the files of an object store, which needs it
 * @throws {GatewayError} `ledger` if it does not answer, or refuses the user
 */
export async function openDatabase(
  settings: DatabaseSettings,
  engine?: Queries,
): Promise<SourceDatabase> {
  try {
    return named(settings.title, await open(settings, engine))
  } catch (cause) {
    throw failureOf(settings.title, cause)
  }
}

async function open(settings: DatabaseSettings, engine?: Queries): Promise<SourceDatabase> {
  const { protocol } = new URL(settings.url)
  if (protocol === 's3:') {
    if (engine) return openS3(settings, engine)
    throw new GatewayError('config', 'expected a database. Write a source of Parquet by hand')
  }
  if (protocol === 'mysql:') return await (await import('./mysql.ts')).openMysql(settings)
  if (protocol.startsWith('http')) return openClickHouse(settings)
  return await (await import('./postgres.ts')).openPostgres(settings)
}

/**
 * Adds the name of the database to its errors. A query that sends nothing for too long fails, and so does one that runs
 * when the database is closed, whatever the library of the database does then.
 */
function named(title: string, database: SourceDatabase): SourceDatabase {
  const closed = Promise.withResolvers<never>()
  closed.promise.catch(() => {})
  const close = async (): Promise<void> => {
    closed.reject(new Error('the connection was closed'))
    await database.close()
  }
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const late = setTimeout(() => {
      closed.reject(new Error('the database sends nothing'))
      database.close().catch(() => {})
    }, LIMITS.databaseSilentMs)
    try {
      return await Promise.race([work, closed.promise])
    } finally {
      clearTimeout(late)
    }
  }
  return {
    ...database,
    close,
    columnsOf: async (query) => {
      return await inTime(database.columnsOf(query)).catch((cause: unknown) => {
        throw failureOf(title, cause)
      })
    },
    read: async function* (query) {
      const chunks = database.read(query)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await inTime(chunks.next())
          if (next.done === true) return
          yield next.value
        }
      } catch (cause) {
        // The text of an error may have a value of a row.
        const message = `${title}: cannot read the rows (${codeOf(cause)})`
        throw new GatewayError('ledger', message, { cause })
      }
    },
  }
}

function failureOf(title: string, error: unknown): GatewayError {
  const cause = causeOf(error)
  if (cause instanceof GatewayError) return cause
  // An error for each address of a host has no text.
  const reason = (cause instanceof Error && cause.message) || codeOf(cause)
  return new GatewayError('ledger', `${title}: ${reason}`, { cause })
}

function codeOf(error: unknown): string {
  const cause = causeOf(error)
  const code = clickHouseCode(cause)
  if (code > 0) return `ClickHouse error ${code}`
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause ? String(cause.code) : cause.name
}

/** What the engine's own errors are about. Their texts speak of reports. */
function causeOf(error: unknown): unknown {
  const isEngine = error instanceof GatewayError && error.code.startsWith('engine-')
  return isEngine ? (error.cause ?? error) : error
}

const TABLES = `SELECT table_schema, table_name FROM information_schema.tables WHERE lower(table_schema)
  NOT IN ('information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys', 'system') ORDER BY 1, 2 LIMIT 50`

/** Lists the first tables and views of a database: `public.payments`. */
export async function listTables(database: SourceDatabase): Promise<readonly string[]> {
  const lines = (await buffer(database.read(TABLES))).toString().replaceAll('"', '').split('\n')
  return lines.filter((line) => line !== '').map((line) => line.replace(',', '.'))
}
