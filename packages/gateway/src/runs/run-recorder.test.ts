import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { createLog } from '../observe/log.ts'
import type { RunStore } from '../../../store/src/store/run-store.ts'
import { openSqliteStore } from '../../../store/src/store/open-store.ts'
import type { Store } from '../../../store/src/store/store.ts'
import type { Run } from '@counterfoil/protocol'
import { RunRecorder } from './run-recorder.ts'

const NEVER = new AbortController().signal
const DAY_MS = 86_400_000

let folder: string
let store: Store
let log = ''
const opened: RunRecorder[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  store = openSqliteStore(join(folder, 'store.sqlite'))
  log = ''
})
afterEach(async () => {
  for (const recorder of opened.splice(0)) await recorder.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

function openRecorder(
  runs: ConstructorParameters<typeof RunRecorder>[0]['store'] = store.runs,
  change: Partial<ConstructorParameters<typeof RunRecorder>[0]> = {},
): RunRecorder {
  const destination = { write: (line: string) => void (log += line) }
  const recorder = new RunRecorder({
    store: runs,
    log: createLog({ level: 'info', destination }),
    now: Date.now,
    keptMs: 400 * DAY_MS,
    perLoginMax: 100_000,
    ...change,
  })
  opened.push(recorder)
  return recorder
}

/** The store of runs, with another way to add them. */
function addingWith(add: RunStore['add']): Pick<RunStore, 'add' | 'forget' | 'forgetBeyond'> {
  const { runs } = store
  return {
    add,
    forget: (endedBefore, countMax) => runs.forget(endedBefore, countMax),
    forgetBeyond: (login, keptMax, countMax) => runs.forgetBeyond(login, keptMax, countMax),
  }
}

function makeRun(runId: string, endedAt = new Date()): Run {
  return {
    runId,
    login: 'shop',
    reportIdentifier: 'transactions-list',
    reportName: 'transactions-list',
    outcome: 'aborted',
    startedAt: endedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    durationMs: 0,
    timezone: 'UTC',
    scope: { role: 'merchant', sees: ['1'] },
    schemaHash: '',
    newestRow: 'none',
  }
}

test('waits for the end of a run, and for its record', async () => {
  const recorder = openRecorder()
  const end = recorder.begin('one', 'shop')
  const waiting = recorder.recorded('one', 'shop', NEVER).then(() => store.runs.find('one'))
  expect(await store.runs.find('one')).toBeUndefined()
  const run = makeRun('one')
  end(run)
  expect(JSON.parse((await waiting)?.record ?? '')).toEqual(run)
})

test('waits neither for a run of another gateway nor longer than its caller', async () => {
  const recorder = openRecorder()
  await expect(recorder.recorded('elsewhere', undefined, NEVER)).resolves.toBeUndefined()
  recorder.begin('running', 'shop')
  const leaving = new AbortController()
  const waiting = recorder.recorded('running', undefined, leaving.signal)
  leaving.abort()
  await expect(waiting).resolves.toBeUndefined()
})

test('writes the last records when it closes', async () => {
  const recorder = openRecorder()
  for (const runId of ['one', 'two']) recorder.begin(runId, 'shop')(makeRun(runId))
  await recorder.close()
  const { runs } = await store.runs.list({ limit: 9, bytesMax: 10_000 })
  expect(runs.map(({ runId }) => runId)).toEqual(['two', 'one'])
})

test('keeps the records while the store is away, and writes them later', async () => {
  let isAway = true
  const add: RunStore['add'] = async (runs) => {
    if (isAway) throw new GatewayError('store-busy', 'away')
    await store.runs.add(runs)
  }
  const recorder = openRecorder(addingWith(add))
  recorder.begin('one', 'shop')(makeRun('one'))
  await expect.poll(() => log).toContain('They wait in memory')
  isAway = false
  await recorder.recorded('one', 'shop', NEVER)
  expect(await store.runs.find('one')).toMatchObject({ runId: 'one', login: 'shop' })
})

test('says once that the store cannot delete old records, and loses no new ones', async () => {
  const forget: RunStore['forget'] = async () => {
    throw new GatewayError('store-busy', 'away')
  }
  const recorder = openRecorder({ ...addingWith((runs) => store.runs.add(runs)), forget })
  const count = 2 * LIMITS.runsSavedMax + 1
  for (let index = 0; index < count; index += 1) {
    recorder.begin(`run-${index}`, 'shop')(makeRun(`run-${index}`))
  }
  await recorder.close()
  const { runs } = await store.runs.list({ limit: 2 * count, bytesMax: 1_000 * count })
  expect(runs).toHaveLength(count)
  expect(log.match(/cannot delete old records of runs/g)).toHaveLength(1)
  expect(log).not.toMatch(/cannot write|are lost/)
})

test('loses the oldest records of a store that is away for too long, and says so', async () => {
  const add: RunStore['add'] = async () => {
    throw new GatewayError('store-busy', 'away')
  }
  const recorder = openRecorder(addingWith(add))
  const long = 'x'.repeat(LIMITS.unsavedRunsLengthMax / 4)
  for (let index = 0; index < 4; index += 1) {
    const runId = `run-${index}`
    recorder.begin(runId, 'shop')({ ...makeRun(runId), reportName: long })
  }
  expect(log).toContain('The record of the run run-0 is lost')
  expect(log).not.toContain('run-1 is lost')
  // Nobody waits for a record that is lost.
  await recorder.recorded('run-0', 'shop', NEVER)
})

test('a full memory loses no record that is being written', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const saved: string[] = []
  const add: RunStore['add'] = async (runs) => {
    await promise
    saved.push(...runs.map(({ runId }) => runId))
  }
  const recorder = openRecorder(addingWith(add))
  const long = 'x'.repeat(LIMITS.unsavedRunsLengthMax / 2)
  const end = (runId: string) => {
    recorder.begin(runId, 'shop')({ ...makeRun(runId), reportName: long })
  }
  end('one')
  const waiting = recorder.recorded('one', undefined, NEVER)
  await new Promise((resolved) => setImmediate(resolved))
  end('two')
  end('three')
  resolve()
  await waiting
  await recorder.close()
  const lost = [...log.matchAll(/run (\w+) is lost/g)].map(([, runId]) => runId)
  expect(new Set([...saved, ...lost])).toEqual(new Set(['one', 'two', 'three']))
  expect(saved.length + lost.length).toBe(3)
  expect(saved).toContain('one')
})

test('deletes the records of runs that are older than the configuration says', async () => {
  const at = (days: number) => new Date(Date.now() - days * DAY_MS)
  const runs = [makeRun('old', at(11)), makeRun('young', at(9))]
  const before = openRecorder()
  for (const run of runs) before.begin(run.runId, 'shop')(run)
  await before.close()
  const recorder = openRecorder(store.runs, { keptMs: 10 * DAY_MS })
  await expect.poll(async () => await store.runs.find('old'), { timeout: 5_000 }).toBeUndefined()
  expect(await store.runs.find('young')).toMatchObject({ runId: 'young' })
  await recorder.close()
})

test('keeps a limited number of records of a login that has many', async () => {
  const recorder = openRecorder(store.runs, { perLoginMax: 5 })
  const end = (runId: string, login: string) => {
    recorder.begin(runId, login)({ ...makeRun(runId), login })
  }
  end('first', 'other')
  for (let index = 0; index <= LIMITS.runsOfLoginAddedMax; index += 1) end(`run-${index}`, 'shop')
  const kept = async () => {
    const { runs } = await store.runs.list({ limit: 2_000, bytesMax: 10_000_000 })
    return runs.map(({ runId }) => runId)
  }
  const newest = Array.from({ length: 5 }, (_, age) => `run-${LIMITS.runsOfLoginAddedMax - age}`)
  await expect.poll(kept, { timeout: 10_000 }).toEqual([...newest, 'first'])
  await recorder.close()
  expect(log).toContain('oldest records of runs of shop are deleted')
  expect(log).not.toContain('of other')
})
