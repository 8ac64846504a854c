import { afterEach, expect, test, vi } from 'vitest'
import type { Queries, EngineQuery } from '../../../engine/src/engine/engine.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { NewestRows } from './newest-rows.ts'

const { signal } = new AbortController()
const MERCHANT = { role: 'merchant', sees: ['1'] } as const

let queries: EngineQuery[] = []
let newest = '2026-10-01T00:00:00Z'
const engine: Queries = {
  stream: async (query) => {
    queries.push(query)
    return (async function* () {
      yield { bytes: Buffer.from(JSON.stringify({ rows: '1', newest })), rows: 1 }
    })()
  },
  execute: async () => {},
  insert: async () => {},
  loadTimeZone: async (timezone) => timezone,
}
afterEach(() => {
  queries = []
  vi.useRealTimers()
})

function create(): NewestRows {
  vi.useFakeTimers()
  return new NewestRows(engine, Date.now)
}

test('reads newest rows once for all requests of a caller', async () => {
  const rows = create()
  for (let times = 0; times < 3; times += 1) await rows.of('transactions', MERCHANT, signal)
  await rows.of('statements', MERCHANT, signal)
  await rows.of('transactions', { role: 'merchant', sees: ['2'] }, signal)
  expect(queries).toHaveLength(3)
})

test('reads newest rows again after a while', async () => {
  const rows = create()
  await rows.of('transactions', MERCHANT, signal)
  vi.advanceTimersByTime(LIMITS.newestRowsCacheMs)
  newest = '2026-10-02T00:00:00Z'
  expect(await rows.of('transactions', MERCHANT, signal)).toBe(newest)
})

test('reads newest rows again after the ledger has changed, also during the query', async () => {
  const rows = create()
  const reading = rows.of('transactions', MERCHANT, signal)
  rows.forget()
  await reading
  newest = '2026-10-03T00:00:00Z'
  expect(await rows.of('transactions', MERCHANT, signal)).toBe(newest)
})

test('caches newest rows for a limited number of callers', async () => {
  const rows = create()
  for (let id = 0; id <= LIMITS.newestRowsMax; id += 1) {
    await rows.of('transactions', { role: 'merchant', sees: [String(id)] }, signal)
  }
  await rows.of('transactions', { role: 'merchant', sees: ['0'] }, signal)
  expect(queries).toHaveLength(LIMITS.newestRowsMax + 2)
})
