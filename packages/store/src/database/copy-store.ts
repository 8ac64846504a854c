import * as z from 'zod'
import { GatewayError } from '@counterfoil/common'
import { type Queries, rawSql, sql, storeFailure, type Value } from './database.ts'
import { openWithoutTimeouts, type PostgresSettings } from './postgres-database.ts'
import { TABLES } from './schema.ts'
import { holdSqlite, openSqliteDatabase, type SqliteMoment } from './sqlite-database.ts'

const BATCH_ROWS = 1_000

/**
 * Copies a store from a SQLite file to PostgreSQL: all of it or nothing. Returns the number of rows of each table.
 *
 * @throws {GatewayError} `store` if the store in PostgreSQL is not empty
 */
export async function copyStore(file: string, settings: PostgresSettings) {
  await openSqliteDatabase(file).close()
  const source = holdSqlite(file)
  try {
    const target = await openWithoutTimeouts(settings)
    const copied = target.transaction('tables', (queries) => copyTables(source, queries))
    return await copied.finally(() => target.close())
  } catch (cause) {
    throw storeFailure('Cannot copy the store', cause)
  } finally {
    source.close()
  }
}

async function copyTables(source: SqliteMoment, target: Queries) {
  // PostgreSQL's `operation_numbers` has its only row from the beginning.
  await target.run(sql`DELETE FROM operation_numbers`)
  for (const { table } of TABLES) await requireEmpty(target, table)
  const copied = []
  for (const { table, numbering } of TABLES) {
    copied.push({ table, rows: await copyTable(source, target, table, numbering) })
  }
  return copied
}

async function requireEmpty(target: Queries, table: string): Promise<void> {
  const row = await target.first(z.object({}), sql`SELECT * FROM ${rawSql(table)} LIMIT 1`)
  if (row === undefined) return
  const advice = 'Copy to an empty database. docs/servers.md says how to empty a store'
  throw new GatewayError('store', `The store in PostgreSQL has rows already (${table}). ${advice}`)
}

/** Copies the rows of a table in batches. The rows get new numbers, in the same order. */
async function copyTable(
  source: SqliteMoment,
  target: Queries,
  table: string,
  numbering: string | undefined,
): Promise<number> {
  let rows = 0
  let batch: (readonly [string, Value])[][] = []
  const send = async (): Promise<void> => {
    const [first] = batch
    if (!first) return
    const columns = rawSql(first.map(([column]) => column).join(', '))
    const values = batch.map((row) => sql`(${row.map(([, value]) => value)})`)
    await target
      .run(sql`INSERT INTO ${rawSql(table)} (${columns}) VALUES ${values}`)
      .catch((cause: unknown) => {
        const reason = cause instanceof GatewayError ? cause.cause : cause
        throw storeFailure(`Cannot copy the table ${table}`, reason)
      })
    rows += batch.length
    batch = []
  }
  for (const row of source.rows(table, numbering)) {
    batch.push(Object.entries(row).filter(([column]) => column !== numbering))
    if (batch.length === BATCH_ROWS) await send()
  }
  await send()
  // A planner without statistics would read complete tables for one row.
  await target.run(sql`ANALYZE ${rawSql(table)}`)
  return rows
}
