import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { clickHouseCode, type Queries, readNumber, readRows } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'

/** Keeps the imports of other processes away from a server. */
export type ServerLock = ReturnType<typeof hold>

const LOCK = 'counterfoil_import'
const ACCESS_DENIED = 497
const POLL_MS = 500
/** How long the lock of a killed process stays. */
const LEASE_SECONDS = 6
const RENEW_MS = 2_000

/** Statements of imports name a table that begins with `import_`. Statements of a killed process may still run. */
const OTHERS = `FROM system.processes WHERE user = currentUser() AND query_id != queryID()`
const WORKING = `SELECT count() AS value ${OTHERS} AND query LIKE '%import\\_%'
  AND (query_kind != 'Select' OR query LIKE '%FROM import\\_%' OR query LIKE '%AS ${LOCK}%')`

export async function isServerFree(engine: Queries, signal: AbortSignal): Promise<boolean> {
  return (await readNumber(engine, WORKING, signal)) === 0
}

/**
 * Waits until no other process imports into a server, and locks it. The lock is a query that runs on the server: the
 * others see it in the list of queries, and it ends soon after its process.
 */
export async function lockServer(engine: Queries, signal: AbortSignal): Promise<ServerLock> {
  await requireRights(engine, signal)
  for (;;) {
    while (!(await isServerFree(engine, signal))) await sleep(POLL_MS, undefined, { signal })
    const name = `${LOCK}_${randomUUID().replaceAll('-', '')}`
    const lock = hold(engine, name)
    const locks = `SELECT countIf(query LIKE '%${name}%') > 0 AND countIf(query NOT LIKE '%${name}%') = 0 AS value
      ${OTHERS} AND query LIKE '%sleepEachRow(1) AS ${LOCK}%'`
    try {
      await sleep(POLL_MS, undefined, { signal })
      if ((await readNumber(engine, locks, signal)) === 1) return lock
    } catch (error) {
      lock.release()
      throw error
    }
    // Another process took the lock at the same moment. Both let go, and one of them is first the next time.
    lock.release()
    await sleep(randomInt(POLL_MS, 5 * POLL_MS), undefined, { signal })
  }
}

/** Refuses to begin without the rights that only imports, undo and deletions need. */
async function requireRights(engine: Queries, signal: AbortSignal): Promise<void> {
  for (const table of ['system.parts', 'system.processes']) {
    const sql = `SELECT count() AS value FROM (SELECT * FROM ${table} LIMIT 1)`
    await readNumber(engine, sql, signal).catch((error: unknown) => {
      if (!(error instanceof GatewayError) || clickHouseCode(error.cause) !== ACCESS_DENIED)
        throw error
      const lacks = "The gateway's ClickHouse user lacks a right for this command."
      const message = `${lacks} Run: GRANT SELECT ON ${table} TO counterfoil_owner`
      throw new GatewayError('ledger', message, { cause: error })
    })
  }
}

function hold(engine: Queries, name: string) {
  const released = new AbortController()
  let isLost = false
  const lease = (): void => {
    const sql = `SELECT sleepEachRow(1) AS ${name} FROM numbers(${LEASE_SECONDS})`
    const settings = { max_block_size: 1, max_execution_time: 0 }
    readRows(engine, z.unknown(), { sql, settings }, released.signal).catch(() => {
      isLost = true
    })
  }
  lease()
  const renewing = setInterval(lease, RENEW_MS)
  return {
    /** Throws `ledger` if the lock is lost, because the connection to the server broke. */
    requireHeld: (): void => {
      if (!isLost) return
      const message = 'The connection to the ClickHouse server broke. Import the same files again'
      throw new GatewayError('ledger', message)
    },
    release: (): void => {
      clearInterval(renewing)
      released.abort()
    },
  }
}
