import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LIMITS } from '../limits.ts'
import { Admission, type AdmissionLimits, type Place } from './admission.ts'

const NEVER = new AbortController().signal
const BUSY = { code: 'engine-busy' }
const OWN_SHARE = { code: 'too-many-reports' }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.clearAllTimers()
  vi.useRealTimers()
})

let nowMs = 0

function createAdmission(limits: Partial<AdmissionLimits> = {}): Admission {
  nowMs = 0
  return new Admission({ places: 8, queueLength: 8, queueWaitMs: 1000, ...limits }, () => nowMs)
}

/** Asks for `count` places. Returns an entry for each attempt, which gets the place or the error later. */
function enter(admission: Admission, login: string, count = 1) {
  return Array.from({ length: count }, () => {
    const entry: { place?: Place; error?: unknown } = {}
    admission.enter(login, NEVER).then(
      (place) => (entry.place = place),
      (error: unknown) => (entry.error = error),
    )
    return entry
  })
}

type Entries = ReturnType<typeof enter>

async function settled(entries: Entries) {
  await vi.advanceTimersByTimeAsync(0)
  return {
    running: entries.filter(({ place }) => place).length,
    refused: entries.filter(({ error }) => error).length,
  }
}

test('lets a login use half of the places, and makes its other reports wait', async () => {
  const admission = createAdmission()
  const own = enter(admission, 'a', 6)
  expect(await settled(own)).toEqual({ running: 4, refused: 0 })
  own[0]?.place?.leave()
  expect(await settled(own)).toEqual({ running: 5, refused: 0 })
})

test('keeps the place of a report for a while after its caller has left', async () => {
  const admission = createAdmission({ queueWaitMs: 10 * LIMITS.abandonedPlaceMs })
  const caller = new AbortController()
  const place = await admission.enter('a', caller.signal)
  const own = enter(admission, 'a', 4)
  expect(await settled(own)).toEqual({ running: 3, refused: 0 })
  caller.abort()
  place.leave()
  await vi.advanceTimersByTimeAsync(LIMITS.abandonedPlaceMs - 1)
  expect(await settled(own)).toEqual({ running: 3, refused: 0 })
  await vi.advanceTimersByTimeAsync(1)
  expect(await settled(own)).toEqual({ running: 4, refused: 0 })
})

test('lets a login use the only place', async () => {
  const admission = createAdmission({ places: 1 })
  const [first] = enter(admission, 'a')
  const [second] = enter(admission, 'a')
  await settled([])
  expect([first?.place, second?.place]).toEqual([expect.anything(), undefined])
  first?.place?.leave()
  expect(await settled(second ? [second] : [])).toEqual({ running: 1, refused: 0 })
})

test('frees a place once if it is left twice', async () => {
  const admission = createAdmission({ places: 1 })
  const [first] = enter(admission, 'a')
  await settled([])
  first?.place?.leave()
  first?.place?.leave()
  expect(await settled(enter(admission, 'b', 2))).toEqual({ running: 1, refused: 0 })
})

test('lets waiting logins take turns', async () => {
  const admission = createAdmission({ places: 1, queueLength: 20 })
  const waiting = ['z', 'a', 'a', 'a', 'b', 'b', 'c'].map((login) => {
    return { login, entries: enter(admission, login) }
  })
  const order: string[] = []
  for (;;) {
    await settled([])
    const at = waiting.findIndex(({ entries: [entry] }) => entry?.place)
    const [next] = at === -1 ? [] : waiting.splice(at, 1)
    if (!next) break
    order.push(next.login)
    next.entries[0]?.place?.leave()
  }
  expect(order).toEqual(['z', 'a', 'b', 'c', 'a', 'b', 'a'])
})

describe('the places for small reports', () => {
  test('are not for a login whose running report has produced much', async () => {
    const admission = createAdmission({ places: 4 })
    const [large] = enter(admission, 'a')
    const other = enter(admission, 'b', 2)
    await settled([])
    large?.place?.count(LIMITS.smallReportBytesMax + 1)
    const second = enter(admission, 'a')
    expect(await settled(second)).toEqual({ running: 0, refused: 0 })
    expect(await settled(enter(admission, 'c'))).toEqual({ running: 1, refused: 0 })
    other[0]?.place?.leave()
    other[1]?.place?.leave()
    expect(await settled(second)).toEqual({ running: 1, refused: 0 })
  })

  test('are not for a login whose report has run for long', async () => {
    const admission = createAdmission({ places: 4 })
    enter(admission, 'a')
    enter(admission, 'b', 2)
    await settled([])
    nowMs = LIMITS.smallReportMsMax + 1
    expect(await settled(enter(admission, 'a'))).toEqual({ running: 0, refused: 0 })
    expect(await settled(enter(admission, 'c'))).toEqual({ running: 1, refused: 0 })
  })
})

