import { expect, test, vi } from 'vitest'
import { type CounterfoilError, createError } from '../errors/counterfoil-error.ts'
import { createRetry, isTransient, isUnsent } from './retry.ts'

test.each<[CounterfoilError, boolean]>([
  [busy(undefined), true],
  [network(true), true],
  [network(false), true],
  [network(true, 'CERT_HAS_EXPIRED'), false],
  [createError('unexpected-body', 'a proxy', { status: 502 }), true],
  [createError('unexpected-body', 'a proxy', { status: 504 }), true],
  [createError('unexpected-body', 'a proxy', { status: 500 }), false],
  [createError('truncated', 'cut', { reason: 'cut' }), true],
  [createError('truncated', 'cut', { reason: 'unproved' }), false],
  [createError('digest-mismatch', 'another', { of: 'sha256' }), false],
  [createError('timed-out', 'silent', { idleTimeoutMs: 1, nothingSent: false }), false],
])('tells what may pass: %s', (error, expected) => {
  expect(isTransient(error)).toBe(expected)
})

test('repeats what changes something only if nothing was sent', () => {
  expect(isUnsent(network(true))).toBe(true)
  for (const error of [network(false), busy(0)]) {
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
    throw busy(retryAfterSeconds)
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
  for (const error of [
    busy(61),
    createError('digest-mismatch', 'another', { of: 'rows' }),
    new Error('own'),
  ]) {
    const attempt = vi.fn<() => Promise<never>>(async () => {
      throw error
    })
    await expect(retry(attempt)).rejects.toBe(error)
    expect(attempt).toHaveBeenCalledTimes(1)
  }
})

function busy(retryAfterSeconds: number | undefined) {
  return createError('busy', 'busy', { retryAfterSeconds })
}

function network(nothingSent: boolean, code = 'ECONNREFUSED') {
  const cause = Object.assign(new Error(code), { code })
  return createError('network-error', 'no answer', { nothingSent }, { cause })
}
