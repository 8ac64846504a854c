import type { NonceUse } from '@counterfoil/signing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import type { StorePlace } from './store-kit.ts'

const NOW = 1_800_000_000
const TOLERANCE = 300

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
  /** Which of two gateways gets the requests. */
  gateway: fc.constantFrom(0, 1),
  restarts: fc.nat({ max: 9 }).map((number) => number === 0),
})
const EVENTS = fc.array(EVENT, { minLength: 20, maxLength: 60 })
type Event = typeof EVENT extends fc.Arbitrary<infer Value> ? Value : never

/**
 * The promises of `Store.spendNonce` to a clock that jumps, for any store and two gateways.
 *
 * @param runs how many random sequences of events to try
 */
export function describeClocks(makePlace: () => Promise<StorePlace>, runs: number): void {
  let place: StorePlace
  let stores: [Store, Store]
  beforeAll(async () => {
    place = await makePlace()
    stores = [await place.open(), await place.open()]
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await place.remove()
  })

  test('no clock makes a replay acceptable, or shuts out a login that spent nothing by a wrong one', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(EVENTS, async (events) => {
        run += 1
        expect(await faultsOf(events, `-${run}`)).toEqual([])
      }),
      { numRuns: runs },
    )
  })

  test('a login is shut out by a wrong clock only until the time that it spent by it', async () => {
    const spend = (timestampSeconds: number, now: number, nonce: string) => {
      return stores[0].spendNonce({ consumerKey: 'follower', timestampSeconds, nonce }, now)
    }
    const wrong = NOW + 3600
    let count = 0
    for (const now of [NOW, wrong, wrong, wrong + 400, wrong + 400, wrong + 400]) {
      expect(await spend(now, now, String(count++))).toBe('spent')
    }
    expect(await spend(NOW + 800, NOW + 800, 'a')).toBe('expired')
    expect(await spend(wrong, wrong, 'a')).toBe('expired')
    expect(await spend(wrong + 1, wrong, 'a')).toBe('spent')
    // What one login forgot changes nothing for another.
    const other = { consumerKey: 'other', timestampSeconds: NOW + 800, nonce: 'a' }
    expect(await stores[0].spendNonce(other, NOW + 800)).toBe('spent')
    expect(await stores[0].spendNonce(other, NOW + 800)).toBe('replayed')
  })

  async function faultsOf(events: readonly Event[], run: string): Promise<readonly unknown[]> {
    const faults: unknown[] = []
    const spent = new Set<string>()
    const uses: NonceUse[] = []
    const followers = new Set<string>()
    let [clock, right] = [NOW, NOW]
    const spend = async (gateway: 0 | 1, use: NonceUse) => {
      const outcome = await stores[gateway].spendNonce(use, clock)
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
    for (const event of events) {
      const { secondsPassed, jump, login, ahead, nonce, gateway } = event
      right += secondsPassed
      clock =
        jump === 0 ? clock + secondsPassed : clock + secondsPassed === right ? right + jump : right
      if (event.restarts) {
        await stores[gateway].close()
        stores[gateway] = await place.open()
      }
      await spend(gateway, { consumerKey: login + run, timestampSeconds: clock + ahead, nonce })
      const old = uses.at(event.replayed % Math.max(1, uses.length))
      if (old && Math.abs(old.timestampSeconds - clock) <= TOLERANCE) {
        await spend(gateway === 0 ? 1 : 0, old)
      }
    }
    return faults
  }
}
