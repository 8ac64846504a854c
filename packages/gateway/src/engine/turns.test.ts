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

/** Lets time pass, after everything that can start has started. */
async function pass(ms: number): Promise<void> {
  await settled()
  nowMs += ms
}

/** Starts to read a piece of a result. The returned function ends the piece, and lets its core rest. */
function read(name: string, turn: Turn, bytes: number): (restMs?: number) => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const reading = turn.read(bytes, async () => {
    log.push(name)
    await promise
  })
  return async (restMs = 50) => {
    resolve()
    await reading
    await vi.advanceTimersByTimeAsync(restMs)
    await settled()
  }
}

test('beside small results, half of the cores read large ones', async () => {
  const turns = new Turns(4, now)
  const small = turns.begin('a1')
  const endSmall = read('small', small, 0)
  const endFirst = read('first', turns.begin('b2'), LARGE)
  read('second', turns.begin('c3'), LARGE)
  read('third', turns.begin('d4'), LARGE)
  read('fourth', turns.begin('e5'), LARGE)
  await settled()
  expect(log).toEqual(['small', 'first', 'second'])
  await endFirst()
  expect(log).toEqual(['small', 'first', 'second', 'third'])
  await endSmall()
  small.end()
  await settled()
  expect(log).toEqual(['small', 'first', 'second', 'third', 'fourth'])
})

test('beside small results, a core rests after a large piece for as long as the piece took', async () => {
  const turns = new Turns(1, now)
  const small = turns.begin('a1')
  const large = turns.begin('b2')
  const endFirst = read('first', large, LARGE)
  read('second', turns.begin('c3'), LARGE)
  await pass(30)
  await endFirst(29)
  expect(log).toEqual(['first'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['first', 'second'])
  small.end()
  const endThird = read('third', large, LARGE)
  await pass(30)
  await endThird(0)
  read('fourth', large, LARGE)
  await settled()
  expect(log).toEqual(['first', 'second', 'third', 'fourth'])
})

test('a small result never waits', async () => {
  const turns = new Turns(1, now)
  read('one', turns.begin('f6'), 0)
  read('another', turns.begin('g7'), 0)
  await settled()
  expect(log).toEqual(['one', 'another'])
})

test('large results do not wait when no small result is read', async () => {
  const turns = new Turns(1, now)
  read('one', turns.begin('h8'), LARGE)
  read('another', turns.begin('i9'), LARGE)
  await settled()
  expect(log).toEqual(['one', 'another'])
})

test('a query counts as large after two seconds without bytes', async () => {
  const turns = new Turns(1, now)
  read('slow', turns.begin('j10'), 0)
  await vi.advanceTimersByTimeAsync(1950)
  read('first', turns.begin('k11'), LARGE)
  read('second', turns.begin('l12'), LARGE)
  await vi.advanceTimersByTimeAsync(49)
  expect(log).toEqual(['slow', 'first'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['slow', 'first', 'second'])
})

test('a query that has ended delays no other', async () => {
  const turns = new Turns(1, now)
  const left = turns.begin('m13')
  read('left', left, 0)
  read('first', turns.begin('n14'), LARGE)
  read('second', turns.begin('o15'), LARGE)
  left.end()
  await settled()
  expect(log).toEqual(['left', 'first', 'second'])
})

test('a slow piece holds its turn for a tenth of a second', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin('p16'), 0)
  read('slow', turns.begin('q17'), LARGE)
  read('other', turns.begin('r18'), LARGE)
  await vi.advanceTimersByTimeAsync(99)
  expect(log).toEqual(['small', 'slow'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['small', 'slow', 'other'])
})

test('the result whose pieces took the least time goes next', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin('s19'), 0)
  const [slow, quick] = [turns.begin('t20'), turns.begin('u21')]
  const endSlow = read('slow', slow, LARGE)
  const endQuick = read('quick', quick, LARGE)
  await pass(50)
  await endSlow()
  read('slow again', slow, LARGE)
  await pass(5)
  await endQuick()
  read('quick again', quick, LARGE)
  // The slow result waited longer, but its pieces took more time.
  expect(log).toEqual(['small', 'slow', 'quick', 'slow again'])
})

test('the time before a result became large gives it no advantage', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin('v22'), 0)
  const old = turns.begin('w23')
  const endOld = read('old', old, LARGE)
  await pass(50)
  await endOld()
  const endAgain = read('old again', old, LARGE)
  await settled()
  const young = turns.begin('x24')
  const endYoung = read('young', young, LARGE)
  await pass(1)
  await endAgain()
  expect(log).toEqual(['small', 'old', 'old again', 'young'])
  await pass(10)
  read('old at last', old, LARGE)
  read('young again', young, LARGE)
  await endYoung()
  expect(log.at(-1)).toBe('old at last')
})

test('a result that reads nothing gives later ones no advantage over those that read', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin('y25'), 0)
  const parked = turns.begin('z26')
  await read('parked', parked, LARGE)()
  const victim = turns.begin('a27')
  for (let piece = 0; piece < 10; piece += 1) {
    const end = read('victim', victim, LARGE)
    await pass(50)
    await end()
  }
  const newcomer = turns.begin('b28')
  const endFirst = read('newcomer', newcomer, LARGE)
  read('victim again', victim, LARGE)
  await pass(50)
  read('newcomer again', newcomer, LARGE)
  await endFirst()
  // The newcomer began at the victim's time, and has used 50 ms more by now.
  expect(log.slice(-2)).toEqual(['newcomer', 'victim again'])
})

test('many results of one flow delay another flow no more than one result does', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin('small'), 0)
  const victim = turns.begin('victim')
  let endVictim = read('victim', victim, LARGE)
  for (let round = 0; round < 20; round += 1) {
    const newcomer = turns.begin('attacker')
    const endNewcomer = read('newcomer', newcomer, LARGE)
    await pass(50)
    await endVictim()
    endVictim = read('victim', victim, LARGE)
    await pass(50)
    await endNewcomer()
    newcomer.end()
  }
  expect(log.filter((name) => name === 'victim').length).toBeGreaterThanOrEqual(20)
})

test('a flow keeps its time from result to result, and is forgotten when the clock has reached it', async () => {
  const turns = new Turns(1, now)
  read('small', turns.begin('small'), 0)
  const endFirst = read('first of one', turns.begin('one'), LARGE)
  await pass(50)
  await endFirst()
  const endBusy = read('busy', turns.begin('busy'), LARGE)
  read('second of one', turns.begin('one'), LARGE)
  read('other', turns.begin('other'), LARGE)
  await pass(10)
  await endBusy()
  expect(log.slice(-2)).toEqual(['busy', 'other'])
})
