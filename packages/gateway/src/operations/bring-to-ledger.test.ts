import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import { createLog } from '../observe/log.ts'
import type { DueEntry } from '../store/journal.ts'
import { type Bringer, type BringerParts, startBringer } from './bring-to-ledger.ts'

/** A journal whose entries are due at once, and an engine that takes as long, and fails as often, as it is told. */
function createParts() {
  const [due, brought, logged]: [DueEntry[], string[], string[]] = [[], [], []]
  const engine = { tookMs: 0, failures: 0 }
  let entryId = 0
  const journal: BringerParts['journal'] = {
    listDue: async (_, countMax) => due.slice(0, countMax),
    markBrought: async (entries) => void due.splice(0, entries.length),
    bringAgain: async () => {},
  }
  const execute: Engine['execute'] = async (_, parameters) => {
    await sleep(engine.tookMs)
    if (engine.failures > 0) {
      engine.failures -= 1
      throw new Error('the engine is busy')
    }
    brought.push(...String(parameters?.['rows']).split('\n'))
  }
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } })
  return {
    brought,
    logged,
    engine,
    accept: (rows: string) => due.push({ entryId: (entryId += 1), dueAt: new Date(), rows }),
    start: () => startBringer({ journal, engine: { execute }, log, now: Date.now }),
  }
}

let bringer: Bringer | undefined
afterEach(async () => await bringer?.close())

test('who asks while entries are brought waits until what came meanwhile is there too', async () => {
  const { accept, brought, engine, start } = createParts()
  bringer = await start()
  engine.tookMs = 30
  accept('one')
  const first = bringer.bring()
  await sleep(10)
  accept('two')
  await bringer.bring()
  expect(brought).toEqual(['one', 'two'])
  await first
})

test('what comes while entries are brought waits for the next round', async () => {
  const { accept, brought, engine, start } = createParts()
  bringer = await start()
  engine.tookMs = 30
  accept('one')
  const first = bringer.bring()
  await sleep(10)
  accept('two')
  await first
  expect(brought).toEqual(['one'])
})

test('who asks is told where the ledger takes nothing, and nothing is lost by it', async () => {
  const { accept, brought, engine, start } = createParts()
  bringer = await start()
  engine.failures = 1
  accept('one')
  await expect(bringer.bring()).rejects.toThrow('busy')
  await bringer.bring()
  expect(brought).toEqual(['one'])
})

test('entries are brought although nobody asks, also after a failure', async () => {
  const { accept, brought, logged, engine, start } = createParts()
  bringer = await start()
  engine.failures = 1
  accept('one')
  await sleep(2.5 * LIMITS.bringEveryMs)
  expect(brought).toEqual(['one'])
  expect(logged.join('')).toContain('the engine is busy')
})

test('once it is closed it brings no more', async () => {
  const { accept, brought, engine, start } = createParts()
  const closed = await start()
  engine.tookMs = 30
  accept('one')
  const last = closed.bring()
  await closed.close()
  await last
  accept('two')
  await sleep(1.5 * LIMITS.bringEveryMs)
  expect(brought).toEqual(['one'])
})
