import { setImmediate as settled } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Turn, Turns } from './turns.ts'

const LARGE = 2 * 1024 ** 2

let log: string[]
beforeEach(() => {
  log = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => void vi.useRealTimers())

/** Reads a piece of a result, and returns what ends the reading. */
function read(name: string, turn: Turn, bytes: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const reading = turn.read(bytes, async () => {
    log.push(name)
    await promise
  })
  return async () => {
    resolve()
    await reading
    await settled()
  }
}

test('large results wait while small ones keep the cores busy', async () => {
  const turns = new Turns(1)
  const small = turns.begin()
  const large = turns.begin()
  const endSmall = read('small', small, 0)
  read('large', large, LARGE)
  await settled()
  expect(log).toEqual(['small'])
  await endSmall()
  expect(log).toEqual(['small', 'large'])
})

test('a small result waits for nobody', async () => {
  const turns = new Turns(1)
  read('one', turns.begin(), 0)
  read('another', turns.begin(), 0)
  await settled()
  expect(log).toEqual(['one', 'another'])
})

test('large results alone read all at once', async () => {
  const turns = new Turns(1)
  read('one', turns.begin(), LARGE)
  read('another', turns.begin(), LARGE)
  await settled()
  expect(log).toEqual(['one', 'another'])
})

test('where small results keep the cores busy for long, large ones go on one by one', async () => {
  const turns = new Turns(1)
  read('small', turns.begin(), 0)
  read('first large', turns.begin(), LARGE)
  read('second large', turns.begin(), LARGE)
  await vi.advanceTimersByTimeAsync(100)
  expect(log).toEqual(['small', 'first large'])
  await vi.advanceTimersByTimeAsync(100)
  expect(log).toEqual(['small', 'first large', 'second large'])
})

test('a query that gives nothing for two seconds counts as large', async () => {
  const turns = new Turns(1)
  read('slow', turns.begin(), 0)
  await vi.advanceTimersByTimeAsync(2000)
  read('large', turns.begin(), LARGE)
  await settled()
  expect(log).toEqual(['slow', 'large'])
})

test('a query that has ended holds nobody back', async () => {
  const turns = new Turns(1)
  const left = turns.begin()
  read('left', left, 0)
  read('large', turns.begin(), LARGE)
  left.end()
  await settled()
  expect(log).toEqual(['left', 'large'])
})
