import * as z from 'zod'
import { type Engine, readRows } from './engine/engine.ts'
import { LIMITS } from './limits.ts'
import type { Readings } from './observe/metrics.ts'
import type { Admission } from './report/admission.ts'
import type { NewestRows } from './report/newest-rows.ts'
import { shareFor } from './share-for.ts'
import type { Outbox } from './store/outbox.ts'

/** The values of the metrics, and whether the gateway is ready. */
export interface GatewayReadings extends Readings {
  /** Whether the store and the engine answer. A busy engine is ready. Cached for `LIMITS.readyCacheMs`. */
  readonly isReady: () => Promise<boolean>
}

interface Sources {
  readonly admission: Pick<Admission, 'load'>
  readonly engine: Engine
  readonly outbox: Pick<Outbox, 'listDue'>
  readonly newestRows: NewestRows
  readonly now: () => number
}

const EVERYTHING = { role: 'operator', sees: [] } as const

const memoryRow = z.object({ value: z.coerce.number() })

/** Reads the state of a gateway from its parts. A part that does not answer within `LIMITS.readingMs` has no value. */
export function readingsOf({
  admission,
  engine,
  outbox,
  newestRows,
  now,
}: Sources): GatewayReadings {
  const outboxLagSeconds = async (): Promise<number> => {
    const [oldest] = await outbox.listDue(new Date(now()), 1)
    return oldest ? (now() - oldest.dueAt.getTime()) / 1000 : 0
  }
  const engineMemoryBytes = async (signal: AbortSignal): Promise<number | undefined> => {
    const sql = "SELECT value FROM system.metrics WHERE metric = 'MemoryTracking'"
    const [row] = await readRows(engine, memoryRow, { sql, parameters: {} }, signal)
    return row?.value
  }
  const newestSeconds = async (signal: AbortSignal): Promise<number | undefined> => {
    const newest = await newestRows.of('transactions', EVERYTHING, signal)
    return newest === 'none' ? undefined : Date.parse(newest) / 1000
  }
  const isReady = async (signal: AbortSignal): Promise<boolean> => {
    await outboxLagSeconds()
    await engine.probe(signal)
    return true
  }
  return {
    load: () => admission.load,
    engineMemoryBytes: () => inTime(engineMemoryBytes),
    outboxLagSeconds: () => inTime(outboxLagSeconds),
    newestTransactionSeconds: () => inTime(newestSeconds),
    isReady: shareFor(LIMITS.readyCacheMs, async () => (await inTime(isReady)) === true),
  }
}

/** Returns the value that is read, or `undefined` if reading it fails or takes too long. */
async function inTime<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | undefined> {
  const leaving = new AbortController()
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => {
    leaving.abort()
    late.resolve(undefined)
  }, LIMITS.readingMs)
  try {
    return await Promise.race([read(leaving.signal), late.promise])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
