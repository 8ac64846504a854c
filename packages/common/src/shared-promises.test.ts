import { expect, test } from 'vitest'
import { unlessAborted } from './shared-promises.ts'

const never = new Promise<never>(() => {})

test('returns the value, or throws the error, of what it waits for', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(unlessAborted(Promise.reject(new Error('why')), signal)).rejects.toThrow('why')
})

test('stops waiting when the signal aborts, or has aborted', async () => {
  const leaving = new AbortController()
  const waiting = unlessAborted(never, leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await expect(unlessAborted(Promise.resolve(1), leaving.signal)).rejects.toThrow('gone')
})
