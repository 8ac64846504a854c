import { setImmediate as settled } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Turn, Turns } from './turns.ts'

const LARGE = 2 * 1024 ** 2

let log: string[]
let nowMs = 0
const now = (): number => nowMs
beforeEach(() => {
  log = []
  nowMs = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => void vi.useRealTimers())

/** Starts to read a piece of a result. The returned function ends the piece. */
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

test('beside small results, half of the cores read large ones', async () => {
  const turns = new Turns(4, now)
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

test('a small result never waits', async () => {
  const turns = new Turns(1, now)
  read('one', turns.begin(), 0)
  read('another', turns.begin(), 0)
  await settled()
  expect(log).toEqual(['one', 'another'])
})

test('large results do not wait when no small result is read', async () => {
  const turns = new Turns(1, now)
  read('one', turns.begin(), LARGE)
  read('another', turns.begin(), LARGE)
  await settled()
  expect(log).toEqual(['one', 'another'])
})

test('a query counts as large after two seconds without bytes', async () => {
  const turns = new Turns(1, now)
  read('slow', turns.begin(), 0)
  await vi.advanceTimersByTimeAsync(1950)
  read('first', turns.begin(), LARGE)
  read('second', turns.begin(), LARGE)
  await vi.advanceTimersByTimeAsync(49)
  expect(log).toEqual(['slow', 'first'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['slow', 'first', 'second'])
})

test('a query that has ended delays no other', async () => {
  const turns = new Turns(1, now)
  const left = turns.begin()
  read('left', left, 0)
  read('first', turns.begin(), LARGE)
  read('second', turns.begin(), LARGE)
  left.end()
  await settled()
  expect(log).toEqual(['left', 'first', 'second'])
})

test('a slow piece holds its turn for a tenth of a second', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin(), 0)
  read('slow', turns.begin(), LARGE)
  read('other', turns.begin(), LARGE)
  await vi.advanceTimersByTimeAsync(99)
  expect(log).toEqual(['small', 'slow'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['small', 'slow', 'other'])
})

test('the result whose pieces took the least time goes next', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin(), 0)
  const [slow, quick] = [turns.begin(), turns.begin()]
  const endSlow = read('slow', slow, LARGE)
  const endQuick = read('quick', quick, LARGE)
  nowMs += 50
  await endSlow()
  read('slow again', slow, LARGE)
  nowMs += 5
  await endQuick()
  read('quick again', quick, LARGE)
  // The slow result waited longer, but its pieces took more time.
  expect(log).toEqual(['small', 'slow', 'quick', 'slow again'])
})

test('the time before a result became large gives it no advantage', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin(), 0)
  const old = turns.begin()
  const endOld = read('old', old, LARGE)
  nowMs += 50
  await endOld()
  const endAgain = read('old again', old, LARGE)
  await settled()
  const young = turns.begin()
  const endYoung = read('young', young, LARGE)
  nowMs += 1
  await endAgain()
  expect(log).toEqual(['small', 'old', 'old again', 'young'])
  nowMs += 10
  read('old at last', old, LARGE)
  read('young again', young, LARGE)
  await endYoung()
  expect(log.at(-1)).toBe('old at last')
})

test('a result that reads nothing gives later ones no advantage over those that read', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin(), 0)
  const parked = turns.begin()
  await read('parked', parked, LARGE)()
  const victim = turns.begin()
  for (let piece = 0; piece < 10; piece += 1) {
    const end = read('victim', victim, LARGE)
    nowMs += 50
    await end()
  }
  const newcomer = turns.begin()
  const endFirst = read('newcomer', newcomer, LARGE)
  read('victim again', victim, LARGE)
  nowMs += 50
  read('newcomer again', newcomer, LARGE)
  await endFirst()
  // The newcomer began at the victim's time, and has used 50 ms more by now.
  expect(log.slice(-2)).toEqual(['newcomer', 'victim again'])
})
