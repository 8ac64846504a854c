import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../gateway/src/config/config.ts'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { writePlanted } from '../../../gateway/test/kit/planted-report.ts'
import { useScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { loadCatalogue, loadCheckedReports } from './load-templates.ts'
import { openReportChecks } from './report-checks.ts'

const NAMES = ['first', 'second']

const ledger = await useScratchLedger()
let folder: string
let memory: string
/** How many queries the engine ran. */
let queries: number
let engine: Queries
beforeAll(async () => {
  const { engine: counted } = ledger
  engine = {
    stream: (query, signal) => {
      queries += 1
      return counted.stream(query, signal)
    },
    execute: (sql, parameters) => counted.execute(sql, parameters),
    insert: (insert) => counted.insert(insert),
    loadTimeZone: (timezone) => counted.loadTimeZone(timezone),
  }
})
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
  const { reports } = await loadCatalogue(folder, engine, {
    checks: openReportChecks(memory, checker),
    onCheck: (files, unchecked) => counts.push(files, unchecked),
  })
  return { reports, counts }
}

function change(name: string, from: string, to: string): void {
  const text = readFileSync(join(folder, name), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(folder, name), text.replace(from, to))
}

test('checks report files once: the second load runs one query, which reads the time zones', async () => {
  const first = await load()
  expect(first.counts).toEqual([2, 2])
  expect(queries).toBeGreaterThan(10)
  queries = 0
  const second = await load()
  expect(queries).toBe(1)
  expect(second.counts).toEqual([2, 0])
  expect(second.reports).toEqual(first.reports)
  expect(loadCheckedReports(folder, openReportChecks(memory, CHECKER))).toEqual(first.reports)
  expect(queries).toBe(1)
})

test('checks a changed file again, and only that file', async () => {
  await load()
  change('first.yaml', 'title: Planted', 'title: Payments')
  expect(loadCheckedReports(folder, openReportChecks(memory, CHECKER))).toBeUndefined()
  const { counts, reports } = await load()
  expect(counts).toEqual([2, 1])
  expect(reports.get('first')?.template.title).toBe('Payments')
})

test('checks everything again for another checker', async () => {
  await load()
  expect((await load('another')).counts).toEqual([2, 2])
})

test('never remembers a file that failed, but remembers the other files', async () => {
  change('first.yaml', 'sql: "amount"', 'sql: "amonut"')
  await expect(load()).rejects.toThrow(/first\.yaml:\d+: columns\[0\]\.sql: .*amonut/)
  queries = 0
  const again = load()
  await expect(again).rejects.toThrow('amonut')
  expect(queries).toBeGreaterThan(1)
  change('first.yaml', 'sql: "amonut"', 'sql: "amount"')
  expect((await load()).counts).toEqual([2, 1])
})

test('refuses pipes and large files by name, without waiting', async () => {
  const pipe = join(folder, 'pipe.yaml')
  execFileSync('mkfifo', [pipe])
  // A reader that waits for the pipe would continue when this writer opens it, and would read an empty file.
  const writer = spawn('sh', ['-c', 'sleep 3; : > "$0"', pipe])
  onTestFinished(() => void writer.kill())
  mkdirSync(join(folder, 'folder.yaml'))
  const padding = (bytes: number) => `#${' '.repeat(bytes - 1)}`
  const text = readFileSync(join(folder, 'first.yaml'), 'utf8')
  const max = LIMITS.yamlFileBytesMax
  const fitting = `${text}\n${padding(max - Buffer.byteLength(text) - 1)}`
  writeFileSync(join(folder, 'first.yaml'), fitting)
  writeFileSync(join(folder, 'large.yaml'), padding(max + 1))
  const names = ['folder', 'large', 'pipe'].map((name) => join(folder, `${name}.yaml`))
  const faults = names.map((name) => {
    const reason = name.includes('large')
      ? 'it has more than 256 KiB'
      : 'it is a folder, a pipe or a device'
    return `${name}: cannot read this file: ${reason}`
  })
  await expect(load()).rejects.toThrow(faults.join('\n'))
  expect(() => loadConfig(pipe)).toThrow(faults[2])
  for (const name of names) rmSync(name, { recursive: true })
  expect((await load()).counts).toEqual([2, 0])
})

test('refuses more files than the limit', async () => {
  for (let at = NAMES.length; at <= LIMITS.reportFilesMax; at++) {
    writeFileSync(join(folder, `r${at}.yaml`), '')
  }
  const expected = `expected 1 to 500 report files (*.yaml) in ${folder}, got 501`
  await expect(load()).rejects.toThrow(expected)
  rmSync(join(folder, 'r500.yaml'))
  await expect(load()).rejects.toThrow('r499.yaml:1: ')
})

test('names the faults of all files at once, both of shape and of SQL', async () => {
  change('first.yaml', 'title: Planted', 'titel: Planted')
  change('second.yaml', 'sql: "amount"', 'sql: "amonut"')
  const { message } = await load().then(
    () => new Error('loaded'),
    (error: Error) => error,
  )
  expect(message).toMatch(/first\.yaml:\d+: titel: unknown name/)
  expect(message).toMatch(/second\.yaml:\d+: columns\[\d+\]\.sql: .*amonut/)
})
