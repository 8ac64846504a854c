import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { HIERARCHY } from '../ledger/hierarchy.ts'
import { LIMITS } from '../limits.ts'
import type { Consumer } from '../store/store.ts'

/** A merchant's endpoint, with all that it hangs together with; the names are the ledger's. */
export type Endpoint = Readonly<z.output<typeof endpointRow>>

/** Finds an endpoint of a consumer; one of another and one that does not exist are both none. */
export type FindEndpoint = (consumer: Consumer, id: string) => Promise<Endpoint | undefined>

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
JOIN (SELECT currency, exponent FROM currencies FINAL) AS currency USING currency`

// What there is not is nothing, and not the id 0.
const SETTINGS = { join_use_nulls: 1 }

/** Makes what finds endpoints. They are read together and kept for `LIMITS.endpointsKeptMs`, as names in reports are. */
export function createEndpointFinder(engine: Engine, now: () => number): FindEndpoint {
  let readAt = Number.NEGATIVE_INFINITY
  let endpoints: Promise<ReadonlyMap<string, Endpoint>> | undefined
  return async ({ role, sees }, id) => {
    if (!endpoints || now() - readAt > LIMITS.endpointsKeptMs) {
      readAt = now()
      endpoints = readEndpoints(engine)
      endpoints.catch(() => (endpoints = undefined))
    }
    const endpoint = (await endpoints).get(id)
    const isOwn = role === 'merchant' && endpoint && sees.includes(endpoint.merchant_id)
    return isOwn ? endpoint : undefined
  }
}

/** Reads every endpoint whose currency the ledger knows, by its id. */
export async function readEndpoints(engine: Engine): Promise<ReadonlyMap<string, Endpoint>> {
  const query = { sql: ENDPOINTS, parameters: {}, settings: SETTINGS }
  const rows = await readRows(engine, endpointRow, query)
  return new Map(rows.map((row) => [String(row.endpoint_id), row]))
}
