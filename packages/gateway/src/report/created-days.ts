import * as z from 'zod'
import { type Queries, type EngineQuery, readRows } from '@counterfoil/engine'
import { axisOf, periodConditions, type Template } from '@counterfoil/templates'
import { axisNameOf, type ParameterValues } from './parameters.ts'

/** The dates whose minimum and maximum the ledger stores for each day of creation (`ledger/src/model/migrate-ledger.ts`). */
const INDEXED_DATES = ['processed_at', 'bank_date', 'settled_at']

const dayRow = z.object({ day: z.string() })

/**
 * Reads the days on which the transactions of a report may have been created, if its period goes by another date. The
 * ledger is sorted by day of creation, so the report then reads these days only. The query counts all logins and all
 * versions of a transaction. The result may include days without matching rows. It never omits a day that has some.
 *
 * @returns `undefined` if the report has to read every day
 */
export async function readCreatedDays(
  template: Template,
  input: ParameterValues,
  engine: Queries,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const query = createdDaysQuery(template, input)
  return query && (await readRows(engine, dayRow, query, signal)).map(({ day }) => day)
}

export function createdDaysQuery(
  { rows, from, period }: Template,
  input: ParameterValues,
): Pick<EngineQuery, 'sql' | 'parameters'> | undefined {
  // In a report with its own `from`, a column of this name may hold other values.
  const isLedger = rows === 'transactions' && from === undefined
  const axis = axisOf(period, axisNameOf(input))
  if (!isLedger || !axis || !INDEXED_DATES.includes(axis.sql)) return undefined
  const conditions = periodConditions(axis, (name) => Object.hasOwn(input, name), 'groups')
  if (conditions.length === 0) return undefined
  const sql = `SELECT toDate32(created_at) AS day FROM transactions
    GROUP BY day HAVING ${conditions.join(' AND ')}`
  return { sql, parameters: input }
}
