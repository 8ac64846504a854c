import { describe, expect, test } from 'vitest'
import type { RunQuery, StoredRun, StoredSigningKey } from '../../src/store/run-store.ts'
import type { Store } from '../../src/store/store.ts'

const NOW_MS = 1_800_000_000_000

/** The promises of the runs and signing keys of a store, for any store. `openOther` opens the same place. */
export function describeRuns(store: () => Store, openOther: () => Promise<Store>): void {
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
    const idsOf = async (query: RunQuery) => {
      return (await store().runs.list(query)).map(({ runId }) => runId)
    }

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
      const page = await store().runs.list({ limit: 2, login: 'shop' })
      const before = page.at(-1)?.number
      expect(await idsOf({ limit: 2, login: 'shop', before })).toEqual(['one'])
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
      sealed: {
        masterKeyVersion: 1,
        iv: Uint8Array.of(1),
        ciphertext: Uint8Array.of(0, 255),
        tag: Uint8Array.of(3),
      },
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
