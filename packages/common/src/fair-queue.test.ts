import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FairQueue, type Leave, type QueueLimits } from './fair-queue.ts'

const BUSY = { code: 'engine-busy' }
const OWN_SHARE = { code: 'too-many-reports' }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.clearAllTimers()
  vi.useRealTimers()
})

function createQueue(limits: Partial<QueueLimits> = {}): FairQueue {
  const { places = 8 } = limits
  return new FairQueue({
    places,
    perLogin: Math.max(1, Math.floor(places / 2)),
    waitingMax: 8,
    waitMs: 1000,
    busy: { code: 'engine-busy', message: 'Too many reports are running.' },
    ...limits,
  })
}

/** Asks for `count` places. Returns an entry for each attempt, which gets the place or the error later. */
function enter(queue: FairQueue, login: string, count = 1) {
  return Array.from({ length: count }, () => {
    const entry: { leave?: Leave; error?: unknown } = {}
    queue.enter(login).then(
      (leave) => (entry.leave = leave),
      (error: unknown) => (entry.error = error),
    )
    return entry
  })
}

type Entries = ReturnType<typeof enter>

async function settled(entries: Entries) {
  await vi.advanceTimersByTimeAsync(0)
  return {
    running: entries.filter(({ leave }) => leave).length,
    refused: entries.filter(({ error }) => error).length,
  }
}

test('lets a login use its share of the places, and makes its other work wait', async () => {
  const queue = createQueue()
  const own = enter(queue, 'a', 6)
  expect(await settled(own)).toEqual({ running: 4, refused: 0 })
  expect(queue.load).toEqual({ running: 4, waiting: 2 })
  own[0]?.leave?.()
  expect(await settled(own)).toEqual({ running: 5, refused: 0 })
})

test('frees a place once if it is left twice', async () => {
  const queue = createQueue({ places: 1 })
  const [first] = enter(queue, 'a')
  await settled([])
  first?.leave?.()
  first?.leave?.()
  expect(await settled(enter(queue, 'b', 2))).toEqual({ running: 1, refused: 0 })
})

