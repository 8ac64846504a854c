import { GatewayError } from '../errors.ts'

/** Makes the gateway's error for what a store's database threw. */
export function storeFailure(message: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  // A host with two addresses fails with an error for each.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const reason = first instanceof Error ? first.message : String(first)
  return new GatewayError('store', `${message}: ${reason}`, { cause })
}
