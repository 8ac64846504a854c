import { sql } from 'kysely'
import { GatewayError } from '@counterfoil/common'
import type { Database, Transaction } from './database.ts'
import { openWithoutTimeouts } from './postgres-database.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { TABLES, type Tables } from './schema.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { storeFailure } from './store-failure.ts'

/** A table and the number of its copied rows. */
export interface CopiedTable {
  readonly table: string
  readonly rows: number
}

type Table = keyof Tables

const BATCH_ROWS = 1_000

/**
 * Copies a store from a SQLite file to PostgreSQL: all of it or nothing.
 *
 * @throws {GatewayError} `store` if the store in PostgreSQL is not empty
 */
export async function copyStore(
  file: string,
  settings: PostgresSettings,
): Promise<readonly CopiedTable[]> {
  const source = openSqliteDatabase(file)
  try {
    const target = await openWithoutTimeouts(settings)
    return await copyTables(source, target).finally(() => target.close())
  } catch (cause) {
    throw storeFailure('Cannot copy the store', cause)
  } finally {
    await source.close()
  }
}

/** Copies all tables in one transaction of each database, so that they are of the same moment. */
async function copyTables(source: Database, target: Database): Promise<readonly CopiedTable[]> {
  return await source.queries.transaction().execute(async (from) => {
    return await target.transaction('tables', async (to) => {
      // PostgreSQL's `operation_numbers` has its only row from the beginning.
      for (const { table } of TABLES)
        if (table !== 'operation_numbers') await requireEmpty(to, table)
      await to.deleteFrom('operation_numbers').execute()
      const copied: CopiedTable[] = []
      for (const { table, numbering } of TABLES) {
        copied.push({ table, rows: await copyTable(from, to, table, numbering) })
      }
      return copied
    })
  })
}

async function requireEmpty(queries: Transaction, table: Table): Promise<void> {
  const row = await queries.selectFrom(table).selectAll().limit(1).executeTakeFirst()
  if (row === undefined) return
  const advice = 'Copy to an empty database. docs/servers.md says how to empty a store'
  throw new GatewayError('store', `The store in PostgreSQL has rows already (${table}). ${advice}`)
}

/** Copies the rows of a table in batches. The rows get new numbers, in the same order. */
async function copyTable(
  from: Transaction,
  to: Transaction,
  table: Table,
  numbering: string | undefined,
): Promise<number> {
  const all = from.selectFrom(table).selectAll()
  const ordered = numbering === undefined ? all : all.orderBy(from.dynamic.ref(numbering))
  let rows = 0
  let batch: object[] = []
  const send = async (): Promise<void> => {
    if (batch.length === 0) return
    await to
      .insertInto(table)
      // The rows are of the same table.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      .values(batch as never)
      .execute()
      .catch((cause: unknown) => {
        const reason = cause instanceof GatewayError ? cause.cause : cause
        throw storeFailure(`Cannot copy the table ${table}`, reason)
      })
    rows += batch.length
    batch = []
  }
  for await (const row of ordered.stream()) {
    const entries = Object.entries(row).filter(([column]) => column !== numbering)
    batch.push(Object.fromEntries(entries))
    if (batch.length === BATCH_ROWS) await send()
  }
  await send()
  // A planner without statistics would read complete tables for one row.
  await sql`ANALYZE ${sql.table(table)}`.execute(to)
  return rows
}
