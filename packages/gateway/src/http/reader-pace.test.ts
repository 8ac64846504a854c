import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { ReaderPace } from './reader-pace.ts'

const { readerBytesPerSecondMin: RATE, stalledReaderMs: REST_MS } = LIMITS

/** Returns how long a reader lasts if it takes `tookMs` for every `bytes`. */
function lastsMs(bytes: number, tookMs: number): number {
  const pace = new ReaderPace()
  for (let elapsedMs = 0; elapsedMs < 100 * REST_MS; elapsedMs += tookMs) {
    if (tookMs > pace.restMs(bytes)) return elapsedMs
    pace.note(bytes, tookMs)
  }
  return Number.POSITIVE_INFINITY
}

test('never cuts off a reader at the minimum rate', () => {
  expect(lastsMs(RATE, 1_000)).toBe(Number.POSITIVE_INFINITY)
  expect(lastsMs(100 * RATE, 100_000)).toBe(Number.POSITIVE_INFINITY)
})

test('cuts off a reader below the minimum rate once it is too far behind', () => {
  expect(lastsMs(RATE / 2, 1_000)).toBe(2 * REST_MS)
  expect(lastsMs(1, 1_000)).toBeLessThan(1.01 * REST_MS)
})

test('cuts off a reader that rests too long once, whatever it was sent', () => {
  expect(lastsMs(1_000 * RATE, REST_MS + 1)).toBe(0)
})

test('lets a fast reader catch up, but save no time for later', () => {
  const pace = new ReaderPace()
  pace.note(0, REST_MS - 1)
  expect(pace.restMs(0)).toBe(1)
  pace.note(1_000_000 * RATE, 1_000)
  expect(pace.restMs(0)).toBe(REST_MS)
})
