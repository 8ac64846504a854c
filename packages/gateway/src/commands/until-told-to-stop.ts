import { once } from 'node:events'

/**
 * Takes SIGINT and SIGTERM from now on, and waits for the first of them. A second one ends the process at once, as it
 * would have without us.
 */
export async function untilToldToStop(): Promise<void> {
  const told = new AbortController()
  const { signal } = told
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })])
  told.abort()
}
