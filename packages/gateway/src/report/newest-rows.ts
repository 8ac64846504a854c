import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { formatInstant, LIMITS } from '@counterfoil/common'
import type { Template } from '@counterfoil/templates'
import { type Viewer, viewOf } from './scope.ts'

type Rows = Template['rows']

/** The column that holds the time of a table's rows, and its format as in RFC 3339. */
const TIMES: Record<Rows, { readonly column: string; readonly format: string }> = {
  transactions: { column: 'created_at', format: "'%Y-%m-%dT%H:%i:%SZ'" },
  statements: { column: 'business_day', format: "'%Y-%m-%d'" },
}

// If there is a row this recent, the engine need not read older rows.
const RECENT_MS = 35 * 86_400_000

const newestRow = z.object({ rows: z.coerce.number(), newest: z.string() })

/**
 * Reads the time of the newest row that a login may see, without the filters of a request. Rows of others do not count:
 * their times would reveal when others had business. The times are cached until the ledger changes.
 */
export class NewestRows {
  readonly #engine: Queries
  readonly #now: () => number
  #cache = new Map<string, string>()
  /** When the cache expires. It has to, because another process may change the ledger too. */
  #expiresAt = Number.NEGATIVE_INFINITY

  constructor(engine: Queries, now: () => number) {
    this.#engine = engine
    this.#now = now
  }

  /** Returns an instant in UTC for transactions, a day for statements, or `none` if the login sees no row. */
  async of(rows: Rows, viewer: Viewer, signal: AbortSignal): Promise<string> {
    if (this.#now() >= this.#expiresAt || this.#cache.size >= LIMITS.newestRowsMax) this.forget()
    const key = JSON.stringify([rows, viewer.role, viewer.sees])
    const cache = this.#cache
    const known = cache.get(key)
    if (known !== undefined) return known
    const since = formatInstant(this.#now() - RECENT_MS)
    const newest = (await readNewestRow(rows, viewer, this.#engine, since, signal)) ?? 'none'
    // If the ledger has changed since the query began, nobody reads this cache any more.
    cache.set(key, newest)
    return newest
  }

  forget(): void {
    this.#cache = new Map()
    this.#expiresAt = this.#now() + LIMITS.newestRowsCacheMs
  }
}

async function readNewestRow(
  rows: Rows,
  viewer: Viewer,
  engine: Queries,
  recent: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { column, format } = TIMES[rows]
  const own = viewOf(viewer)
  const read = async (conditions: readonly string[]): Promise<string | undefined> => {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const newest = `formatDateTime(max(${column}), ${format})`
    const sql = `SELECT count() AS rows, ${newest} AS newest FROM ${rows} ${where}`
    // A transaction never changes its merchant or its time, so any version will do. Its manager and its reseller may
    // change, so for these roles only the last version counts.
    const settings = { final: viewer.role === 'manager' || viewer.role === 'reseller' ? 1 : 0 }
    const query = { sql, parameters: { recent }, settings }
    const [row] = await readRows(engine, newestRow, query, signal)
    return row && row.rows > 0 ? row.newest : undefined
  }
  // Without conditions, the engine knows the maximum without reading rows.
  if (own === '') return await read([])
  const isRecent = `${column} >= {recent:DateTime64(3, 'UTC')}`
  return (await read([own, isRecent])) ?? (await read([own]))
}
