import { once } from 'node:events'

/**
 * Handles SIGINT and SIGTERM from now on, and waits for the first of them. A second signal ends the process at once,
 * which is Node's default.
 */
export async function waitForStopSignal(): Promise<void> {
  const received = new AbortController()
  const { signal } = received
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })])
  received.abort()
}
