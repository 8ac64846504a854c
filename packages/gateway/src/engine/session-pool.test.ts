import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SessionPool } from './session-pool.ts'

const NEVER = new AbortController().signal
const BUSY = { name: 'GatewayError', code: 'engine-busy' }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  if (vi.getTimerCount() > 0) throw new Error('expected no timer to be left')
  vi.useRealTimers()
})

function createPool(limits: { queueLength?: number; queueWaitMs?: number } = {}) {
  return new SessionPool(['one', 'two'], { queueLength: 2, queueWaitMs: 1000, ...limits })
}

/** Creates a pool whose sessions are all in use. */
async function createBusyPool(limits = {}) {
  const pool = createPool(limits)
  await pool.acquire(NEVER)
  await pool.acquire(NEVER)
  return pool
}

test('gives each session to one user at a time', async () => {
  const pool = createPool()
  const [first, second] = [await pool.acquire(NEVER), await pool.acquire(NEVER)]
  expect([first, second].toSorted()).toEqual(['one', 'two'])
  pool.release(first)
  expect(await pool.acquire(NEVER)).toBe(first)
})

test('serves waiting users in order', async () => {
  const pool = await createBusyPool()
  const served: string[] = []
  const waiting = ['a', 'b'].map(async (name) => served.push(name + (await pool.acquire(NEVER))))
  pool.release('one')
  pool.release('two')
  await Promise.all(waiting)
  expect(served).toEqual(['aone', 'btwo'])
})

test('refuses users when the queue is full', async () => {
  const pool = await createBusyPool()
  const waiting = [pool.acquire(NEVER), pool.acquire(NEVER)]
  await expect(pool.acquire(NEVER)).rejects.toMatchObject(BUSY)
  pool.release('one')
  expect(await waiting[0]).toBe('one')
  const next = pool.acquire(NEVER)
  pool.release('two')
  pool.release('one')
  expect([await waiting[1], await next]).toEqual(['two', 'one'])
})

test('refuses everybody at a queue length of 0', async () => {
  const pool = await createBusyPool({ queueLength: 0 })
  await expect(pool.acquire(NEVER)).rejects.toMatchObject(BUSY)
})

test('refuses a user after the longest wait, and gives that user no session later', async () => {
  const pool = await createBusyPool({ queueWaitMs: 1500 })
  const late = pool.acquire(NEVER)
  late.catch(() => {})
  await vi.advanceTimersByTimeAsync(1499)
  const next = pool.acquire(NEVER)
  await vi.advanceTimersByTimeAsync(1)
  const message = expect.stringContaining('busy for 1.5 s')
  await expect(late).rejects.toMatchObject({ ...BUSY, message })
  pool.release('one')
  expect(await next).toBe('one')
})

test('a user who aborts leaves the queue, and gets the reason of the abort', async () => {
  const pool = await createBusyPool({ queueLength: 1 })
  const leaving = new AbortController()
  const left = pool.acquire(leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(pool.acquire(leaving.signal)).rejects.toThrow('gone')
  const next = pool.acquire(NEVER)
  pool.release('two')
  expect(await next).toBe('two')
})

test('closing refuses waiting users and new ones', async () => {
  const pool = await createBusyPool()
  const waiting = [pool.acquire(NEVER), pool.acquire(NEVER)]
  pool.close()
  for (const late of [...waiting, pool.acquire(NEVER)]) {
    await expect(late).rejects.toMatchObject({ code: 'shutting-down' })
  }
  pool.release('one')
  await expect(pool.acquire(NEVER)).rejects.toMatchObject({ code: 'shutting-down' })
})
