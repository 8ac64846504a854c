import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { ReaderPace } from './reader-pace.ts'

const { readerBytesPerSecondMin: RATE, stalledReaderMs: REST_MS } = LIMITS

/** How long a reader lasts that takes so many bytes in so many milliseconds, again and again. */
function lastsMs(bytes: number, tookMs: number): number {
  const pace = new ReaderPace()
  for (let elapsedMs = 0; elapsedMs < 100 * REST_MS; elapsedMs += tookMs) {
    if (tookMs > pace.restMs(bytes)) return elapsedMs
    pace.note(bytes, tookMs)
  }
  return Number.POSITIVE_INFINITY
}

test('a reader at the least rate is never cut off', () => {
  expect(lastsMs(RATE, 1_000)).toBe(Number.POSITIVE_INFINITY)
  expect(lastsMs(100 * RATE, 100_000)).toBe(Number.POSITIVE_INFINITY)
})

test('a reader below the least rate is cut off when it has fallen behind for long enough', () => {
  expect(lastsMs(RATE / 2, 1_000)).toBe(2 * REST_MS)
  expect(lastsMs(1, 1_000)).toBeLessThan(1.01 * REST_MS)
})

test('a reader that rests for too long once is cut off, however much it was sent', () => {
  expect(lastsMs(1_000 * RATE, REST_MS + 1)).toBe(0)
})

test('a fast reader catches up, and saves nothing for later', () => {
  const pace = new ReaderPace()
  pace.note(0, REST_MS - 1)
  expect(pace.restMs(0)).toBe(1)
  pace.note(1_000_000 * RATE, 1_000)
  expect(pace.restMs(0)).toBe(REST_MS)
})
