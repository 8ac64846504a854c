/**
 * Shares one result of `read` among all callers for some time, so that callers cannot make it run more often.
 *
 * @param ms how long callers get the result of the same call, from its start
 */
export function shareFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined
  return () => {
    if (shared) return shared
    shared = read()
    setTimeout(() => (shared = undefined), ms).unref()
    return shared
  }
}

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
