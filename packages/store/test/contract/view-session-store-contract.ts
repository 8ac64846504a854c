import { beforeEach, describe, expect, test } from 'vitest'
import type { ViewSession } from '../../src/store/view-session-store.ts'
import { controlKey, makeLogin, type StoreKit } from './store-kit.ts'

const NOW_MS = 1_800_000_000_000

/** The promises of the view sessions of a store, for any store. */
export function describeViewSessions({ store, openOther }: StoreKit): void {
  describe('view sessions', () => {
    const at = (minutes: number) => new Date(NOW_MS + minutes * 60_000)
    const link = (sessionId: string, change: Partial<ViewSession> = {}): ViewSession => ({
      sessionId,
      login: 'shop',
      madeAt: at(0),
      expiresAt: at(15),
      ...change,
    })
    const sessionOf = (tokenHash: string) => ({ tokenHash, beganAt: at(1), expiresAt: at(61) })
    const idsAt = async (minutes: number) => {
      return (await store().viewSessions.list(at(minutes))).map(({ sessionId }) => sessionId)
    }
    const addKey = async (keyId: string) => await store().addKey(controlKey(keyId))
    beforeEach(() => store().addLogin(makeLogin('shop')))

    test('begin with a link, are found by the hash of their token, and listed with the links', async () => {
      const { viewSessions } = store()
      await viewSessions.addLink(link('one'), 'link-1')
      await viewSessions.addLink(link('two', { madeAt: at(2) }), 'link-2')
      const one = { ...link('one'), beganAt: at(1), expiresAt: at(61) }
      expect(await viewSessions.begin('link-1', sessionOf('token-1'))).toEqual(one)
      expect(await viewSessions.find('token-1', at(2))).toEqual(one)
      expect(await viewSessions.list(at(2))).toEqual([one, link('two', { madeAt: at(2) })])
    })

    test('neither a link nor its session can stand for the other', async () => {
      const { viewSessions } = store()
      await viewSessions.addLink(link('one'), 'link')
      expect(await viewSessions.find('link', at(2))).toBeUndefined()
      await viewSessions.begin('link', sessionOf('token'))
      expect(await viewSessions.find('link', at(2))).toBeUndefined()
      expect(await viewSessions.begin('token', sessionOf('other'))).toBeUndefined()
    })

    test('of two processes that use a link, one gets a session', async () => {
      const other = await openOther()
      await store().viewSessions.addLink(link('one'), 'link')
      const both = await Promise.all([
        store().viewSessions.begin('link', sessionOf('token-1')),
        other.viewSessions.begin('link', sessionOf('token-2')),
      ])
      expect(both.filter(Boolean)).toHaveLength(1)
      expect(await idsAt(2)).toEqual(['one'])
      await other.close()
    })

    test('a link and a session expire, and a new link deletes what has expired', async () => {
      const { viewSessions } = store()
      await viewSessions.addLink(link('one'), 'link-1')
      await viewSessions.addLink(link('two'), 'link-2')
      await viewSessions.begin('link-1', sessionOf('token'))
      const late = { tokenHash: 'late', beganAt: at(15), expiresAt: at(75) }
      expect(await viewSessions.begin('link-2', late)).toBeUndefined()
      expect(await viewSessions.find('token', at(60))).toMatchObject({ sessionId: 'one' })
      expect(await viewSessions.find('token', at(61))).toBeUndefined()
      expect(await idsAt(60)).toEqual(['one'])
      const third = link('three', { madeAt: at(61), expiresAt: at(76) })
      await viewSessions.addLink(third, 'link-3')
      // The clock goes back, and the deleted rows stay away.
      expect(await idsAt(0)).toEqual(['three'])
    })

    test('end by their id and by their login, links too, for every process', async () => {
      const other = await openOther()
      const { viewSessions } = store()
      await store().addLogin(makeLogin('other'))
      for (const [index, login] of ['shop', 'shop', 'other'].entries()) {
        await viewSessions.addLink(link(`s-${index}`, { login }), `link-${index}`)
      }
      await other.viewSessions.begin('link-0', sessionOf('token'))
      expect(await viewSessions.end({ sessionId: 's-0' }, at(2))).toMatchObject([{ login: 'shop' }])
      expect(await other.viewSessions.find('token', at(2))).toBeUndefined()
      expect(await viewSessions.end({ sessionId: 's-0' }, at(2))).toEqual([])
      expect(await viewSessions.end({ login: 'shop' }, at(2))).toMatchObject([{ sessionId: 's-1' }])
      expect(await idsAt(2)).toEqual(['s-2'])
      await other.close()
    })

    test('end with the last active key of their login, and not with one of two', async () => {
      await addKey('one')
      await addKey('two')
      await store().viewSessions.addLink(link('s'), 'link')
      await store().revokeKey('one', at(1))
      expect(await idsAt(1)).toEqual(['s'])
      await store().revokeKey('two', at(1))
      expect(await idsAt(1)).toEqual([])
      await expect(store().viewSessions.addLink(link('s'), 'link')).rejects.toMatchObject({
        code: 'credentials',
        message: 'Every key of shop is revoked. Add a key to it, or use another login',
      })
      await addKey('three')
      await store().viewSessions.addLink(link('s'), 'link')
    })

    test('need a login that exists', async () => {
      const unknown = link('one', { login: 'nobody' })
      await expect(store().viewSessions.addLink(unknown, 'link')).rejects.toMatchObject({
        code: 'credentials',
        message: 'There is no login nobody. "logins list" shows all',
      })
    })

    test('are found by many callers at once', async () => {
      const { viewSessions } = store()
      await viewSessions.addLink(link('one'), 'link')
      await viewSessions.begin('link', sessionOf('token'))
      const hashes = Array.from({ length: 500 }, (_, index) => (index % 7 ? `x-${index}` : 'token'))
      const found = await Promise.all(hashes.map((hash) => viewSessions.find(hash, at(2))))
      expect(found.map(Boolean)).toEqual(hashes.map((hash) => hash === 'token'))
    })
  })
}
