import * as z from 'zod'
import { type Engine, type EngineQuery, readRows } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import type { Login } from '../store/store.ts'
import { formatInstant } from '../instants.ts'
import type { Template } from '../templates/template.ts'
import { viewOf } from './scope.ts'

type Viewer = Pick<Login, 'role' | 'sees'>
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
 * Reads the time of the newest row that a login may see, without the filters of a request. Rows of others do not
 * count: their times would tell when others had business. What was read is remembered until the ledger changes.
 */
export class NewestRows {
  readonly #engine: Engine
  readonly #now: () => number
  readonly #remembered = new Map<string, string>()
  /** When the remembered times are read anew: another process may change the ledger too. */
  #readAnewAt = 0

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine
    this.#now = now
  }

  /** @returns an instant in UTC for transactions, a day for statements; `none` where the login sees no row */
  async of(rows: Rows, viewer: Viewer, signal: AbortSignal): Promise<string> {
    const now = this.#now()
    if (now >= this.#readAnewAt || this.#remembered.size >= LIMITS.newestRowsMax) this.forget()
    const key = JSON.stringify([rows, viewer.role, viewer.sees])
    const known = this.#remembered.get(key)
    if (known !== undefined) return known
    const readAnewAt = this.#readAnewAt
    const newest = (await readNewestRow(rows, viewer, this.#engine, now, signal)) ?? 'none'
    // What was read before the ledger changed is old.
    if (this.#readAnewAt === readAnewAt) this.#remembered.set(key, newest)
    return newest
  }

  /** Forgets what was read, after the ledger changed. */
  forget(): void {
    this.#remembered.clear()
    this.#readAnewAt = this.#now() + LIMITS.newestRowsKeptMs
  }
}

async function readNewestRow(
  rows: Rows,
  viewer: Viewer,
  engine: Engine,
  now: number,
  signal: AbortSignal,
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
