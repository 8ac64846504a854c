import { beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import type { OutboxEntry } from '../../src/store/outbox.ts'
import type { Store } from '../../src/store/store.ts'

const NOW_MS = 1_800_000_000_000
const MAXIMA = { perLogin: 1_000, perDay: 1_000, day: 20_000 }

/** The promises of the outbox of a store, for any store. `openOther` opens the same place. */
export function describeOutbox({
  store,
  openOther,
  addLogin,
}: {
  readonly store: () => Store
  readonly openOther: () => Promise<Store>
  readonly addLogin: (name: string) => Promise<void>
}): void {
  describe('the outbox', () => {
    beforeEach(async () => {
      for (const name of ['shop', 'other']) await addLogin(name)
    })

    function accept(on: Store, clientOrderId: string, entries: readonly OutboxEntry[] = []) {
      return on.outbox.accept({ login: 'shop', clientOrderId }, MAXIMA, (number) => {
        return { fieldsHash: 'hash', keyVersion: 1, answer: String(number), entries }
      })
    }

    const dueAt = (ms: number): OutboxEntry => ({
      dueAt: new Date(NOW_MS + ms),
      rows: `{"at":${ms}}`,
    })

    const listDue = async (ms: number) => {
      const due = await store().outbox.listDue(new Date(NOW_MS + ms), 100)
      return due.map(({ rows }) => rows)
    }

    test('keeps the first operation of an idempotency key, and gives each operation another number', async () => {
      expect(await accept(store(), 'one')).toEqual({
        fieldsHash: 'hash',
        keyVersion: 1,
        answer: '1',
      })
      expect(await accept(store(), 'two')).toMatchObject({ answer: '2' })
      expect(await accept(store(), 'one')).toMatchObject({ answer: '1' })
      const other = { login: 'other', clientOrderId: 'one' }
      const made = { fieldsHash: 'h', keyVersion: 2, answer: 'theirs', entries: [] }
      expect(await store().outbox.accept(other, MAXIMA, () => made)).toMatchObject({
        answer: 'theirs',
      })
    })

    test('of two processes at once, the second one gets the operation of the first', async () => {
      const second = await openOther()
      const accepted = await Promise.all(
        Array.from({ length: 20 }, (_, index) => accept(index % 2 === 0 ? store() : second, 'one')),
      )
      expect(new Set(accepted.map((operation) => operation?.answer))).toEqual(new Set(['1']))
      expect(await accept(second, 'two')).toMatchObject({ answer: '2' })
      await second.close()
    })

    test('keeps a maximum of operations of each login, also of two processes at once', async () => {
      const second = await openOther()
      const acceptOf = (login: string, index: number) => {
        const key = { login, clientOrderId: `order-${index}` }
        return (index % 2 === 0 ? store() : second).outbox.accept(
          key,
          { ...MAXIMA, perLogin: 3 },
          (number) => {
            return {
              fieldsHash: 'hash',
              keyVersion: 1,
              answer: String(number),
              entries: [dueAt(0)],
            }
          },
        )
      }
      const orders = [...Array(20).keys()]
      const made = await Promise.all(orders.map((order) => acceptOf('shop', order)))
      expect(made.filter((operation) => operation !== undefined)).toHaveLength(3)
      const retried = await Promise.all(orders.map((order) => acceptOf('shop', order)))
      expect(retried).toEqual(made)
      expect(await listDue(0)).toHaveLength(3)
      await second.close()

      const restarted = await openOther()
      const one = { login: 'shop', clientOrderId: 'one' }
      const operation = { fieldsHash: 'hash', keyVersion: 1, answer: 'made', entries: [] }
      expect(
        await restarted.outbox.accept(one, { ...MAXIMA, perLogin: 3 }, () => operation),
      ).toBeUndefined()
      expect(await restarted.outbox.has(one)).toBe(false)
      const today = { ...MAXIMA, perDay: 3 }
      expect(await restarted.outbox.accept(one, today, () => operation)).toBeUndefined()
      // A refused operation uses up no number.
      expect(await acceptOf('other', 0)).toMatchObject({ answer: '4' })
      expect(
        await restarted.outbox.accept(one, { ...MAXIMA, perLogin: 4 }, () => operation),
      ).toEqual({
        fieldsHash: 'hash',
        keyVersion: 1,
        answer: 'made',
      })
      const tomorrow = { ...MAXIMA, perDay: 1, day: MAXIMA.day + 1 }
      for (const [clientOrderId, answer] of [
        ['a', operation],
        ['b', undefined],
      ] as const) {
        const key = { login: 'shop', clientOrderId }
        const kept = await restarted.outbox.accept(key, tomorrow, () => operation)
        expect(kept?.answer).toBe(answer?.answer)
      }
      await restarted.close()
    })

    test('keeps nothing of an operation that failed', async () => {
      const fail = () => {
        throw new Error('no')
      }
      const key = { login: 'shop', clientOrderId: 'one' }
      await expect(store().outbox.accept(key, MAXIMA, fail)).rejects.toMatchObject({
        code: 'store',
      })
      expect(await accept(store(), 'one', [dueAt(0)])).toMatchObject({ answer: '1' })
      expect(await listDue(0)).toEqual(['{"at":0}'])
    })

    test('lists what is due, the oldest first, until it was relayed', async () => {
      await accept(store(), 'late', [dueAt(5_000), dueAt(1)])
      await accept(store(), 'soon', [dueAt(0)])
      expect(await listDue(1)).toEqual(['{"at":0}', '{"at":1}'])
      await store().outbox.markRelayed(
        await store().outbox.listDue(new Date(NOW_MS), 100),
        new Date(NOW_MS),
      )
      expect(await listDue(10_000)).toEqual(['{"at":1}', '{"at":5000}'])
    })

    test('makes entries due again that were relayed lately, and prunes older ones', async () => {
      await accept(store(), 'one', [dueAt(0)])
      await accept(store(), 'two', [dueAt(1)])
      const relay = async (atMs: number) => {
        const due = await store().outbox.listDue(new Date(NOW_MS + atMs), 1)
        await store().outbox.markRelayed(due, new Date(NOW_MS + atMs))
      }
      await relay(0)
      await relay(LIMITS.outboxRetentionMs)
      await store().outbox.makeDueAgain(new Date(NOW_MS + LIMITS.outboxRetentionMs))
      expect(await listDue(1)).toEqual(['{"at":0}', '{"at":1}'])
      await relay(1)
      await relay(LIMITS.outboxRetentionMs + 2)
      await store().outbox.makeDueAgain(new Date(NOW_MS + LIMITS.outboxRetentionMs + 2))
      expect(await listDue(1)).toEqual(['{"at":1}'])
    })

    test('never makes an entry due again that was relayed long ago, even if no other came since', async () => {
      await accept(store(), 'one', [dueAt(0)])
      await store().outbox.markRelayed(
        await store().outbox.listDue(new Date(NOW_MS), 1),
        new Date(NOW_MS),
      )
      await store().outbox.makeDueAgain(new Date(NOW_MS + LIMITS.outboxRetentionMs + 1))
      expect(await listDue(0)).toEqual([])
    })

    test('gives no number again that the ledger has', async () => {
      await accept(store(), 'one')
      await store().outbox.raiseNumbers(41)
      expect(await accept(store(), 'two')).toMatchObject({ answer: '42' })
      await store().outbox.raiseNumbers(7)
      expect(await accept(store(), 'three')).toMatchObject({ answer: '43' })
    })

    test('gives no number above the maximum', async () => {
      await store().outbox.raiseNumbers(LIMITS.ordersMax - 1)
      expect(await accept(store(), 'last')).toMatchObject({ answer: String(LIMITS.ordersMax) })
      await expect(accept(store(), 'more')).rejects.toMatchObject({ code: 'store' })
    })

    test('lists the versions of the keys of its hashes', async () => {
      expect(await store().outbox.listKeyVersions()).toEqual([])
      for (const [id, keyVersion] of [
        ['one', 1],
        ['two', 3],
        ['three', 3],
      ] as const) {
        const made = { fieldsHash: 'h', keyVersion, answer: '', entries: [] }
        await store().outbox.accept({ login: 'shop', clientOrderId: id }, MAXIMA, () => made)
      }
      expect(new Set(await store().outbox.listKeyVersions())).toEqual(new Set([1, 3]))
    })
  })
}
