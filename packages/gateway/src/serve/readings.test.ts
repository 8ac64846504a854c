import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useScratchLedger } from '../../test/kit/scratch-ledger.ts'
import type { Engine } from '../../../engine/src/engine/engine.ts'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { readingsOf } from './readings.ts'
import { NewestRows } from '../report/newest-rows.ts'
import type { DueEntry } from '../../../store/src/store/outbox.ts'
import type { Store } from '../../../store/src/store/store.ts'

const ledger = await useScratchLedger()
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.restoreAllMocks().useRealTimers())

const NOW_MS = Date.UTC(2026, 10, 22)
let spends: Parameters<Store['spendNonce']>[] = []
let logged: string[] = []

/** Creates the readings of a gateway whose outbox has these entries. `failure` is why its store cannot write. */
function create(engine: Engine, due: readonly DueEntry[] = [], failure?: Error) {
  spends = []
  logged = []
  return readingsOf({
    engineQueue: { load: { running: 1, waiting: 0 } },
    engine,
    store: {
      spendNonce: async (...spend) => {
        spends.push(spend)
        if (failure) throw failure
        return 'spent'
      },
      outbox: { listDue: async () => due },
    },
    newestRows: new NewestRows(engine, () => NOW_MS),
    log: {
      info: (message) => void logged.push(message),
      error: (message, error) => void logged.push(`${message}: ${String(error)}`),
    },
    now: () => NOW_MS,
    makeNonce: () => `nonce-${spends.length}`,
  })
}

test('the lag is the age of the oldest entry that is due', async () => {
  const due = [{ entryId: 1, dueAt: new Date(NOW_MS - 7_500), rows: '' }]
  expect(await create(ledger.engine, due).outboxLagSeconds()).toBe(7.5)
})

test('a gateway whose store can be read but not written is not ready', async () => {
  const broken = create(ledger.engine, [], new Error('database or disk is full'))
  expect(await broken.readiness()).toEqual({ status: 'not-ready' })
  expect(await broken.outboxLagSeconds()).toBe(0)
  expect(logged).toEqual([
    'cannot read whether the gateway is ready: Error: database or disk is full',
  ])
})

test('a gateway whose engine cannot be reached is not ready, also while reports run', async () => {
  const probe = async () => {
    throw new GatewayError('engine-busy', 'Retry later.')
  }
  expect(await create({ ...ledger.engine, probe }).readiness()).toEqual({ status: 'not-ready' })
})

test('asks again whether the gateway is ready after a second, not before', async () => {
  const readings = create(ledger.engine)
  const [ready, shared] = await Promise.all([readings.readiness(), readings.readiness()])
  expect([ready, shared]).toEqual([{ status: 'ok' }, { status: 'ok' }])
  await vi.advanceTimersByTimeAsync(LIMITS.readyCacheMs - 1)
  await readings.readiness()
  expect(spends).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  await readings.readiness()
  // No login has an empty name, and a nonce that was spent before would not be written.
  const [timestampSeconds, consumerKey] = [NOW_MS / 1000, '']
  expect(spends).toEqual(
    ['nonce-0', 'nonce-1'].map((nonce) => [
      { consumerKey, timestampSeconds, nonce },
      timestampSeconds,
    ]),
  )
})

test('a value that does not come in time is absent', async () => {
  const stream = () => new Promise<never>(() => {})
  const silent = create({ ...ledger.engine, stream, probe: stream, readMemory: stream })
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort('late'))
  const read = [silent.engineMemoryBytes(), silent.readiness()]
  expect(await Promise.all(read)).toEqual([undefined, { status: 'not-ready' }])
  expect(logged).toContain('cannot read the memory of the engine: late')
  expect(logged).toContain('cannot read whether the gateway is ready: late')
})

test('logs that a value cannot be read once, and once that it can be read again', async () => {
  let isDenied = true
  const readMemory = async () => {
    if (isDenied) throw new Error('denied')
    return 7
  }
  const readings = create({ ...ledger.engine, readMemory })
  expect(await readings.engineMemoryBytes()).toBeUndefined()
  expect(await readings.engineMemoryBytes()).toBeUndefined()
  isDenied = false
  expect(await readings.engineMemoryBytes()).toBe(7)
  expect(await readings.engineMemoryBytes()).toBe(7)
  expect(logged).toEqual([
    'cannot read the memory of the engine: Error: denied',
    'can read the memory of the engine again',
  ])
})