describe('a full queue', () => {
  test('drops the newest report of the login with the most for a login with fewer', async () => {
    const admission = createAdmission()
    const greedy = enter(admission, 'a', 12)
    expect(await settled(greedy)).toEqual({ running: 4, refused: 0 })
    const others = ['b', 'c', 'd', 'e'].flatMap((login) => enter(admission, login, 2))
    expect(await settled(others)).toMatchObject({ refused: 0 })
    const refused = greedy.filter(({ error }) => error)
    expect(refused.map((entry) => greedy.indexOf(entry))).toEqual([8, 9, 10, 11])
    for (const { error } of refused) expect(error).toMatchObject(OWN_SHARE)
  })

  test('refuses a login that has as many reports as any other', async () => {
    const admission = createAdmission({ places: 1, queueLength: 2 })
    enter(admission, 'a')
    const waiting = [...enter(admission, 'b'), ...enter(admission, 'c')]
    const [late, own] = [...enter(admission, 'd'), ...enter(admission, 'b')]
    expect(await settled(waiting)).toEqual({ running: 0, refused: 0 })
    expect(late?.error).toMatchObject(BUSY)
    // No report of this login runs, so its share is free.
    expect(own?.error).toMatchObject(BUSY)
  })

  test('of length 0 refuses every login', async () => {
    const admission = createAdmission({ places: 1, queueLength: 0 })
    enter(admission, 'a')
    const [other] = enter(admission, 'b')
    await settled([])
    expect(other?.error).toMatchObject(BUSY)
  })
})

test('refuses a report that has waited too long, and gives it no place later', async () => {
  const admission = createAdmission({ places: 1, queueWaitMs: 1500 })
  const [first] = enter(admission, 'a')
  const [late] = enter(admission, 'b')
  const [own] = enter(admission, 'a')
  await vi.advanceTimersByTimeAsync(1499)
  const [next] = enter(admission, 'c')
  expect(late).toEqual({})
  await vi.advanceTimersByTimeAsync(1)
  expect(late?.error).toMatchObject(BUSY)
  expect(own?.error).toMatchObject(OWN_SHARE)
  first?.place?.leave()
  expect(await settled(next ? [next] : [])).toEqual({ running: 1, refused: 0 })
})

test('answers engine-busy to a login that waits too long and runs less than its share', async () => {
  const admission = createAdmission()
  enter(admission, 'a', 4)
  enter(admission, 'b', 4)
  const late = enter(admission, 'c', 2)
  await vi.advanceTimersByTimeAsync(1000)
  for (const { error } of late) expect(error).toMatchObject(BUSY)
})

test('removes a caller that disconnects from the queue, with the reason of its signal', async () => {
  const admission = createAdmission({ places: 1, queueLength: 1 })
  const [first] = enter(admission, 'a')
  const leaving = new AbortController()
  const left = admission.enter('b', leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(admission.enter('b', leaving.signal)).rejects.toThrow('gone')
  const [next] = enter(admission, 'c')
  first?.place?.leave()
  expect(await settled(next ? [next] : [])).toEqual({ running: 1, refused: 0 })
})

test('refuses waiting and later reports after it is closed', async () => {
  const admission = createAdmission({ places: 1 })
  enter(admission, 'a')
  const waiting = enter(admission, 'b', 2)
  admission.close()
  waiting.push(...enter(admission, 'c'))
  await settled([])
  for (const { error } of waiting) expect(error).toMatchObject({ code: 'shutting-down' })
})

test('never lets a login starve another', async () => {
  const step = fc.record({
    login: fc.constantFrom('greedy', 'greedy', 'greedy', 'b', 'c', 'd'),
    leaves: fc.boolean(),
    bytes: fc.nat(2 * LIMITS.smallReportBytesMax),
  })
  const steps = fc.array(step, { minLength: 20, maxLength: 80 })
  const limits = fc.record({ places: fc.integer({ min: 1, max: 9 }), queueLength: fc.nat(12) })
  await fc.assert(
    fc.asyncProperty(limits, steps, async ({ places, queueLength }, all) => {
      const admission = createAdmission({ places, queueLength })
      const share = Math.max(1, Math.floor(places / 2))
      const entries: { readonly login: string; readonly entry: Entries[number]; over: boolean }[] =
        []
      const live = () => entries.filter(({ entry, over }) => entry.place && !over)
      const waiting = () => entries.filter(({ entry }) => !entry.place && !entry.error)
      for (const { login, leaves, bytes } of all) {
        const [one] = live()
        if (leaves && one) {
          one.over = true
          one.entry.place?.leave()
        } else {
          const [entry] = enter(admission, login)
          if (entry) entries.push({ login, entry, over: false })
        }
        await vi.advanceTimersByTimeAsync(0)
        live().at(-1)?.entry.place?.count(bytes)
        const counts = Map.groupBy(live(), (running) => running.login)
        for (const own of counts.values()) expect(own.length).toBeLessThanOrEqual(share)
        expect(live().length).toBeLessThanOrEqual(places)
        expect(waiting().length).toBeLessThanOrEqual(queueLength)
        // A login that runs nothing waits only while no place is free.
        const idle = waiting().filter((waiter) => !counts.has(waiter.login))
        expect(idle.length === 0 || live().length === places).toBe(true)
      }
      // In the end, every report that was not refused has run.
      for (let one = live()[0]; one; one = live()[0]) {
        one.over = true
        one.entry.place?.leave()
        await vi.advanceTimersByTimeAsync(0)
      }
      expect(waiting()).toEqual([])
    }),
    { numRuns: 200 },
  )
})
