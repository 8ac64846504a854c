import { beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import type { OutboxEntry } from '../../src/store/outbox.ts'
import type { Store } from '../../src/store/store.ts'
import { makeLogin, type StoreKit } from './store-kit.ts'

const NOW_MS = 1_800_000_000_000
const MAXIMA = { perLogin: 1_000, perDay: 1_000, day: 20_000 }

/** The promises of the outbox of a store, for any store. */
export function describeOutbox({ store, openOther, deleteOperations }: StoreKit): void {
  describe('the outbox', () => {
    beforeEach(async () => {
      for (const name of ['shop', 'other']) await store().addLogin(makeLogin(name))
    })

    const operationOf = (answer: string, entries: readonly OutboxEntry[] = []) => {
      return { fieldsHash: 'hash', keyVersion: 1, answer, entries }
    }

    function accept(on: Store, clientOrderId: string, entries?: readonly OutboxEntry[]) {
      const make = (number: number) => operationOf(String(number), entries)
      return on.outbox.accept({ login: 'shop', clientOrderId }, MAXIMA, make)
    }

    const dueAt = (ms: number) => ({ dueAt: new Date(NOW_MS + ms), rows: `{"at":${ms}}` })

    const relay = async (atMs: number, countMax = 1) => {
      const at = new Date(NOW_MS + atMs)
      await store().outbox.markRelayed(await store().outbox.listDue(at, countMax), at)
    }

    const listDue = async (ms: number) => {
      const due = await store().outbox.listDue(new Date(NOW_MS + ms), 100)
      return due.map(({ rows }) => rows)
    }

    test('keeps the first operation of an idempotency key, and gives each operation another number', async () => {
      const first = { fieldsHash: 'hash', keyVersion: 1, answer: '1' }
      expect(await accept(store(), 'one')).toEqual(first)
      expect(await accept(store(), 'two')).toMatchObject({ answer: '2' })
      expect(await accept(store(), 'one')).toMatchObject({ answer: '1' })
      const other = { login: 'other', clientOrderId: 'one' }
      const theirs = await store().outbox.accept(other, MAXIMA, () => operationOf('theirs'))
      expect(theirs).toMatchObject({ answer: 'theirs' })
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
      const three = { ...MAXIMA, perLogin: 3 }
      const acceptOf = (login: string, index: number) => {
        const key = { login, clientOrderId: `order-${index}` }
        const { outbox } = index % 2 === 0 ? store() : second
        return outbox.accept(key, three, (number) => operationOf(String(number), [dueAt(0)]))
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
      const make = () => operationOf('made')
      expect(await restarted.outbox.accept(one, three, make)).toBeUndefined()
      expect(await restarted.outbox.has(one)).toBe(false)
      expect(await restarted.outbox.accept(one, { ...MAXIMA, perDay: 3 }, make)).toBeUndefined()
      // A refused operation uses up no number.
      expect(await acceptOf('other', 0)).toMatchObject({ answer: '4' })
      const { entries: _, ...accepted } = make()
      expect(await restarted.outbox.accept(one, { ...MAXIMA, perLogin: 4 }, make)).toEqual(accepted)
      const tomorrow = { ...MAXIMA, perDay: 1, day: MAXIMA.day + 1 }
      for (const [clientOrderId, answer] of [['a', 'made'] as const, ['b', undefined] as const]) {
        const key = { login: 'shop', clientOrderId }
        expect((await restarted.outbox.accept(key, tomorrow, make))?.answer).toBe(answer)
      }
      await restarted.close()
    })

    test('counts the operations that an operator leaves', async () => {
      const acceptWith = (perLogin: number, clientOrderId: string) => {
        const make = (number: number) => operationOf(String(number))
        const key = { login: 'shop', clientOrderId }
        return store().outbox.accept(key, { ...MAXIMA, perLogin }, make)
      }
      for (const order of ['one', 'two', 'three']) await acceptWith(3, order)
      expect(await acceptWith(3, 'four')).toBeUndefined()
      await deleteOperations("client_order_id = 'one'")
      expect(await acceptWith(3, 'four')).toMatchObject({ answer: '4' })
      expect(await acceptWith(3, 'five')).toBeUndefined()
      await deleteOperations('number > 0')
      expect(await acceptWith(1, 'five')).toMatchObject({ answer: '5' })
      expect(await acceptWith(1, 'six')).toBeUndefined()
    })

    test('keeps nothing of an operation that failed', async () => {
      const fail = () => {
        throw new Error('no')
      }
      const key = { login: 'shop', clientOrderId: 'one' }
      const failed = store().outbox.accept(key, MAXIMA, fail)
      await expect(failed).rejects.toMatchObject({ code: 'store' })
      expect(await accept(store(), 'one', [dueAt(0)])).toMatchObject({ answer: '1' })
      expect(await listDue(0)).toEqual(['{"at":0}'])
    })

    test('lists what is due, the oldest first, until it was relayed', async () => {
      await accept(store(), 'late', [dueAt(5_000), dueAt(1)])
      await accept(store(), 'soon', [dueAt(0)])
      expect(await listDue(1)).toEqual(['{"at":0}', '{"at":1}'])
      await relay(0, 100)
      expect(await listDue(10_000)).toEqual(['{"at":1}', '{"at":5000}'])
    })

    test('makes entries due again that were relayed lately, and prunes older ones', async () => {
      await accept(store(), 'one', [dueAt(0)])
      await accept(store(), 'two', [dueAt(1)])
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
      await relay(0)
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
      for (const [index, keyVersion] of [1, 3, 3].entries()) {
        const key = { login: 'shop', clientOrderId: String(index) }
        await store().outbox.accept(key, MAXIMA, () => ({ ...operationOf(''), keyVersion }))
      }
      expect(new Set(await store().outbox.listKeyVersions())).toEqual(new Set([1, 3]))
    })
  })
}
