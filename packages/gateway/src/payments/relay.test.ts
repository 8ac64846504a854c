import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { useScratchLedger } from '../../test/kit/scratch-ledger.ts'
import { type Queries, readRows } from '../../../engine/src/engine/engine.ts'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { createLog } from '../observe/log.ts'
import { openSqliteStore } from '../../../store/src/store/open-store.ts'
import type { Store } from '../../../store/src/store/store.ts'
import { type Relay, startRelay } from './relay.ts'

const ledger = await useScratchLedger()
let store: Store
let relay: Relay | undefined
let logged: string[]
let batches: string[]

let stores = 0
beforeEach(async () => {
  await ledger.fill('TRUNCATE TABLE transactions')
  store = openSqliteStore(join(ledger.folder, `store-${(stores += 1)}.sqlite`))
  const login = { name: 'shop', role: 'merchant', sees: ['1'], bodyHashRequired: false } as const
  await store.addLogin({ ...login, createdAt: new Date() })
  logged = []
  batches = []
})
afterEach(async () => {
  await relay?.close()
  await store.close()
})

/** Starts a relay whose engine waits for `slowedMs` before each insert, and fails the first `failures` times. */
async function start({ slowedMs = 0, failures = 0 } = {}): Promise<Relay> {
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } })
  let left = failures
  const execute: Queries['execute'] = async (sql, parameters) => {
    await sleep(slowedMs)
    left -= 1
    if (left >= 0) throw new GatewayError('engine-busy', 'the engine is busy')
    batches.push(String(parameters?.['rows']))
    await ledger.engine.execute(sql, parameters)
  }
  relay = await startRelay({
    outbox: store.outbox,
    insert: execute,
    log,
    now: Date.now,
    onRelayed: () => {},
  })
  return relay
}

const ACCEPTED = { fieldsHash: '', keyVersion: 1, answer: '' }

const MAXIMA = { perLogin: 1_000, perDay: 1_000, day: 20_000 }

async function accept(...orderIds: readonly string[]): Promise<void> {
  const key = { login: 'shop', clientOrderId: orderIds.join() }
  await store.outbox.accept(key, MAXIMA, (number) => {
    const entries = orderIds.map((id, place) => {
      const row = { transaction_id: `${number}${place}`, client_order_id: id }
      return { dueAt: new Date(), rows: JSON.stringify(row) }
    })
    return { ...ACCEPTED, entries }
  })
}

async function relayed(): Promise<readonly string[]> {
  const sql = 'SELECT client_order_id AS id FROM transactions FINAL ORDER BY transaction_id'
  const rows = await readRows(ledger.engine, z.object({ id: z.string() }), sql)
  return rows.map(({ id }) => id)
}

test('waits in a flush for the entries that came during the running round', async () => {
  const running = await start({ slowedMs: 30 })
  await accept('one')
  const first = running.flush()
  await sleep(10)
  await accept('two')
  await running.flush()
  expect(await relayed()).toEqual(['one', 'two'])
  await first
})

test('throws the engine’s error in a flush, and loses no entry', async () => {
  const running = await start({ failures: 1 })
  await accept('one')
  await expect(running.flush()).rejects.toMatchObject({ code: 'engine-busy' })
  await running.flush()
  expect(await relayed()).toEqual(['one'])
})

test('relays more entries than one batch holds, batch after batch', async () => {
  const running = await start()
  const orderIds = Array.from({ length: LIMITS.relayBatchEntriesMax + 1 }, (_, place) => `${place}`)
  await accept(...orderIds)
  await running.flush()
  expect((await relayed()).toSorted()).toEqual(orderIds.toSorted())
})

test('relays long entries in smaller batches, and an entry beyond the maximum alone', {
  tags: ['long'],
}, async () => {
  const running = await start()
  const max = LIMITS.relayBatchBytesMax
  const long = (name: string, bytes: number) => name + 'ā'.repeat(bytes / 2)
  const orderIds = [long('a', max / 2), 'b', long('c', max / 2), long('d', max), 'e']
  await accept(...orderIds)
  await running.flush()
  expect(await relayed()).toEqual(orderIds)
  expect(batches.map((rows) => rows.split('\n').length)).toEqual([2, 1, 1, 1])
})

test('relays entries without a flush, also after a failure', { tags: ['long'] }, async () => {
  await start({ failures: 1 })
  await accept('one')
  await expect.poll(relayed).toEqual(['one'])
  expect(logged.join('')).toContain('Accepted operations wait in the outbox')
  expect(logged.join('')).toContain('the engine is busy')
})

test('names the entry of a row that the ledger refuses, and does not quote the row', async () => {
  const running = await start()
  const key = { login: 'shop', clientOrderId: 'odd' }
  await store.outbox.accept(key, MAXIMA, () => ({
    ...ACCEPTED,
    entries: [{ dueAt: new Date(), rows: '{"amount":"Anna Ozola"}' }],
  }))
  await expect(running.flush()).rejects.toMatchObject({
    code: 'engine-failed',
    message: 'The ledger refuses one of the outbox entries 1 to 1.',
  })
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  expect(logged.join('')).toContain('entries 1 to 1')
  expect(logged.join('')).not.toContain('Anna')
})

test('a restarted relay writes only the rows that the ledger has lost', async () => {
  const first = await start()
  await accept('kept', 'lost')
  await first.flush()
  await first.close()
  const read = async (): Promise<readonly string[]> => {
    const sql = 'SELECT concat(client_order_id, toString(loaded_at)) AS id FROM transactions'
    const row = z.object({ id: z.string() })
    return (await readRows(ledger.engine, row, sql)).map(({ id }) => id)
  }
  const kept = (await read()).filter((row) => row.startsWith('kept'))
  expect(kept).toHaveLength(1)
  await ledger.fill(`ALTER TABLE transactions DELETE WHERE client_order_id = 'lost'`)
  await expect.poll(read).toEqual(kept)
  const second = await start()
  await second.flush()
  expect(await relayed()).toEqual(['kept', 'lost'])
  expect((await read()).filter((row) => row.startsWith('kept'))).toEqual(kept)
})
