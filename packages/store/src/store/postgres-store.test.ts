// @module-tag long

import { randomUUID } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeClocks } from '../../test/contract/clock-contract.ts'
import { type PostgresServer, startPostgres } from '../../../gateway/test/kit/postgres-server.ts'
import { describeStore } from '../../test/contract/store-contract.ts'
import { makeLogin, publicKey } from '../../test/contract/store-kit.ts'
import { LOCKS } from '../database/database.ts'
import { hashNonce } from './nonces.ts'
import { openPostgresStore } from './open-store.ts'
import type { Store } from './store.ts'

const NOW = 1_800_000_000
const MAXIMA = { perLogin: 1_000, perDay: 1_000, day: 20_000 }

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.remove())

describe('the promises of a store', () => {
  const makePlace = async () => {
    await postgres.empty()
    return {
      open: () => openPostgresStore(postgres.settings),
      deleteOperations: async (where: string) => {
        const statement = `DELETE FROM counterfoil.operations WHERE ${where}`
        await postgres.query(`SET search_path = ''; ${statement}`)
      },
      remove: async () => {},
    }
  }
  describeStore(makePlace)
  describe('to a clock that jumps', () => {
    describeClocks(makePlace, 2)
  })
})

describe('gateways on one PostgreSQL', () => {
  let stores: readonly Store[]
  // In the first test they start together, and one of them creates the tables.
  beforeAll(() => postgres.clear())
  beforeEach(async () => {
    await postgres.empty()
    stores = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore(postgres.settings)))
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
  })

  const first = (): Store => storeAt(0)
  const storeAt = (index: number): Store => {
    const store = stores[index % stores.length]
    if (!store) throw new Error('expected a store')
    return store
  }

  test('accept each nonce once when all of them spend it at the same moment', async () => {
    const nonces = Array.from({ length: 50 }, (_, index) => `n${index}`)
    for (const nonce of nonces) {
      const use = { consumerKey: 'shop', timestampSeconds: NOW, nonce }
      const outcomes = await Promise.all(stores.map((store) => store.spendNonce(use, NOW)))
      expect(outcomes.toSorted()).toEqual(['replayed', 'replayed', 'replayed', 'spent'])
    }
  })

  test('refuse a nonce that another gateway forgets in the same moment', async () => {
    const use = { consumerKey: 'shop', timestampSeconds: NOW, nonce: 'n' }
    expect(await first().spendNonce(use, NOW)).toBe('spent')
    const other = await postgres.connect()
    await other.query(`INSERT INTO forgotten_nonces VALUES ('shop', ${NOW})`)
    await other.query('BEGIN')
    await other.query('DELETE FROM nonces')
    const replay = first().spendNonce(use, NOW)
    await untilOneWaits()
    await other.query('COMMIT')
    await other.end()
    expect(await replay).toBe('expired')
    expect(await first().spendNonce(use, NOW)).toBe('expired')
  })

  test('leave a login two keys when each of them adds one at the same moment', async () => {
    await first().addLogin(makeLogin('shop'))
    const added = await Promise.allSettled(
      stores.map((store, index) => store.addKey(publicKey(`key-${index}`))),
    )
    const reasons = added.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(reasons).toMatchObject([{ code: 'credentials' }, { code: 'credentials' }])
    for (const store of stores) expect((await store.findLogin('shop'))?.keys).toHaveLength(2)
  })

  test('give one key to one login when all of them add it to another one', async () => {
    for (const [index, store] of stores.entries()) await store.addLogin(makeLogin(`shop-${index}`))
    const added = await Promise.allSettled(
      stores.map((store, index) => {
        return store.addKey({ ...publicKey(`key-${index}`, `shop-${index}`), fingerprint: 'same' })
      }),
    )
    const reasons = added.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(reasons).toHaveLength(3)
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'credentials' })
  })

  test('give each operation its own number, and an operation that all of them get one number', async () => {
    await first().addLogin(makeLogin('shop'))
    const accept = (index: number, clientOrderId: string) => {
      return storeAt(index).outbox.accept({ login: 'shop', clientOrderId }, MAXIMA, (number) => {
        const entry = { dueAt: new Date(0), rows: `{"number":${number}}` }
        return { fieldsHash: 'h', keyVersion: 1, answer: String(number), entries: [entry, entry] }
      })
    }
    const accepted = await Promise.all(
      Array.from({ length: 80 }, (_, index) => accept(index, `order-${index % 40}`)),
    )
    const numbers = accepted.map((operation) => Number(operation?.answer))
    expect(numbers.slice(40)).toEqual(numbers.slice(0, 40))
    const all = Array.from({ length: 40 }, (_, index) => index + 1)
    expect(numbers.slice(40).toSorted((a, b) => a - b)).toEqual(all)
    expect(await first().outbox.listDue(new Date(), 1_000)).toHaveLength(80)
  })

  test('relay the same entries at the same moment', async () => {
    await first().addLogin(makeLogin('shop'))
    const entries = Array.from({ length: 300 }, () => ({ dueAt: new Date(0), rows: '{}' }))
    const made = { fieldsHash: 'h', keyVersion: 1, answer: '', entries }
    await first().outbox.accept({ login: 'shop', clientOrderId: 'one' }, MAXIMA, () => made)
    const due = await first().outbox.listDue(new Date(), 1_000)
    await Promise.all(
      stores.flatMap(({ outbox }) => [
        outbox.markRelayed(due, new Date()),
        outbox.makeDueAgain(new Date()),
      ]),
    )
    // They mark entries one after the other: two that lock entries in another order would end each other.
    const other = await postgres.connect()
    await other.query(`BEGIN; SELECT pg_advisory_xact_lock(1668248942, ${LOCKS.relay})`)
    const marking = first().outbox.markRelayed(due, new Date())
    await untilOneWaits()
    await other.query('COMMIT')
    await other.end()
    await marking
    expect(await first().outbox.listDue(new Date(), 1_000)).toEqual([])
  })

  /** Waits until a connection waits for a lock. */
  async function untilOneWaits(): Promise<void> {
    const sql = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    const watcher = await postgres.connect()
    while ((await watcher.query(sql)).rowCount === 0) await sleep(10)
    await watcher.end()
  }
})

