import { GatewayError } from '@counterfoil/common'
import { instantOf, type RequestedValues } from './parameters.ts'

/** Which data a report needs. */
export interface NeededData {
  /** `dataLagMinutes` of the configuration. */
  readonly lagMinutes: number | undefined
  /** How far the syncs go, or `none`. Undefined if the gateway has none. */
  readonly syncedAt: string | undefined
  readonly now: number
}

/**
 * Refuses a report if the syncs have not reached the end of its period. A period that goes on needs a sync of the last
 * minutes.
 *
 * @throws {GatewayError} `not-synced`
 */
export function requireSynced(
  values: RequestedValues,
  { lagMinutes, syncedAt, now }: NeededData,
): void {
  if (lagMinutes === undefined || syncedAt === undefined) return
  const end = instantOf(values.input['dateTo']) ?? Infinity
  const needed = end <= now ? end : now - lagMinutes * 60_000
  if (syncedAt !== 'none' && Date.parse(syncedAt) >= needed) return
  const lack = `The data goes to ${syncedAt}, and this report needs it to ${new Date(needed).toISOString()}.`
  throw new GatewayError('not-synced', `${lack} Retry later.`)
}
