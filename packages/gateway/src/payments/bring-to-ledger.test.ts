import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { openScratchLedger, type ScratchLedger } from '../../test/scratch-ledger.ts'
import { type Engine, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { createLog } from '../observe/log.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { type Bringer, startBringer } from './bring-to-ledger.ts'

let ledger: ScratchLedger
let store: Store
let bringer: Bringer | undefined
let logged: string[]

beforeEach(async () => {
  ledger = await openScratchLedger()
  store = openSqliteStore(join(ledger.folder, 'store.sqlite'))
  const login = { name: 'shop', role: 'merchant', sees: [1], bodyHashRequired: false } as const
  await store.addLogin({ ...login, createdAt: new Date() })
  logged = []
})
afterEach(async () => {
  await bringer?.close()
  await store.close()
  await ledger.close()
})

/** Starts a bringer whose engine comes to work after `slowedMs`, and fails for the first `failures` times. */
async function start({ slowedMs = 0, failures = 0 } = {}): Promise<Bringer> {
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } })
  let left = failures
  const execute: Engine['execute'] = async (sql, parameters) => {
    await sleep(slowedMs)
    left -= 1
    if (left >= 0) throw new GatewayError('engine-busy', 'the engine is busy')
    await ledger.engine.execute(sql, parameters)
  }
  bringer = await startBringer({
    journal: store.journal,
    engine: { execute },
    log,
    now: Date.now,
    onBrought: () => {},
  })
  return bringer
}

const ACCEPTED = { fieldsHash: '', keyVersion: 1, answer: '' }

async function accept(...orderIds: readonly string[]): Promise<void> {
  const key = { login: 'shop', clientOrderId: orderIds.join() }
  await store.journal.accept(key, (number) => {
    const entries = orderIds.map((id, place) => {
      const row = { transaction_id: `${number}${place}`, client_order_id: id }
      return { dueAt: new Date(), rows: JSON.stringify(row) }
    })
    return { ...ACCEPTED, entries }
  })
}

async function brought(): Promise<readonly string[]> {
  const sql = 'SELECT client_order_id AS id FROM transactions FINAL ORDER BY transaction_id'
  const rows = await readRows(ledger.engine, z.object({ id: z.string() }), { sql, parameters: {} })
  return rows.map(({ id }) => id)
}

test('who asks while entries are brought waits until what came meanwhile is there too', async () => {
  const running = await start({ slowedMs: 30 })
  await accept('one')
  const first = running.bring()
  await sleep(10)
  await accept('two')
  await running.bring()
  expect(await brought()).toEqual(['one', 'two'])
  await first
})

test('what comes while entries are brought waits for the next round', async () => {
  const running = await start({ slowedMs: 30 })
  await accept('one')
  const first = running.bring()
  await sleep(10)
  await accept('two')
  await first
  expect(await brought()).toEqual(['one'])
})

test('who asks is told where the ledger takes nothing, and nothing is lost by it', async () => {
  const running = await start({ failures: 1 })
  await accept('one')
  await expect(running.bring()).rejects.toMatchObject({ code: 'engine-busy' })
  await running.bring()
  expect(await brought()).toEqual(['one'])
})

test('more than are brought at a time are brought one after the other', async () => {
  const running = await start()
  const orderIds = Array.from({ length: LIMITS.broughtAtOnceMax + 1 }, (_, place) => `${place}`)
  await accept(...orderIds)
  await running.bring()
  expect((await brought()).toSorted()).toEqual(orderIds.toSorted())
})

test('entries are brought although nobody asks, also after a failure', async () => {
  await start({ failures: 1 })
  await accept('one')
  await expect.poll(brought).toEqual(['one'])
  expect(logged.join('')).toContain('the engine is busy')
})

test('a row that the ledger does not take is named by its entry, and what it says is not told', async () => {
  const running = await start()
  const key = { login: 'shop', clientOrderId: 'odd' }
  await store.journal.accept(key, () => ({
    ...ACCEPTED,
    entries: [{ dueAt: new Date(), rows: '{"transaction_id":"Anna Ozola"}' }],
  }))
  await expect(running.bring()).rejects.toMatchObject({
    code: 'engine-failed',
    message: 'the ledger does not take one of the journal’s entries 1 to 1',
  })
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  expect(logged.join('')).toContain('entries 1 to 1')
  expect(logged.join('')).not.toContain('Anna')
})

test('once it is closed it brings no more', async () => {
  const running = await start({ slowedMs: 30 })
  await accept('one')
  const last = running.bring()
  await running.close()
  await last
  await accept('two')
  await sleep(1.5 * LIMITS.bringEveryMs)
  expect(await brought()).toEqual(['one'])
})

test('what a text says is never run', async () => {
  const text = "x\n\nDROP TABLE transactions;\n\n'); SELECT {rows:String} -- \\"
  const running = await start()
  await accept(text)
  await running.bring()
  expect(await brought()).toEqual([text])
})
