import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LIMITS } from '../limits.ts'
import { LargeRequests } from './large-requests.ts'

const NEVER = new AbortController().signal
const LARGE = new Uint8Array(LIMITS.largeRequestBytesMin + 1)
const { largeRequestRestMs: REST_MS, largeRequestWaitMs: WAIT_MS } = LIMITS

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Asks for `count` turns. Returns how many have passed or were refused so far. */
function ask(turns: LargeRequests, login: string, count: number, body = LARGE) {
  const state = { passed: 0, refused: 0 }
  for (let index = 0; index < count; index += 1) {
    turns.wait(login, body, NEVER).then(
      () => (state.passed += 1),
      () => (state.refused += 1),
    )
  }
  return state
}

test('spaces out the large requests of a login', async () => {
  const turns = new LargeRequests(Date.now)
  const own = ask(turns, 'a', 3)
  const other = ask(turns, 'b', 1)
  await vi.advanceTimersByTimeAsync(0)
  expect([own.passed, other.passed]).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(REST_MS)
  expect(own.passed).toBe(2)
  await vi.advanceTimersByTimeAsync(REST_MS)
  expect(own.passed).toBe(3)
})

test('does not delay small requests', async () => {
  const turns = new LargeRequests(Date.now)
  const own = ask(turns, 'a', 100, LARGE.subarray(1))
  await vi.advanceTimersByTimeAsync(0)
  expect(own.passed).toBe(100)
})

test('refuses further requests of a login that sends too many', async () => {
  const turns = new LargeRequests(Date.now)
  const own = ask(turns, 'a', 20)
  await vi.advanceTimersByTimeAsync(0)
  const waiting = Math.floor(WAIT_MS / REST_MS)
  expect(own).toEqual({ passed: 1, refused: 19 - waiting })
  await expect(turns.wait('a', LARGE, NEVER)).rejects.toMatchObject({ code: 'too-many-reports' })
  await vi.advanceTimersByTimeAsync(WAIT_MS)
  expect(own.passed).toBe(1 + waiting)
})

test('throws the reason of the signal if the caller disconnects', async () => {
  const turns = new LargeRequests(Date.now)
  ask(turns, 'a', 1)
  const leaving = new AbortController()
  const left = turns.wait('a', LARGE, leaving.signal)
  leaving.abort(new Error('gone'))
  void vi.advanceTimersByTimeAsync(REST_MS)
  await expect(left).rejects.toThrow('gone')
})
