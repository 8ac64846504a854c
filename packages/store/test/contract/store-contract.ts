import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { describeOutbox } from './outbox-contract.ts'
import { describeRuns } from './run-store-contract.ts'
import { controlKey, makeLogin, publicKey, type StoreKit, type StorePlace } from './store-kit.ts'
import { describeViewSessions } from './view-session-store-contract.ts'

const NOW = 1_800_000_000
const KEPT = 360

/** The promises of `Store`, for any store. */
export function describeStore(makePlace: () => Promise<StorePlace>): void {
  let place: StorePlace
  let store: Store
  beforeEach(async () => {
    place = await makePlace()
    store = await place.open()
  })
  afterEach(async () => {
    await store.close()
    await place.remove()
  })

  describe('logins', () => {
    test('are found as they were added, with their active keys, also by another process later', async () => {
      const shop = makeLogin("Shop'; --é", {
        sees: ['2', '1'],
        bodyHashRequired: true,
        timezone: 'Asia/Kolkata',
      })
      const keys = [controlKey('one', shop.name), publicKey('two', shop.name)]
      await store.addLogin(shop)
      for (const key of keys) await store.addKey(key)
      expect(await store.findLogin(shop.name)).toEqual({ ...shop, keys })

      await store.close()
      store = await place.open()
      expect(await store.findLogin(shop.name)).toEqual({ ...shop, keys })
    })

    test('who are not there are not found, not even by case', async () => {
      await store.addLogin(makeLogin('shop'))
      expect(await store.findLogin('Shop')).toBeUndefined()
      expect(await store.findLogin('')).toBeUndefined()
    })

    test('can be changed, and see the change at the next look-up, also in another process', async () => {
      const shop = makeLogin('shop')
      await store.addLogin(shop)
      const other = await place.open()
      expect(await other.findLogin('shop')).toMatchObject(shop)
      const changed = {
        ...shop,
        role: 'manager',
        sees: ['7', '8'],
        bodyHashRequired: true,
      } as const
      await store.changeLogin(changed)
      expect(await store.findLogin('shop')).toEqual({ ...changed, keys: [] })
      expect(await other.findLogin('shop')).toEqual({ ...changed, keys: [] })
      await other.close()
      await expect(store.changeLogin({ ...changed, sees: [] })).rejects.toThrow('expected ids')
      await expect(store.changeLogin(makeLogin('nobody'))).rejects.toThrow(
        'There is no login nobody',
      )
    })

    test('can be removed for good, with their keys, and leave their name taken', async () => {
      const at = new Date('2026-03-01T00:00:00Z')
      await store.addLogin(makeLogin('shop'))
      await store.addKey(publicKey('one'))
      const other = await place.open()
      expect(await other.findLogin('shop')).toBeDefined()
      await store.removeLogin('shop', at)
      for (const each of [store, other]) expect(await each.findLogin('shop')).toBeUndefined()
      await other.close()
      expect(await store.listLogins()).toEqual([])
      expect(await store.listKeys()).toEqual([{ ...publicKey('one'), revokedAt: at }])
      await expect(store.listKeys('shop')).rejects.toThrow('There is no login shop')
      await expect(store.addKey(publicKey('two'))).rejects.toThrow('There is no login shop')
      await expect(store.removeLogin('shop', at)).rejects.toThrow('There is no login shop')
      await expect(store.addLogin(makeLogin('shop'))).rejects.toThrow('its name is not used again')
    })

    test('are listed by name', async () => {
      const operator = makeLogin('boss', { role: 'operator', sees: [] })
      await store.addLogin(makeLogin('shop'))
      await store.addLogin(operator)
      expect(await store.listLogins()).toEqual([operator, makeLogin('shop')])
    })

    test('cannot take a login that is taken, and the first one stays', async () => {
      await store.addLogin(makeLogin('shop'))
      const second = makeLogin('shop', { role: 'manager', sees: ['3'] })
      await expect(store.addLogin(second)).rejects.toMatchObject({
        code: 'credentials',
        message: expect.stringContaining('The login shop already exists'),
      })
      expect(await store.listLogins()).toEqual([makeLogin('shop')])
    })

    test('who see nothing are refused, for an empty list must not come to mean everything', async () => {
      for (const role of ['manager', 'reseller', 'merchant'] as const) {
        const blind = makeLogin('shop', { role, sees: [] })
        await expect(store.addLogin(blind)).rejects.toMatchObject({ code: 'credentials' })
      }
    })
  })

  describe('keys', () => {
    beforeEach(() => store.addLogin(makeLogin('shop')))

    test('that somebody else adds or revokes are seen at once, also of a login found before', async () => {
      const liveIds = async () => (await store.findLogin('shop'))?.keys.map(({ keyId }) => keyId)
      const other = await place.open()
      await store.addKey(controlKey('one'))
      expect(await liveIds()).toEqual(['one'])
      await other.addKey(publicKey('two'))
      expect(await liveIds()).toEqual(['one', 'two'])
      await other.revokeKey('one', new Date())
      expect(await liveIds()).toEqual(['two'])
      await store.revokeKey('two', new Date())
      expect(await liveIds()).toEqual([])
      await other.close()
    })

    test('have the time of their last use, and no earlier one', async () => {
      await store.addKey(publicKey('one'))
      const [early, late] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')]
      await store.noteKeyUse('one', late)
      await store.noteKeyUse('one', early)
      const used = [{ ...publicKey('one'), lastUsedAt: late }]
      expect(await store.listKeys()).toEqual(used)
      expect(await store.listKeys('shop')).toEqual(used)
    })

    test('of a login are two live ones at most for each method, and a revoked one makes room', async () => {
      for (const key of [publicKey('other'), controlKey('one'), controlKey('two')]) {
        await store.addKey(key)
      }
      await expect(store.addKey(controlKey('three'))).rejects.toThrow(
        'shop has 2 active keys for HMAC-SHA1, the maximum. Revoke one or two first',
      )

      const revokedAt = new Date('2026-02-01T00:00:00Z')
      const revoked = { ...controlKey('one'), revokedAt }
      expect(await store.revokeKey('one', revokedAt)).toEqual(revoked)
      await store.addKey(controlKey('three'))
      const live = [publicKey('other'), controlKey('two'), controlKey('three')]
      expect((await store.findLogin('shop'))?.keys).toEqual(live)
      expect(await store.listKeys()).toHaveLength(4)
    })

    test('are refused when they were added before: to another, to the same, or revoked', async () => {
      await store.addLogin(makeLogin('other'))
      await store.addKey(controlKey('one'))
      const same = (login: string) => ({ ...controlKey('new', login), fingerprint: 'SHA256:one' })
      await expect(store.addKey(same('other'))).rejects.toThrow('already exists (one of shop)')
      await expect(store.addKey(same('shop'))).rejects.toThrow('already exists (one of shop)')
      await store.revokeKey('one', new Date())
      await expect(store.addKey(same('shop'))).rejects.toThrow(
        '(one of shop) was revoked. The gateway never accepts it again',
      )
      expect(await store.listKeys()).toHaveLength(1)
    })

    test('are listed for one login or for all, and an unknown login is an error', async () => {
      await store.addLogin(makeLogin('other'))
      await store.addKey(controlKey('one'))
      await store.addKey(controlKey('two', 'other'))
      expect(await store.listKeys('other')).toEqual([controlKey('two', 'other')])
      expect(await store.listKeys()).toHaveLength(2)
      await expect(store.listKeys('nobody')).rejects.toThrow('There is no login nobody')
      await expect(store.addKey(controlKey('x', 'nobody'))).rejects.toThrow('no login nobody')
    })

    test('are revoked once, and an unknown key is an error', async () => {
      await store.addKey(controlKey('one'))
      await store.revokeKey('one', new Date('2026-02-01T00:00:00Z'))
      await expect(store.revokeKey('one', new Date())).rejects.toThrow('revoked at 2026-02-01')
      await expect(store.revokeKey('none', new Date())).rejects.toThrow('There is no key none')
    })
  })

  describe('a nonce', () => {
    const spend = (timestampSeconds: number, nonce: string, now = NOW, consumerKey = 'shop') =>
      store.spendNonce({ consumerKey, timestampSeconds, nonce }, now)

    test('is accepted once for a login and a timestamp', async () => {
      expect(await spend(NOW, 'n')).toBe('spent')
      expect(await spend(NOW, 'n')).toBe('replayed')
      expect(await spend(NOW, 'n', NOW + 300)).toBe('replayed')
      expect(await spend(NOW, 'N')).toBe('spent')
      expect(await spend(NOW + 1, 'n')).toBe('spent')
      expect(await spend(NOW, 'n', NOW, 'other')).toBe('spent')
    })

    test('is remembered until 360 s after its timestamp, and is too old from then on', async () => {
      expect(await spend(NOW, 'n')).toBe('spent')
      expect(await spend(NOW, 'n', NOW + KEPT - 1)).toBe('replayed')
      expect(await spend(NOW, 'n', NOW + KEPT)).toBe('expired')
      expect(await spend(NOW, 'never seen', NOW + KEPT)).toBe('expired')
    })

    test('that was forgotten stays refused when the clock jumps back', async () => {
      expect(await spend(NOW, 'n')).toBe('spent')
      for (const nonce of ['later', 'later still']) {
        expect(await spend(NOW + KEPT, nonce, NOW + KEPT)).toBe('spent')
      }
      expect(await spend(NOW, 'n', NOW)).toBe('expired')
      expect(await spend(NOW, 'never seen', NOW)).toBe('expired')
      expect(await spend(NOW + 1, 'never seen', NOW)).toBe('spent')
    })

    test('is accepted again at once when a clock that jumped a year ahead is set right', async () => {
      expect(await spend(NOW, 'n')).toBe('spent')
      const year = 365 * 86_400
      expect(await spend(NOW + year, 'n', NOW + year)).toBe('spent')
      expect(await spend(NOW + 1, 'n', NOW + 1)).toBe('spent')
      expect(await spend(NOW, 'n', NOW + 1)).toBe('replayed')
      expect(await spend(NOW, 'never seen', NOW + 1)).toBe('spent')
    })

    test('of one login is not refused because the clock was wrong while another login spent', async () => {
      const hour = 3600
      expect(await spend(NOW, 'n')).toBe('spent')
      for (let at = 0; at < 5; at++) {
        expect(await spend(NOW + hour, `n${at}`, NOW + hour, 'other')).toBe('spent')
      }
      expect(await spend(NOW - 200, 'slow clock', NOW)).toBe('spent')
      expect(await spend(NOW, 'n', NOW)).toBe('replayed')
    })
  })

  const kit: StoreKit = {
    store: () => store,
    openOther: () => place.open(),
    deleteOperations: (where) => place.deleteOperations(where),
  }
  describeOutbox(kit)
  describeRuns(kit)
  describeViewSessions(kit)
}
