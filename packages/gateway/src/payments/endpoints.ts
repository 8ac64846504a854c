import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { HIERARCHY } from '@counterfoil/ledger'
import { LIMITS } from '@counterfoil/common'
import type { Login } from '@counterfoil/store'

/** A merchant's endpoint with its place in the hierarchy. The members have the names of the ledger's columns. */
export type Endpoint = Readonly<z.output<typeof endpointRow>>

type Viewer = Pick<Login, 'role' | 'sees'>

const endpointRow = z.object({
  endpoint_id: z.string(),
  project_id: z.string(),
  merchant_id: z.string(),
  company_id: z.string(),
  manager_id: z.string(),
  reseller_id: z.string().nullable(),
  gate_id: z.string(),
  processor_id: z.string(),
  currency: z.string(),
  /** The maximum number of fraction digits of an amount in the currency. */
  exponent: z.int(),
})

const ENDPOINTS = `
SELECT ${Object.keys(endpointRow.shape).join(', ')}
FROM (${HIERARCHY}) AS endpoint
JOIN (SELECT currency, exponent FROM currencies FINAL) AS currency USING currency
ORDER BY length(endpoint_id), endpoint_id`

// A missing id is NULL, and not empty.
const SETTINGS = { join_use_nulls: 1 }

/** Finds the endpoints of logins. Only merchants have endpoints. */
export type Endpoints = ReturnType<typeof createEndpoints>

/**
 * Reads all endpoints at once, and caches them for `LIMITS.endpointsCacheMs`, as reports cache names. The first call
 * after that time starts a refresh and still gets the cached endpoints. Later calls wait for the refresh.
 *
 * @param nowMs a clock that is never set back
 */
export function createEndpoints(engine: Queries, nowMs: () => number) {
  let readAt = Number.NEGATIVE_INFINITY
  let cache: Promise<readonly Endpoint[]> | undefined
  const read = async (): Promise<readonly Endpoint[]> => {
    readAt = nowMs()
    const query = { sql: ENDPOINTS, settings: SETTINGS }
    return await readRows(engine, endpointRow, query)
  }
  const all = async (): Promise<readonly Endpoint[]> => {
    if (!cache) {
      cache = read()
      cache.catch(() => (cache = undefined))
    } else if (nowMs() - readAt > LIMITS.endpointsCacheMs) {
      // If the engine is busy, the old cache stays.
      const before = cache
      cache = read().catch(() => before)
      return await before
    }
    return await cache
  }
  const of = async ({ role, sees }: Viewer): Promise<readonly Endpoint[]> => {
    if (role !== 'merchant') return []
    return (await all()).filter(({ merchant_id }) => sees.includes(merchant_id))
  }
  return {
    of,
    find: async (viewer: Viewer, id: string): Promise<Endpoint | undefined> => {
      return (await of(viewer)).find(({ endpoint_id }) => endpoint_id === id)
    },
    /** Empties the cache. Call it after the ledger has changed. */
    forget: (): void => {
      cache = undefined
    },
  }
}
