import { setImmediate as settled } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Turn, Turns } from './turns.ts'

const LARGE = 2 * 1024 ** 2

let log: string[]
beforeEach(() => {
  log = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
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

test('beside small results, large ones are read by half of the cores', async () => {
  const turns = new Turns(4)
  const small = turns.begin()
  const endSmall = read('small', small, 0)
  const endFirst = read('first', turns.begin(), LARGE)
  read('second', turns.begin(), LARGE)
  read('third', turns.begin(), LARGE)
  read('fourth', turns.begin(), LARGE)
  await settled()
  expect(log).toEqual(['small', 'first', 'second'])
  await endFirst()
  expect(log).toEqual(['small', 'first', 'second', 'third'])
  await endSmall()
  small.end()
  await settled()
  expect(log).toEqual(['small', 'first', 'second', 'third', 'fourth'])
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

test('a query that gives nothing for two seconds counts as large', async () => {
  const turns = new Turns(1)
  read('slow', turns.begin(), 0)
  read('first', turns.begin(), LARGE)
  read('second', turns.begin(), LARGE)
  await vi.advanceTimersByTimeAsync(1999)
  expect(log).toEqual(['slow', 'first'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['slow', 'first', 'second'])
})

test('a query that has ended holds nobody back', async () => {
  const turns = new Turns(1)
  const left = turns.begin()
  read('left', left, 0)
  read('first', turns.begin(), LARGE)
  read('second', turns.begin(), LARGE)
  left.end()
  await settled()
  expect(log).toEqual(['left', 'first', 'second'])
})
