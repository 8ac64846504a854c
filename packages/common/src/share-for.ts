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
