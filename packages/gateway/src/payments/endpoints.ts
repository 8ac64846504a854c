import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { HIERARCHY } from '../ledger/hierarchy.ts'
import { LIMITS } from '../limits.ts'
import type { Login } from '../store/store.ts'

/** A merchant's endpoint with its place in the hierarchy; the members have the ledger's names. */
export type Endpoint = Readonly<z.output<typeof endpointRow>>

type Viewer = Pick<Login, 'role' | 'sees'>

/** The endpoints that logins operate with: a merchant has its own, and every other role has none. */
export interface Endpoints {
  /** Finds no endpoint for an id of another merchant, as for an id that does not exist. */
  find(viewer: Viewer, id: string): Promise<Endpoint | undefined>
  /** By their ids. */
  of(viewer: Viewer): Promise<readonly Endpoint[]>
}

const endpointRow = z.object({
  endpoint_id: z.int(),
  project_id: z.int(),
  merchant_id: z.int(),
  company_id: z.int(),
  manager_id: z.int(),
  reseller_id: z.int().nullable(),
  gate_id: z.int(),
  processor_id: z.int(),
  currency: z.string(),
  /** How many fraction digits an amount in the currency has at most. */
  exponent: z.int(),
})

const ENDPOINTS = `
SELECT ${Object.keys(endpointRow.shape).join(', ')}
FROM (${HIERARCHY}) AS endpoint
JOIN (SELECT currency, exponent FROM currencies FINAL) AS currency USING currency
ORDER BY endpoint_id`

// What there is not is nothing, and not the id 0.
const SETTINGS = { join_use_nulls: 1 }

/**
 * Reads endpoints together, and keeps them for `LIMITS.endpointsKeptMs` of a clock that is never set back, as names in
 * reports are kept. Nobody waits for the next reading but the first who asks.
 */
export function createEndpoints(engine: Engine, nowMs: () => number): Endpoints {
  let readAt = Number.NEGATIVE_INFINITY
  let kept: Promise<Kept> | undefined
  const read = async (): Promise<Kept> => {
    readAt = nowMs()
    const query = { sql: ENDPOINTS, parameters: {}, settings: SETTINGS }
    return keep(await readRows(engine, endpointRow, query))
  }
  const all = async (): Promise<Kept> => {
    if (!kept) {
      kept = read()
      kept.catch(() => (kept = undefined))
    } else if (nowMs() - readAt > LIMITS.endpointsKeptMs) {
      // An engine that is busy leaves those of before.
      const before = kept
      kept = read().catch(() => before)
      return await before
    }
    return await kept
  }
  return {
    of: async ({ role, sees }) => {
      const { byMerchant } = await all()
      return role === 'merchant' ? sees.flatMap((id) => byMerchant.get(id) ?? []) : []
    },
    find: async ({ role, sees }, id) => {
      const endpoint = (await all()).byId.get(id)
      const isOwn = role === 'merchant' && endpoint && sees.includes(endpoint.merchant_id)
      return isOwn ? endpoint : undefined
    },
  }
}

interface Kept {
  readonly byId: ReadonlyMap<string, Endpoint>
  readonly byMerchant: ReadonlyMap<number, readonly Endpoint[]>
}

function keep(endpoints: readonly Endpoint[]): Kept {
  return {
    byId: new Map(endpoints.map((one) => [String(one.endpoint_id), one])),
    byMerchant: Map.groupBy(endpoints, (one) => one.merchant_id),
  }
}