test('frees the place of work that fails', async () => {
  const queue = createQueue({ places: 1 })
  const failing = queue.run('a', () => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  expect(await queue.run('a', () => 1)).toBe(1)
  expect(queue.load).toEqual({ running: 0, waiting: 0 })
})

test('lets waiting logins take turns', async () => {
  const queue = createQueue({ places: 1 })
  const waiting = ['z', 'a', 'a', 'a', 'b', 'b', 'c'].map((login) => {
    return { login, entries: enter(queue, login) }
  })
  const order: string[] = []
  for (;;) {
    await settled([])
    const at = waiting.findIndex(({ entries: [entry] }) => entry?.leave)
    const [next] = at === -1 ? [] : waiting.splice(at, 1)
    if (!next) break
    order.push(next.login)
    next.entries[0]?.leave?.()
  }
  expect(order).toEqual(['z', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('a login that asks again while its work runs waits behind those that waited before', async () => {
  const queue = createQueue({ places: 1 })
  const [first] = enter(queue, 'a')
  const [other] = enter(queue, 'b')
  const [again] = enter(queue, 'a')
  await settled([])
  first?.leave?.()
  await settled([])
  expect([other?.leave, again?.leave]).toEqual([expect.any(Function), undefined])
})

test('keeps the last quarter of the places for logins that run nothing', async () => {
  const queue = createQueue({ places: 4 })
  const [first, second] = [...enter(queue, 'a', 2), ...enter(queue, 'b', 2)]
  expect(queue.load).toEqual({ running: 3, waiting: 1 })
  expect(await settled(enter(queue, 'c'))).toEqual({ running: 1, refused: 0 })
  first?.leave?.()
  expect(queue.load).toEqual({ running: 3, waiting: 1 })
  second?.leave?.()
  expect(queue.load).toEqual({ running: 3, waiting: 0 })
})

test('lets a login rest after its work, in proportion to the time of the work', async () => {
  const queue = createQueue({ perLogin: 1, waitMs: 60_000, rest: { times: 4, msMax: 1000 } })
  const [first, second] = enter(queue, 'a', 2)
  await vi.advanceTimersByTimeAsync(100)
  first?.leave?.()
  const [other] = enter(queue, 'b')
  await vi.advanceTimersByTimeAsync(399)
  expect([second?.leave, other?.leave]).toEqual([undefined, expect.any(Function)])
  await vi.advanceTimersByTimeAsync(1)
  expect(second?.leave).toEqual(expect.any(Function))
  await vi.advanceTimersByTimeAsync(300)
  const [third] = enter(queue, 'a')
  second?.leave?.()
  await vi.advanceTimersByTimeAsync(999)
  expect(third).toEqual({})
  await vi.advanceTimersByTimeAsync(1)
  expect(third?.leave).toEqual(expect.any(Function))
})

describe('refuses', () => {
  test('the newest work of a login that has the maximum waiting, and no other login', async () => {
    const queue = createQueue({ waitingMax: 2 })
    const own = enter(queue, 'a', 7)
    const other = enter(queue, 'b', 2)
    expect(await settled(other)).toEqual({ running: 2, refused: 0 })
    expect(own.findIndex(({ error }) => error)).toBe(6)
    expect(own[6]?.error).toMatchObject(OWN_SHARE)
  })

  test('every login without a free place if no work may wait', async () => {
    const queue = createQueue({ places: 1, waitingMax: 0 })
    enter(queue, 'a')
    const [other] = enter(queue, 'b')
    await settled([])
    expect(other?.error).toMatchObject(BUSY)
  })

  test('work that has waited too long, and gives it no place later', async () => {
    const queue = createQueue({ places: 1, waitMs: 1500 })
    const [first] = enter(queue, 'a')
    const [late] = enter(queue, 'b')
    const [own] = enter(queue, 'a')
    await vi.advanceTimersByTimeAsync(1499)
    const [next] = enter(queue, 'c')
    expect(late).toEqual({})
    await vi.advanceTimersByTimeAsync(1)
    expect(late?.error).toMatchObject(BUSY)
    expect(own?.error).toMatchObject(OWN_SHARE)
    first?.leave?.()
    expect(await settled(next ? [next] : [])).toEqual({ running: 1, refused: 0 })
  })

  test('a caller that disconnects, with the reason of its signal', async () => {
    const queue = createQueue({ places: 1, waitingMax: 1 })
    const [first] = enter(queue, 'a')
    const leaving = new AbortController()
    const left = queue.enter('b', leaving.signal)
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(queue.enter('b', leaving.signal)).rejects.toThrow('gone')
    const [next] = enter(queue, 'c')
    first?.leave?.()
    expect(await settled(next ? [next] : [])).toEqual({ running: 1, refused: 0 })
  })

  test('waiting and later work after the queue is closed', async () => {
    const queue = createQueue({ places: 1 })
    enter(queue, 'a')
    const waiting = enter(queue, 'b', 2)
    queue.close()
    waiting.push(...enter(queue, 'c'))
    await settled([])
    for (const { error } of waiting) expect(error).toMatchObject({ code: 'shutting-down' })
  })
})

test('never lets a login starve another', async () => {
  const step = fc.record({
    login: fc.constantFrom('greedy', 'greedy', 'greedy', 'b', 'c', 'd'),
    leaves: fc.boolean(),
  })
  const steps = fc.array(step, { minLength: 20, maxLength: 80 })
  const limits = fc.record({ places: fc.integer({ min: 1, max: 9 }), waitingMax: fc.nat(12) })
  await fc.assert(
    fc.asyncProperty(limits, steps, async ({ places, waitingMax }, all) => {
      const queue = createQueue({ places, waitingMax })
      const share = Math.max(1, Math.floor(places / 2))
      const entries: { readonly login: string; readonly entry: Entries[number]; over: boolean }[] =
        []
      const live = () => entries.filter(({ entry, over }) => entry.leave && !over)
      const waiting = () => entries.filter(({ entry }) => !entry.leave && !entry.error)
      for (const { login, leaves } of all) {
        const [one] = live()
        if (leaves && one) {
          one.over = true
          one.entry.leave?.()
        } else {
          const [entry] = enter(queue, login)
          if (entry) entries.push({ login, entry, over: false })
        }
        await vi.advanceTimersByTimeAsync(0)
        const counts = Map.groupBy(live(), (running) => running.login)
        for (const own of counts.values()) expect(own.length).toBeLessThanOrEqual(share)
        expect(live().length).toBeLessThanOrEqual(places)
        for (const own of Map.groupBy(waiting(), (waiter) => waiter.login).values()) {
          expect(own.length).toBeLessThanOrEqual(waitingMax)
        }
        // A login that runs nothing waits only while no place is free.
        const idle = waiting().filter((waiter) => !counts.has(waiter.login))
        expect(idle.length === 0 || live().length === places).toBe(true)
      }
      // In the end, all work that was not refused has run.
      for (let one = live()[0]; one; one = live()[0]) {
        one.over = true
        one.entry.leave?.()
        await vi.advanceTimersByTimeAsync(0)
      }
      expect(waiting()).toEqual([])
    }),
    { numRuns: 200 },
  )
})
