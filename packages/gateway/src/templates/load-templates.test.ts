import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { writePlanted } from '../../test/planted-report.ts'
import { openScratchLedger, type ScratchLedger } from '../../test/scratch-ledger.ts'
import { loadCatalogue, loadCheckedReports } from './load-templates.ts'
import { openReportChecks } from './report-checks.ts'

const NAMES = ['first', 'second']

let ledger: ScratchLedger
let folder: string
let memory: string
/** How many queries the engine ran. */
let queries: number
let engine: Engine
beforeAll(async () => {
  ledger = await openScratchLedger()
  const { engine: counted } = ledger
  engine = {
    stream: (query, signal) => {
      queries += 1
      return counted.stream(query, signal)
    },
    execute: (sql, parameters) => counted.execute(sql, parameters),
    loadTimeZone: (timezone) => counted.loadTimeZone(timezone),
    close: () => counted.close(),
  }
})
afterAll(() => ledger.close())
beforeEach(() => {
  queries = 0
  folder = join(mkdtempSync(join(ledger.folder, 'reports-')), 'reports')
  memory = join(folder, '../report-checks.json')
  mkdirSync(folder)
  for (const name of NAMES) {
    const lines = writePlanted({ column: 'amount' }).join('\n')
    writeFileSync(join(folder, `${name}.yaml`), lines.replace('planted', name))
  }
})

const CHECKER = 'checker'

async function load(checker = CHECKER) {
  const counts: number[] = []
  const { reports, timezones } = await loadCatalogue(folder, engine, {
    checks: openReportChecks(memory, checker),
    onCheck: (files, unchecked) => counts.push(files, unchecked),
  })
  return { reports, timezones, counts }
}

function change(name: string, from: string, to: string): void {
  const text = readFileSync(join(folder, name), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(folder, name), text.replace(from, to))
}

test('checks report files once: the second time one query reads the time zones, and nothing else runs', async () => {
  const first = await load()
  expect(first.counts).toEqual([2, 2])
  expect(queries).toBeGreaterThan(20)
  queries = 0
  const second = await load()
  expect(queries).toBe(1)
  expect(second.counts).toEqual([2, 0])
  expect(second.reports).toEqual(first.reports)
  expect(loadCheckedReports(folder, openReportChecks(memory, CHECKER))).toEqual(first.reports)
  expect(queries).toBe(1)
})

test('asks this process for its time zones once', async () => {
  const { timezones } = await load()
  const formatters = vi.spyOn(Intl, 'DateTimeFormat')
  try {
    expect((await load()).timezones).toEqual(timezones)
    expect(formatters).not.toHaveBeenCalled()
  } finally {
    formatters.mockRestore()
  }
  expect(timezones.has('Europe/Berlin')).toBe(true)
  expect(timezones.has('US/Eastern')).toBe(true)
})

test('checks a changed file again, and that one alone', async () => {
  await load()
  change('first.yaml', 'title: Planted', 'title: Payments')
  expect(loadCheckedReports(folder, openReportChecks(memory, CHECKER))).toBeUndefined()
  const { counts, reports } = await load()
  expect(counts).toEqual([2, 1])
  expect(reports.get('first')?.template.title).toBe('Payments')
})

test('checks everything again for another engine, model or checker', async () => {
  await load()
  expect((await load('another')).counts).toEqual([2, 2])
})

test('never remembers a file that failed, and remembers the others beside it', async () => {
  change('first.yaml', 'sql: "amount"', 'sql: "amonut"')
  await expect(load()).rejects.toThrow(/first\.yaml:\d+: columns\[0\]\.sql: .*amonut/)
  queries = 0
  const again = load()
  await expect(again).rejects.toThrow('amonut')
  expect(queries).toBeGreaterThan(1)
  change('first.yaml', 'sql: "amonut"', 'sql: "amount"')
  expect((await load()).counts).toEqual([2, 1])
})

test('a remembered file that is broken later does not pass', async () => {
  await load()
  change('first.yaml', 'sql: "amount"', 'sql: "amonut"')
  await expect(load()).rejects.toThrow('amonut')
})

test('names the faults of all files at once, of their shape and of their SQL', async () => {
  change('first.yaml', 'title: Planted', 'titel: Planted')
  change('second.yaml', 'sql: "amount"', 'sql: "amonut"')
  const { message } = await load().then(
    () => new Error('loaded'),
    (error: Error) => error,
  )
  expect(message).toMatch(/first\.yaml:\d+: titel: unknown name/)
  expect(message).toMatch(/second\.yaml:\d+: columns\[\d+\]\.sql: .*amonut/)
})
