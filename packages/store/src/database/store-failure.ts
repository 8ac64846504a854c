import { GatewayError, LIMITS } from '@counterfoil/common'

/** Makes the gateway's error for what a store's database threw. */
export function storeFailure(message: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  // A host with two addresses fails with an error for each.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const reason = first instanceof Error ? first.message : String(first)
  return new GatewayError('store', `${message}: ${reason}`, { cause })
}

/** Makes the error for a request that the store cannot serve now. */
export function storeBusy(cause?: unknown): GatewayError {
  const advice = `Sign again and retry in ${LIMITS.retryAfterSeconds} seconds.`
  return new GatewayError('store-busy', `The store is not available. ${advice}`, { cause })
}
