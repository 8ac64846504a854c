import * as z from 'zod'
import { type Engine, type EngineQuery, readRows } from '../engine/engine.ts'
import type { Consumer } from '../store/store.ts'
import { formatInstant } from '../templates/instants.ts'
import type { Template } from '../templates/template.ts'
import { viewOf } from './scope.ts'

type Viewer = Pick<Consumer, 'role' | 'sees'>
type Rows = Template['rows']

/** The time of a table's rows, and how it is written: RFC 3339. */
const TIMES: Record<Rows, { readonly column: string; readonly written: string }> = {
  transactions: { column: 'created_at', written: "'%Y-%m-%dT%H:%i:%SZ'" },
  statements: { column: 'business_day', written: "'%Y-%m-%d'" },
}

// Where there is a newer row, the engine need not read those of before.
const RECENT_MS = 35 * 86_400_000

const newestRow = z.object({ rows: z.coerce.number(), newest: z.string() })

/**
 * Reads the time of the newest row that a consumer may see, without the filters of a request. Rows of others do not
 * count: their times would tell when others had business.
 *
 * @param now milliseconds since 1970
 * @returns an instant in UTC for transactions, a day for statements; `undefined` where the consumer sees no row
 */
export async function readNewestRow(
  rows: Rows,
  viewer: Viewer,
  engine: Engine,
  now: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { column, written } = TIMES[rows]
  const own = viewOf(viewer)
  const read = async (conditions: readonly string[]): Promise<string | undefined> => {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const newest = `formatDateTime(max(${column}), ${written})`
    const sql = `SELECT count() AS rows, ${newest} AS newest FROM ${rows} ${where}`
    const parameters = { recent: formatInstant(now - RECENT_MS) }
    const query = { sql, parameters, settings: settingsOf(viewer) }
    const [row] = await readRows(engine, newestRow, query, signal)
    return row && row.rows > 0 ? row.newest : undefined
  }
  // The engine knows the newest row of all without reading one.
  if (own === '') return await read([])
  const recent = `${column} >= {recent:DateTime64(3, 'UTC')}`
  return (await read([own, recent])) ?? (await read([own]))
}

/** A transaction never changes its merchant or its time, so that any of its versions will do. Its manager may change. */
function settingsOf({ role }: Viewer): EngineQuery['settings'] {
  return { final: role === 'manager' || role === 'reseller' ? 1 : 0 }
}
