import { GatewayError } from '@counterfoil/common'
import { clickHouseCode, engineFailure, type QueryLimits } from '../engine/engine-failure.ts'

// TOO_MANY_SIMULTANEOUS_QUERIES
const TOO_MANY_QUERIES = 202

// ALL_CONNECTION_TRIES_FAILED: a `Distributed` table of the operator misses a server.
const CLUSTER_AWAY = 279

/** Converts an error of a server to a `GatewayError`. The server's text stays in the cause. */
export function serverFailure(error: unknown, limits: QueryLimits): GatewayError {
  if (clickHouseCode(error) === TOO_MANY_QUERIES) {
    const message = 'Too many queries are running on the ClickHouse server. Retry later.'
    return new GatewayError('engine-busy', message, { cause: error })
  }
  if (clickHouseCode(error) === CLUSTER_AWAY) {
    const message = 'A server of the ClickHouse cluster does not answer. Retry later.'
    return new GatewayError('engine-busy', message, { cause: error })
  }
  return engineFailure(error, limits)
}

/** Whether an error `engine-busy` is an answer of a server. The others say that no server answers. */
export function isServersAnswer({ cause }: GatewayError): boolean {
  return !(cause instanceof AggregateError) && clickHouseCode(cause) !== CLUSTER_AWAY
}
