import { expect, test, vi } from 'vitest'
import {
  Busy,
  type CounterfoilError,
  DigestMismatch,
  NetworkError,
  TimedOut,
  Truncated,
  UnexpectedBody,
} from '../errors/counterfoil-error.ts'
import { createRetry, isTransient, isUnsent } from './retry.ts'

test.each<[CounterfoilError, boolean]>([
  [new Busy('busy', undefined), true],
  [new NetworkError('refused', true), true],
  [new NetworkError('broken', false), true],
  [new NetworkError('untrusted', true, { cause: withCode('CERT_HAS_EXPIRED') }), false],
  [new UnexpectedBody('a proxy', 502), true],
  [new UnexpectedBody('a proxy', 504), true],
  [new UnexpectedBody('a proxy', 500), false],
  [new Truncated('cut', 'cut'), true],
  [new Truncated('unproved', 'unproved'), false],
  [new DigestMismatch('another', 'sha256'), false],
  [new TimedOut(1, false), false],
])('tells what may pass: %s', (error, expected) => {
  expect(isTransient(error)).toBe(expected)
})

test('repeats what changes something only if nothing was sent', () => {
  expect(isUnsent(new NetworkError('refused', true))).toBe(true)
  for (const error of [new NetworkError('broken', false), new Busy('busy', 0)]) {
    expect(isUnsent(error)).toBe(false)
  }
})

test.each([
  ['twice as long each time', undefined, [250, 500, 1000], 0],
  ['with jitter', undefined, [500, 1000, 2000], 1],
  ['at least as long as the gateway asks', 7, [7250, 7500, 8000], 0],
])('waits %s', async (_, retryAfterSeconds, expected, random) => {
  vi.useFakeTimers()
  const attempts: number[] = []
  const attempt = async () => {
    attempts.push(Date.now())
    throw new Busy('busy', retryAfterSeconds)
  }
  const retry = createRetry(3, isTransient, () => random)
  const retried = retry(attempt).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  expect(await retried).toMatchObject({ code: 'busy' })
  vi.useRealTimers()
  expect(attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0))).toEqual(expected)
})

test('does not wait longer than a minute for a busy gateway, nor after another error', async () => {
  const retry = createRetry(3, isTransient, () => 0)
  for (const error of [new Busy('busy', 61), new DigestMismatch('x', 'rows'), new Error('own')]) {
    const attempt = vi.fn<() => Promise<never>>(async () => {
      throw error
    })
    await expect(retry(attempt)).rejects.toBe(error)
    expect(attempt).toHaveBeenCalledTimes(1)
  }
})

test('stops waiting when it is aborted', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const attempt = async () => {
    setTimeout(() => controller.abort(reason), 10)
    throw new Busy('busy', 60)
  }
  const retry = createRetry(3, isTransient, () => 0)
  await expect(retry(attempt, controller.signal)).rejects.toBe(reason)
})

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}
