/** Returns why a connection failed, as the runtime says it. */
export function reasonOf(cause: unknown): string {
  // A host with several addresses fails with one error for each, and an outer error without a message.
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ')
  if (!(cause instanceof Error)) return String(cause)
  // `fetch` hides the reason in the cause of its error.
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message.trimEnd()
}
