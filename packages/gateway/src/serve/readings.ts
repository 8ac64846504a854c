import { randomUUID } from 'node:crypto'
import type { Engine } from '@counterfoil/engine'
import { type FairQueue, LIMITS, shareFor, unlessAborted } from '@counterfoil/common'
import { listImports, listSyncs } from '@counterfoil/ledger'
import type { Readiness } from '../http/server.ts'
import type { Log } from '../observe/log.ts'
import type { Readings } from '../observe/metrics.ts'
import type { NewestRows } from '../report/newest-rows.ts'
import type { Store } from '@counterfoil/store'

export interface GatewayReadings extends Readings {
  /** The gateway is ready if the store writes and the engine answers, also if it is busy. Cached for a second. */
  readonly readiness: () => Promise<Readiness>
}

interface Sources {
  readonly engineQueue: Pick<FairQueue, 'load'>
  readonly engine: Engine
  readonly store: Pick<Store, 'spendNonce'> & { readonly outbox: Pick<Store['outbox'], 'listDue'> }
  readonly newestRows: NewestRows
  readonly log: Pick<Log, 'error' | 'info'>
  readonly now: () => number
  readonly makeNonce?: () => string
}

/** The owner of the nonces that show whether the store writes. No login has this name. */
const OWNER = ''

const EVERYTHING = { role: 'operator', sees: [] } as const

/** Reads the state of a gateway from its parts. A part that does not answer within `LIMITS.readingMs` has no value. */
export function readingsOf({
  engineQueue,
  engine,
  store,
  newestRows,
  log,
  now,
  makeNonce = randomUUID,
}: Sources): GatewayReadings {
  const outboxLagSeconds = async (): Promise<number> => {
    const [oldest] = await store.outbox.listDue(new Date(now()), 1)
    return oldest ? (now() - oldest.dueAt.getTime()) / 1000 : 0
  }
  const newestSeconds = async (signal: AbortSignal): Promise<number | undefined> => {
    const newest = await newestRows.of('transactions', EVERYTHING, signal)
    return newest === 'none' ? undefined : Date.parse(newest) / 1000
  }
  const refusedRows = async (): Promise<number> => {
    return (await listImports(engine, { most: 1 }))[0]?.refused ?? 0
  }
  const probe = async (signal: AbortSignal): Promise<true> => {
    // A full disk or a standby of PostgreSQL can be read, but each signed request has to store its nonce.
    const nowSeconds = Math.floor(now() / 1000)
    const nonce = { consumerKey: OWNER, timestampSeconds: nowSeconds, nonce: makeNonce() }
    await store.spendNonce(nonce, nowSeconds)
    await engine.probe(signal)
    return true
  }
  const isReady = inTime('whether the gateway is ready', probe, log)
  const syncs = inTime('the syncs', async () => await listSyncs(engine), log)
  return {
    load: () => engineQueue.load,
    engineMemoryBytes: inTime('the memory of the engine', engine.readMemory, log),
    outboxLagSeconds: inTime('the lag of the outbox', outboxLagSeconds, log),
    importRefusedRows: inTime('the newest import', refusedRows, log),
    syncs,
    newestTransactionSeconds: inTime('the newest transaction', newestSeconds, log),
    readiness: shareFor(LIMITS.readyCacheMs, async () => {
      const [ready, records = []] = await Promise.all([isReady(), syncs()])
      if (!ready) return { status: 'not-ready' }
      const sources = records.map(({ source, syncedAt, error }) => {
        return { source, syncedAt, isFailing: error !== '' }
      })
      return { status: 'ok', ...(sources.length > 0 && { sources }) }
    }),
  }
}

/**
 * Returns a function that reads a value, or returns `undefined` if reading fails or takes too long. The log gets the
 * first failure of a row of failures, because probes and metrics ask every few seconds.
 */
function inTime<Value>(
  what: string,
  read: (signal: AbortSignal) => Promise<Value>,
  log: Sources['log'],
): () => Promise<Value | undefined> {
  let hasFailed = false
  return async () => {
    const signal = AbortSignal.timeout(LIMITS.readingMs)
    try {
      const value = await unlessAborted(read(signal), signal)
      if (hasFailed) log.info(`can read ${what} again`)
      hasFailed = false
      return value
    } catch (error) {
      if (!hasFailed) log.error(`cannot read ${what}`, error)
      hasFailed = true
      return undefined
    }
  }
}
