import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NonceUse } from '@counterfoil/signing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

const NOW = 1_800_000_000
const TOLERANCE = 300

let folder: string
let file: string
let store: Store

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'store.sqlite')
  store = openSqliteStore(file)
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** Time passes or the clock jumps, then a login sends a request, and a stranger sends an older one again. */
const EVENT = fc.record({
  secondsPassed: fc.integer({ min: 0, max: 200 }),
  // A wrong clock jumps back to the right time.
  jump: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    fc.constantFrom(-86_400, -3600, -301, 301, 3600, 86_400),
  ),
  login: fc.constantFrom('one', 'two', 'three'),
  ahead: fc.integer({ min: -TOLERANCE, max: TOLERANCE }),
  nonce: fc.constantFrom('a', 'b', 'c'),
  replayed: fc.nat({ max: 1000 }),
  restarts: fc.nat({ max: 9 }).map((number) => number === 0),
})
const EVENTS = fc.array(EVENT, { minLength: 20, maxLength: 60 })
type Event = typeof EVENT extends fc.Arbitrary<infer Value> ? Value : never

test('no clock makes a replay acceptable, or shuts out a login that spent nothing by a wrong one', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(EVENTS, async (events) => {
      runs += 1
      expect(await faultsOf(events, `-${runs}`)).toEqual([])
    }),
    { numRuns: 100 },
  )
})

test('a login is shut out by a wrong clock only until the time that it spent by it', async () => {
  const spend = (timestampSeconds: number, now: number, nonce: string) => {
    return store.spendNonce({ consumerKey: 'follower', timestampSeconds, nonce }, now)
  }
  const wrong = NOW + 3600
  let count = 0
  for (const now of [NOW, wrong, wrong, wrong + 400, wrong + 400, wrong + 400]) {
    expect(await spend(now, now, String(count++))).toBe('spent')
  }
  expect(await spend(NOW + 800, NOW + 800, 'a')).toBe('expired')
  expect(await spend(wrong, wrong, 'a')).toBe('expired')
  expect(await spend(wrong + 1, wrong, 'a')).toBe('spent')
})

async function faultsOf(events: readonly Event[], run: string): Promise<readonly unknown[]> {
  const faults: unknown[] = []
  const spent = new Set<string>()
  const uses: NonceUse[] = []
  const followers = new Set<string>()
  let [clock, right] = [NOW, NOW]
  const spend = async (use: NonceUse) => {
    const outcome = await store.spendNonce(use, clock)
    const key = JSON.stringify([use.consumerKey, use.timestampSeconds, use.nonce])
    const isReplay = spent.has(key)
    const isFollower = followers.has(use.consumerKey)
    if (outcome === 'spent') {
      if (isReplay) faults.push({ replayAccepted: use })
      spent.add(key)
      uses.push(use)
      if (clock !== right) followers.add(use.consumerKey)
    } else if (!isReplay && !isFollower && clock === right) {
      faults.push({ shutOut: use, outcome })
    }
  }
  for (const { secondsPassed, jump, login, ahead, nonce, replayed, restarts } of events) {
    right += secondsPassed
    clock =
      jump === 0 ? clock + secondsPassed : clock + secondsPassed === right ? right + jump : right
    if (restarts) {
      await store.close()
      store = openSqliteStore(file)
    }
    await spend({ consumerKey: login + run, timestampSeconds: clock + ahead, nonce })
    const old = uses.at(replayed % Math.max(1, uses.length))
    if (old && Math.abs(old.timestampSeconds - clock) <= TOLERANCE) await spend(old)
  }
  return faults
}
