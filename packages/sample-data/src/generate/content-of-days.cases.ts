import { type Queries, readRows } from '@counterfoil/engine'
import * as z from 'zod'
import { type DayRange, makeCalendar } from './calendar.ts'
import { countEntities } from './entities.ts'
import { insertTransactions } from './insert-transactions.ts'

// As text, because a hash of columns would be NULL if one of them is NULL.
// When the ledger received a row is no content.
const CONTENT = 'toString(sum(cityHash64(toString(tuple(* EXCEPT loaded_at)))))'

/** Returns a hash of the transactions of a table. */
export async function contentOf(engine: Queries, table: string): Promise<string> {
  const sql = `SELECT ${CONTENT} AS content FROM ${table}`
  const row = z.object({ content: z.string() })
  return (await readRows(engine, row, { sql, parameters: {} }))[0]?.content ?? ''
}

/** Generates transactions of some days in a separate table, and returns a hash of the table. */
export async function contentOfDays(
  engine: Queries,
  rows: number,
  seed: number,
  ranges: readonly DayRange[],
): Promise<string> {
  await engine.execute('DROP TABLE IF EXISTS others')
  await engine.execute('CREATE TABLE others AS transactions')
  const [calendar, entities] = [makeCalendar(rows), countEntities(rows)]
  for (const days of ranges) {
    await engine.execute(insertTransactions('others', calendar, entities, days), { seed })
  }
  return await contentOf(engine, 'others')
}