describe('a store in PostgreSQL', () => {
  beforeEach(() => postgres.clear())

  test('leaves connections for others while a login waits with many nonces', async () => {
    const store = await openPostgresStore(postgres.settings)
    const use = (consumerKey: string, nonce: string) => {
      return { consumerKey, timestampSeconds: NOW, nonce }
    }
    // An open transaction has spent the nonces. Who spends them again waits for its end.
    const other = await postgres.connect()
    await other.query('BEGIN')
    const nonces = Array.from({ length: 20 }, (_, index) => use('shop', `n${index}`))
    for (const nonce of nonces) {
      const values = ['shop', NOW, hashNonce(nonce)]
      await other.query('INSERT INTO counterfoil.nonces VALUES ($1, $2, $3)', values)
    }
    const waiting = nonces.map((nonce) => store.spendNonce(nonce, NOW))
    expect(await store.spendNonce(use('another', 'n0'), NOW)).toBe('spent')
    await other.query('ROLLBACK')
    expect(await Promise.all(waiting)).toEqual(nonces.map(() => 'spent'))
    await other.end()
    await store.close()
  })

  test('works again after PostgreSQL has ended its connections', async () => {
    const store = await openPostgresStore(postgres.settings)
    await store.addLogin(makeLogin('shop'))
    await postgres.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'counterfoil'",
    )
    const nonce = randomUUID()
    const spend = () => store.spendNonce({ consumerKey: 'shop', timestampSeconds: NOW, nonce }, NOW)
    // A use fails for each connection of which the pool does not know yet that it broke.
    await expect.poll(() => spend().catch(() => 'away')).toBe('replayed')
    expect(await store.findLogin('shop')).toMatchObject({ name: 'shop' })
    await store.close()
  })

  test('that cannot be opened names the server and the reason, and no password', async () => {
    const away = { ...postgres.settings, url: 'postgres://gateway@127.0.0.1:1/payments' }
    await expect(openPostgresStore(away)).rejects.toMatchObject({
      code: 'store',
      message: expect.stringMatching(/^Cannot open .*\(127\.0\.0\.1:1\/payments\): .*ECONNREFUSED/),
    })
    const wrongPassword = `${postgres.settings.passwordFile}-wrong`
    writeFileSync(wrongPassword, 'another', { mode: 0o600 })
    await expect(
      openPostgresStore({ ...postgres.settings, passwordFile: wrongPassword }),
    ).rejects.toThrow('password authentication failed for user "gateway"')
    chmodSync(wrongPassword, 0o644)
    await expect(
      openPostgresStore({ ...postgres.settings, passwordFile: wrongPassword }),
    ).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('chmod 600') })
  })

  test('of a newer gateway is refused', async () => {
    await (await openPostgresStore(postgres.settings)).close()
    await postgres.query('UPDATE schema_version SET version = 1000')
    await expect(openPostgresStore(postgres.settings)).rejects.toThrow('of a newer gateway')
  })
})
