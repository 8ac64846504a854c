import { describe, expect, test } from 'vitest'
import type { RunQuery, StoredRun, StoredSigningKey } from '../../src/store/run-store.ts'
import { SEALED, type StoreKit } from './store-kit.ts'

const NOW_MS = 1_800_000_000_000

/** The promises of the runs and signing keys of a store, for any store. */
export function describeRuns({ store, openOther }: StoreKit): void {
  describe('runs', () => {
    const at = (minutes: number) => new Date(NOW_MS + minutes * 60_000)
    const run = (runId: string, minutes: number, change: Partial<StoredRun> = {}): StoredRun => ({
      runId,
      login: 'shop',
      reportIdentifier: 'transactions-list',
      endedAt: at(minutes),
      record: `{"runId": "${runId}", "é": "\\u0000"}`,
      ...change,
    })
    const list = async (query: Partial<RunQuery> = {}) => {
      const { runs, hasMore } = await store().runs.list({ limit: 9, bytesMax: 10_000, ...query })
      return { ids: runs.map(({ runId }) => runId), last: runs.at(-1)?.number, hasMore }
    }
    const idsOf = async (query: Partial<RunQuery> = {}) => (await list(query)).ids

    test('are found as they were added, and stay as they are', async () => {
      await store().runs.add([run('one', 1), run('two', 2)])
      await store().runs.add([run('one', 9, { login: 'other' })])
      expect(await store().runs.find('one')).toMatchObject(run('one', 1))
      expect(await store().runs.find('three')).toBeUndefined()
    })

    test('are listed newest first, in pages, of a login and of a report', async () => {
      await store().runs.add([
        run('one', 1),
        run('two', 2, { login: 'other' }),
        run('three', 3, { reportIdentifier: 'daily-totals' }),
        run('four', 4),
      ])
      expect(await idsOf({ limit: 9 })).toEqual(['four', 'three', 'two', 'one'])
      expect(await idsOf({ limit: 9, login: 'shop' })).toEqual(['four', 'three', 'one'])
      const reportIdentifier = 'transactions-list'
      expect(await idsOf({ limit: 9, login: 'shop', reportIdentifier })).toEqual(['four', 'one'])
      const page = await list({ limit: 2, login: 'shop' })
      expect(page).toMatchObject({ ids: ['four', 'three'], hasMore: true })
      const rest = { limit: 2, login: 'shop', before: page.last }
      expect(await list(rest)).toMatchObject({ ids: ['one'], hasMore: false })
      expect(await list({ limit: 4 })).toMatchObject({ hasMore: false })
    })

    test('are listed up to a number of bytes, and one at least', async () => {
      const record = 'é'.repeat(500)
      const ids = ['four', 'three', 'two', 'one']
      await store().runs.add(ids.toReversed().map((id, index) => run(id, index, { record })))
      for (const [bytesMax, count] of [
        [0, 1],
        [999, 1],
        [2_000, 2],
        [2_999, 2],
        [3_000, 3],
        [3_999, 3],
        [4_000, 4],
      ] as const) {
        const listed = { ids: ids.slice(0, count), hasMore: count < ids.length }
        expect({ bytesMax, ...(await list({ bytesMax })) }).toMatchObject({ bytesMax, ...listed })
      }
      // A list that ended early holds back no other work.
      await store().runs.add([run('five', 5)])
      expect(await idsOf({ limit: 1 })).toEqual(['five'])
    })

    test('of a login are forgotten beyond a number, the oldest first', async () => {
      const runs = ['one', 'two', 'three', 'four'].map((id, index) => run(id, index))
      await store().runs.add([run('other', 0, { login: 'other' }), ...runs])
      expect(await store().runs.forgetBeyond('shop', 4, 9)).toBe(0)
      expect(await store().runs.forgetBeyond('shop', 1, 2)).toBe(2)
      expect(await idsOf()).toEqual(['four', 'three', 'other'])
      expect(await store().runs.forgetBeyond('shop', 1, 2)).toBe(1)
      expect(await store().runs.forgetBeyond('none', 1, 2)).toBe(0)
      expect(await idsOf()).toEqual(['four', 'other'])
    })

    test('are forgotten, the oldest first', async () => {
      await store().runs.add([run('two', 2), run('one', 1), run('three', 3), run('four', 4)])
      expect(await store().runs.forget(at(4), 2)).toBe(2)
      expect(await idsOf({ limit: 9 })).toEqual(['four', 'three'])
      expect(await store().runs.forget(at(4), 2)).toBe(1)
      expect(await idsOf({ limit: 9 })).toEqual(['four'])
    })
  })

  describe('signing keys', () => {
    const key = (keyId: string, seconds: number): StoredSigningKey => ({
      keyId,
      createdAt: new Date(NOW_MS + seconds * 1000),
      publicJwk: '{"kty": "OKP"}',
      sealed: SEALED,
    })

    test('of two gateways that add one, the first succeeds, and both get the same keys', async () => {
      const other = await openOther()
      const [one, two] = [key('one', 1), key('two', 2)]
      const both = await Promise.all([
        store().signingKeys.add(one, 0),
        other.signingKeys.add(two, 0),
      ])
      expect(both[0]).toEqual(both[1])
      expect(both[0]).toHaveLength(1)
      expect(await store().signingKeys.list()).toEqual(both[0])
      expect(await other.signingKeys.add(key('three', 3), 1)).toHaveLength(2)
      await other.close()
    })
  })
}
