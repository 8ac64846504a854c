import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerSession } from './worker-session.ts'

const RINSES_MAX = 100
const RINSE_AGAIN_MS = 100

/**
 * Cleans the session of a failed query. Such a session still holds memory, and bytes that would appear before the next
 * result. A small query whose result is not read removes both. The small query can fail while other queries take all
 * memory, so it is retried.
 *
 * @returns whether the session can be used again
 */
export async function rinse(session: WorkerSession): Promise<boolean> {
  for (let tries = 0; tries < RINSES_MAX; tries += 1) {
    try {
      await session.send({ kind: 'end' })
      await session.send({ kind: 'execute', runId: randomUUID(), sql: 'SELECT 1', parameters: {} })
      return true
    } catch {
      await sleep(RINSE_AGAIN_MS)
    }
  }
  return false
}
