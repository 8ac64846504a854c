/** Returns the engine's message in one line, without codes and stack traces. */
export function engineMessage(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const message = cause instanceof Error ? cause.message : String(cause)
  const match = /DB::Exception: (.*?)(?: In scope SELECT| in scope SELECT|\. \([A-Z_]+\)|$)/s.exec(
    message,
  )
  return (match?.[1] ?? message).replaceAll(/\s+/g, ' ').trim()
}
