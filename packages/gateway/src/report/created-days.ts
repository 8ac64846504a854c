import * as z from 'zod'
import { type Engine, type EngineQuery, readRows } from '../engine/engine.ts'
import { axisOf, periodConditions } from '../templates/period.ts'
import type { Template } from '../templates/template.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'

/** The dates whose least and greatest the ledger keeps for each such day (`ledger/migrations.ts`). */
const KEPT_DATES = ['processed_at', 'bank_date', 'settled_at']

const dayRow = z.object({ day: z.string() })

/**
 * Reads on which days the transactions of a report may have come, where its period goes by another of their dates: the
 * ledger is kept by when they came, and other days need not be read. Every version that the ledger has of a transaction
 * counts, and everybody's do, so that days may be told that have nothing for the report, but none is left out that has.
 * Tells nothing where it may be any day.
 */
export async function readCreatedDays(
  template: Template,
  input: ParameterValues,
  engine: Engine,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const query = createdDaysQuery(template, input)
  return query && (await readRows(engine, dayRow, query, signal)).map(({ day }) => day)
}

/** SQL that holds for the transactions that came on some days, which are bound to a name that no report file can use. */
export function onCreatedDays(days: readonly string[]): Pick<EngineQuery, 'sql' | 'parameters'> {
  return {
    sql: 'toDate32(created_at) IN {_createdDays:Array(Date32)}',
    parameters: { _createdDays: days },
  }
}

/** The query that tells these days; it reads a row for each day and part of the ledger. */
export function createdDaysQuery(
  { rows, from, period }: Template,
  input: ParameterValues,
): Pick<EngineQuery, 'sql' | 'parameters'> | undefined {
  // In a source of the report's own, a column of this name may be anything.
  const isLedger = rows === 'transactions' && from === undefined
  const axis = axisOf(period, axisNameOf(input))
  if (!isLedger || !axis || !KEPT_DATES.includes(axis.sql)) return undefined
  const conditions = periodConditions(axis, (name) => Object.hasOwn(input, name), 'groups')
  if (conditions.length === 0) return undefined
  const sql = `SELECT toDate32(created_at) AS day FROM transactions
    GROUP BY day HAVING ${conditions.join(' AND ')}`
  return { sql, parameters: input }
}
