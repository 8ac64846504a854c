import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { createLog } from '../observe/log.ts'
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

type Dependencies = ConstructorParameters<typeof RunRecorder>[0]
type Change = Partial<Omit<Dependencies, 'store'> & Dependencies['store']>

function openRecorder({ add, forget, ...change }: Change = {}): RunRecorder {
  const { runs } = store
  const destination = { write: (line: string) => void (log += line) }
  const recorder = new RunRecorder({
    store: {
      add: add ?? ((added) => runs.add(added)),
      forget: forget ?? ((...asked) => runs.forget(...asked)),
      forgetBeyond: (...asked) => runs.forgetBeyond(...asked),
    },
    log: createLog({ level: 'info', destination }),
    now: Date.now,
    keptMs: 400 * DAY_MS,
    perLoginMax: 100_000,
    ...change,
  })
  opened.push(recorder)
  return recorder
}

const away = async () => {
  throw new GatewayError('store-busy', 'away')
}

function makeRun(runId: string, change: Partial<Run> = {}): Run {
  const at = new Date().toISOString()
  return {
    runId,
    login: 'shop',
    reportIdentifier: 'transactions-list',
    reportName: 'transactions-list',
    outcome: 'aborted',
    startedAt: at,
    endedAt: at,
    durationMs: 0,
    timezone: 'UTC',
    scope: { role: 'merchant', sees: ['1'] },
    schemaHash: '',
    newestRow: 'none',
    ...change,
  }
}

/** Begins and ends a run. */
function finish(recorder: RunRecorder, runId: string, change: Partial<Run> = {}): void {
  const ended = makeRun(runId, change)
  recorder.begin(runId, ended.login)(ended)
}

async function kept(): Promise<readonly string[]> {
  const { runs } = await store.runs.list({ limit: 5_000, bytesMax: 10_000_000 })
  return runs.map(({ runId }) => runId)
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
  for (const runId of ['one', 'two']) finish(recorder, runId)
  await recorder.close()
  expect(await kept()).toEqual(['two', 'one'])
})

test('keeps the records while the store is away, and writes them later', async () => {
  let isAway = true
  const recorder = openRecorder({ add: (runs) => (isAway ? away() : store.runs.add(runs)) })
  finish(recorder, 'one')
  await expect.poll(() => log).toContain('They wait in memory')
  isAway = false
  await recorder.recorded('one', 'shop', NEVER)
  expect(await store.runs.find('one')).toMatchObject({ runId: 'one', login: 'shop' })
})

test('says that the store cannot delete old records, and loses no new ones', async () => {
  const recorder = openRecorder({ forget: away })
  const count = 2 * LIMITS.runsSavedMax + 1
  for (let index = 0; index < count; index += 1) finish(recorder, `run-${index}`)
  await recorder.close()
  expect(await kept()).toHaveLength(count)
  expect(log.match(/cannot delete old records of runs/g)).toHaveLength(1)
  expect(log).not.toMatch(/cannot write|are lost/)
})

test('loses the oldest records of a store that is away for too long, and says so', async () => {
  const recorder = openRecorder({ add: away })
  const reportName = 'x'.repeat(LIMITS.unsavedRunsLengthMax / 4)
  for (let index = 0; index < 4; index += 1) finish(recorder, `run-${index}`, { reportName })
  expect(log).toContain('The record of the run run-0 is lost')
  expect(log).not.toContain('run-1 is lost')
  // Nobody waits for a record that is lost.
  await recorder.recorded('run-0', 'shop', NEVER)
})

test('a full memory loses no record that is being written', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const saved: string[] = []
  const recorder = openRecorder({
    add: async (runs) => {
      await promise
      saved.push(...runs.map(({ runId }) => runId))
    },
  })
  const long = { reportName: 'x'.repeat(LIMITS.unsavedRunsLengthMax / 2) }
  finish(recorder, 'one', long)
  const waiting = recorder.recorded('one', undefined, NEVER)
  await new Promise((resolved) => setImmediate(resolved))
  finish(recorder, 'two', long)
  finish(recorder, 'three', long)
  resolve()
  await waiting
  await recorder.close()
  const lost = [...log.matchAll(/run (\w+) is lost/g)].map(([, runId]) => runId)
  expect(new Set([...saved, ...lost])).toEqual(new Set(['one', 'two', 'three']))
  expect(saved.length + lost.length).toBe(3)
  expect(saved).toContain('one')
})

test('deletes the records of runs that are older than the configuration says', async () => {
  const endedBefore = (days: number) => {
    return { endedAt: new Date(Date.now() - days * DAY_MS).toISOString() }
  }
  const before = openRecorder()
  finish(before, 'old', endedBefore(11))
  finish(before, 'young', endedBefore(9))
  await before.close()
  openRecorder({ keptMs: 10 * DAY_MS })
  await expect.poll(kept, { timeout: 5_000 }).toEqual(['young'])
})

test('keeps a limited number of records of a login that has many', async () => {
  const recorder = openRecorder({ perLoginMax: 5 })
  finish(recorder, 'first', { login: 'other' })
  for (let index = 0; index <= LIMITS.runsOfLoginAddedMax; index += 1)
    finish(recorder, `run-${index}`)
  const newest = Array.from({ length: 5 }, (_, age) => `run-${LIMITS.runsOfLoginAddedMax - age}`)
  await expect.poll(kept, { timeout: 10_000 }).toEqual([...newest, 'first'])
  expect(log).toContain('oldest records of runs of shop are deleted')
  expect(log).not.toContain('of other')
})
