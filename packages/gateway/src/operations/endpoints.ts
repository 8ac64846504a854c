import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { HIERARCHY } from '../ledger/hierarchy.ts'
import { LIMITS } from '../limits.ts'
import type { Consumer } from '../store/store.ts'

/** A merchant's endpoint, with all that it hangs together with; the names are the ledger's. */
export type Endpoint = Readonly<z.output<typeof endpointRow>>

type Viewer = Pick<Consumer, 'role' | 'sees'>

/** The endpoints that consumers operate with: each merchant with its own, and nobody else with any. */
export interface Endpoints {
  /** One of another and one that does not exist are both none. */
  find(consumer: Viewer, id: string): Promise<Endpoint | undefined>
  /** By their ids. */
  of(consumer: Viewer): Promise<readonly Endpoint[]>
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

/** Reads endpoints together, and keeps them for `LIMITS.endpointsKeptMs`, as names in reports are. */
export function createEndpoints(engine: Engine, now: () => number): Endpoints {
  let readAt = Number.NEGATIVE_INFINITY
  let kept: Promise<readonly Endpoint[]> | undefined
  const of: Endpoints['of'] = async ({ role, sees }) => {
    if (!kept || now() - readAt > LIMITS.endpointsKeptMs) {
      readAt = now()
      kept = readRows(engine, endpointRow, { sql: ENDPOINTS, parameters: {}, settings: SETTINGS })
      kept.catch(() => (kept = undefined))
    }
    const endpoints = await kept
    return role === 'merchant' ? endpoints.filter((one) => sees.includes(one.merchant_id)) : []
  }
  return {
    of,
    find: async (consumer, id) => {
      const endpoints = await of(consumer)
      return endpoints.find((endpoint) => String(endpoint.endpoint_id) === id)
    },
  }
}
