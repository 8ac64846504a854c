import * as z from 'zod'
import { type Queries, type EngineQuery, readRows } from '@counterfoil/engine'
import { formatInstant, LIMITS } from '@counterfoil/common'
import type { Login } from '@counterfoil/store'
import type { Template } from '@counterfoil/templates'
import { viewOf } from './scope.ts'

type Viewer = Pick<Login, 'role' | 'sees'>
type Rows = Template['rows']

/** The column that holds the time of a table's rows, and its format as in RFC 3339. */
const TIMES: Record<Rows, { readonly column: string; readonly format: string }> = {
  transactions: { column: 'created_at', format: "'%Y-%m-%dT%H:%i:%SZ'" },
  statements: { column: 'business_day', format: "'%Y-%m-%d'" },
}

// If there is a row this recent, the engine need not read older rows.
const RECENT_MS = 35 * 86_400_000

const newestRow = z.object({ rows: z.coerce.number(), newest: z.string() })

/** The clocks of {@link NewestRows}. */
interface Clocks {
  /** Milliseconds since 1970, to search the recent rows first. */
  readonly now: () => number
  /** Milliseconds since any moment. This clock never goes back, so the cache expires in time. */
  readonly monotonicMs: () => number
}

/**
 * Reads the time of the newest row that a login may see, without the filters of a request. Rows of others do not count:
 * their times would reveal when others had business. The times are cached until the ledger changes.
 */
export class NewestRows {
  readonly #engine: Queries
  readonly #clocks: Clocks
  #cache = new Map<string, string>()
  /** When the cache expires. It has to, because another process may change the ledger too. */
  #expiresAt = Number.NEGATIVE_INFINITY

  constructor(engine: Queries, clocks: Clocks) {
    this.#engine = engine
    this.#clocks = clocks
  }

  /**
   * Returns the time of the newest row of a table.
   * @returns an instant in UTC for transactions, a day for statements, or `none` if the login sees no row
   */
  async of(rows: Rows, viewer: Viewer, signal: AbortSignal): Promise<string> {
    const isExpired = this.#clocks.monotonicMs() >= this.#expiresAt
    if (isExpired || this.#cache.size >= LIMITS.newestRowsMax) this.forget()
    const key = JSON.stringify([rows, viewer.role, viewer.sees])
    const cache = this.#cache
    const known = cache.get(key)
    if (known !== undefined) return known
    const now = this.#clocks.now()
    const newest = (await readNewestRow(rows, viewer, this.#engine, now, signal)) ?? 'none'
    // If the ledger has changed since the query began, nobody reads this cache any more.
    cache.set(key, newest)
    return newest
  }

  /** Empties the cache. Call it after the ledger has changed. */
  forget(): void {
    this.#cache = new Map()
    this.#expiresAt = this.#clocks.monotonicMs() + LIMITS.newestRowsCacheMs
  }
}

async function readNewestRow(
  rows: Rows,
  viewer: Viewer,
  engine: Queries,
  now: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { column, format } = TIMES[rows]
  const own = viewOf(viewer)
  const read = async (conditions: readonly string[]): Promise<string | undefined> => {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const newest = `formatDateTime(max(${column}), ${format})`
    const sql = `SELECT count() AS rows, ${newest} AS newest FROM ${rows} ${where}`
    const parameters = { recent: formatInstant(now - RECENT_MS) }
    const query = { sql, parameters, settings: settingsOf(viewer) }
    const [row] = await readRows(engine, newestRow, query, signal)
    return row && row.rows > 0 ? row.newest : undefined
  }
  // Without conditions, the engine knows the maximum without reading rows.
  if (own === '') return await read([])
  const recent = `${column} >= {recent:DateTime64(3, 'UTC')}`
  return (await read([own, recent])) ?? (await read([own]))
}

/**
 * Returns the settings of the query. A transaction never changes its merchant or its time, so any version will do. Its
 * manager and its reseller may change, so for these roles only the last version counts.
 */
function settingsOf({ role }: Viewer): EngineQuery['settings'] {
  return { final: role === 'manager' || role === 'reseller' ? 1 : 0 }
}
