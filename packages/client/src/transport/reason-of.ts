/** Returns why a connection failed, as the runtime says it. */
export function reasonOf(cause: unknown): string {
  // A host with several addresses fails with one error for each, and an outer error without a message.
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ')
  if (!(cause instanceof Error)) return String(cause)
  // `fetch` hides the reason in the cause of its error.
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message.trimEnd()
}

/** Describes an answer that the connection cut, with the bytes that arrived. */
export function describeCut(bytes: number): string {
  const amount = bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`
  return `the connection was cut after ${amount}, before the answer was complete`
}
