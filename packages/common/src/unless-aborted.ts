/**
 * Waits for a promise that several callers share. A caller that leaves stops waiting.
 *
 * @throws the reason of an aborted signal
 */
export async function unlessAborted<Value>(
  shared: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([aborted, shared])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
