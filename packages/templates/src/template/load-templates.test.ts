import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../gateway/src/config/config.ts'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { checkPlanted, faultsOf, writePlanted } from '../../../gateway/test/kit/planted-report.ts'
import { useScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { checkTree, readRefusedFunctions } from '../check/check-sql.ts'
import { loadCatalogue, loadCheckedReports } from './load-templates.ts'
import { openReportChecks } from './report-checks.ts'

const NAMES = ['first', 'second']

const ledger = await useScratchLedger()
let folder: string
let memory: string
/** How many queries the engine ran. */
let queries: number
const engine: Queries = {
  stream: (query, signal) => {
    queries += 1
    return ledger.engine.stream(query, signal)
  },
  execute: (sql, parameters) => ledger.engine.execute(sql, parameters),
  insert: (insert) => ledger.engine.insert(insert),
  loadTimeZone: (timezone) => ledger.engine.loadTimeZone(timezone),
}
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

const refused = await readRefusedFunctions(ledger.engine)
const tree = (sql: string, parameters = {}) => {
  return checkTree(ledger.engine, { sql, parameters, texts: new Set() }, refused)
}

test('returns the tables and shared aliases of a valid query', async () => {
  const sql = `SELECT merchant_name AS m, amount * 2 AS a, {p:UInt8} AS p FROM transactions AS t
  WHERE currency IN (SELECT currency FROM gates)`
  expect(await tree(sql, { p: '1' })).toEqual({
    tables: ['transactions', 'gates'],
    sharedAliases: ['m', 'a', 'p', 't'],
    faults: [],
  })
  expect((await tree('SELECT 1')).tables).toEqual([])
})

test('finds every table, whatever values the check uses', async () => {
  const { tables, faults } = await tree(
    `SELECT 1 FROM transactions WHERE created_at >= {from:String} AND created_at < {from:String}
    AND if({from:String} = '2026', 1, toUInt8({from:String}) IN (SELECT merchant_id FROM merchants))
    AND gate_id IN (SELECT gate_id FROM gates)`,
    { from: '2026' },
  )
  expect(tables).toEqual(['transactions', 'merchants', 'gates'])
  expect(faults).toEqual([])
})

test('a table of another database, or a view, is not a table of the ledger', async () => {
  await ledger.engine.execute('CREATE DATABASE IF NOT EXISTS other ENGINE = Memory')
  await ledger.engine.execute('CREATE TABLE other.transactions (a Int8) ENGINE = Memory')
  await ledger.engine.execute('CREATE VIEW seen AS SELECT * FROM transactions')
  for (const table of ['other.transactions', 'default.seen']) {
    const { faults } = await tree(`SELECT * FROM ${table}`)
    expect(faults).toEqual([expect.stringContaining(`got ${table}`)])
  }
})

describe('a column has its kind', () => {
  const COLUMNS: readonly (readonly [kind: string, sql: string, expected: RegExp | undefined])[] = [
    ['money', 'amount', undefined],
    ['money', 'gateway_fee', undefined],
    ['money', "CAST(round(amount * fx_rate, 3), 'Decimal(38, 3)')", undefined],
    [
      'money',
      'toFloat64(amount)',
      /the kind money a decimal of at most 4 fraction digits.*got Float64/,
    ],
    ['money', 'amount * fx_rate', /the kind money .*got Nullable\(Decimal\(\d+, 12\)\)/],
    ['money', 'transaction_id', /the kind money .*got String/],
    ['money', 'status', /the kind money .*got LowCardinality\(String\)/],
    ['id', 'transaction_id', undefined],
    ['id', 'client_order_id', undefined],
    ['id', 'error_code', undefined],
    ['id', 'amount', /the kind id a whole number or a text, got Decimal\(20, 4\)/],
    ['id', '1.5', /the kind id .*got Float64/],
    ['integer', 'error_code', undefined],
    ['integer', 'amount', /the kind integer a whole number, got Decimal/],
    ['integer', 'client_order_id', /the kind integer .*got String/],
    ['date', 'bank_date', undefined],
    ['date', 'toTimeZone(settled_at, {timezone:String})', undefined],
    ['date', 'toDate(created_at, {timezone:String})', undefined],
    ['date', 'created_at', /the kind date a day, or a time in the zone of the report.*'UTC'/],
    ['date', "toTimeZone(created_at, 'Europe/Berlin')", /the kind date .*'Europe\/Berlin'/],
    ['date', 'status', /the kind date .*got LowCardinality/],
    ['time', 'settled_at', undefined],
    ['time', 'bank_date', /the kind time a time: DateTime or DateTime64, got Nullable\(Date32\)/],
    ['rate', 'fx_rate', undefined],
    ['rate', 'toFloat64(fx_rate)', /the kind rate a decimal, got Nullable\(Float64\)/],
    ['rate', 'transaction_id', /the kind rate a decimal, got String/],
    ['ratio', 'amount / 3', undefined],
    ['ratio', 'error_code', undefined],
    ['ratio', 'status', /the kind ratio a number, got/],
    ['text', 'bank_date', undefined],
    ['text', '[1, 2]', undefined],
  ]

  // One report has all columns, because each check of a report runs many queries.
  test('and each of another kind is a fault of its own', async () => {
    const lines = writePlanted({})
    const columns = COLUMNS.map(([kind, sql], at) => {
      return `  - {name: C${at}, kind: ${kind}, about: x, sql: ${JSON.stringify(sql)}}`
    })
    const planted = [...lines.slice(0, lines.indexOf('columns:') + 1), ...columns]
    const faults = await checkPlanted(ledger, [...planted, 'order: [transaction_id]'])
    const byColumn = COLUMNS.map((_, at) => {
      return faults.filter((fault) => fault.includes(` columns[${at}].sql: `)).join('\n')
    })
    for (const [at, [kind, sql, expected]] of COLUMNS.entries()) {
      expect(byColumn[at], `${kind}: ${sql}`).toMatch(expected ?? /^$/)
    }
    expect(faults).toHaveLength(COLUMNS.filter(([, , expected]) => expected).length)
  })

  test('and so has an axis of the period', async () => {
    const axis = (sql: string, kind: string) => {
      return checkPlanted(
        ledger,
        writePlanted({}).map((line) =>
          line.replace('{sql: "created_at"', `{sql: ${sql}, kind: ${kind}`),
        ),
      )
    }
    expect(await axis('settled_at', 'time')).toEqual([])
    expect(await axis('bank_date', 'date')).toEqual([])
    expect(await axis('bank_date', 'time')).toEqual([
      expect.stringMatching(
        /^planted\.yaml:8: period\.axes\.created\.sql: .*axis of the kind time a time/,
      ),
    ])
    expect(await axis('created_at', 'date')).toEqual([
      expect.stringMatching(/a day: Date or Date32/),
    ])
    expect(await axis('amount', 'time')).toEqual([expect.stringMatching(/got Decimal/)])
  })
})

test('names every fault of a file once, and first the faults on which others depend', async () => {
  const both = await checkPlanted(
    ledger,
    writePlanted({ condition: 'a = 1', column: 'b', order: 'c' }),
  )
  expect(both.map((fault) => fault.split(': ')[1])).toEqual([
    'condition',
    'columns[0].sql',
    'order[0]',
  ])
  const broken = { from: 'SELECT a FROM transactions', column: 'b', order: 'c' }
  expect(await checkPlanted(ledger, writePlanted(broken))).toEqual([
    expect.stringMatching(/: from: .*`a`/),
  ])
  const group = await checkPlanted(
    ledger,
    writePlanted({ group: 'a', column: 'b', condition: 'c' }),
  )
  expect(group.map((fault) => fault.split(': ')[1])).toEqual(['condition', 'group[0]'])
})

test('checks a column that only one role has, and totals', async () => {
  const lines = writePlanted({})
  const column = lines.indexOf('columns:')
  const hidden = ['  - {name: Hidden, kind: money, about: x, roles: [merchant], sql: ammount}']
  const planted = [...lines.slice(0, column + 1), ...hidden, ...lines.slice(column + 1)]
  expect(await checkPlanted(ledger, planted)).toEqual([
    expect.stringMatching(/columns\[0\]\.sql: .*ammount/),
  ])
  const totals = ['totals: {by: [Column], columns: [Hidden]}']
  const fine = [...planted, ...totals].map((line) => line.replace('ammount', 'amount'))
  expect(await checkPlanted(ledger, fine)).toEqual([])
})

test('a check reads no rows, even from a large ledger', async () => {
  await engine.execute(
    `INSERT INTO transactions (transaction_id, merchant_id, created_at, row_version)
    SELECT number, number, toDateTime64('2026-01-01', 3, 'UTC'), 1 FROM numbers(10000)`,
  )
  const numbers = (letter: string) => `ARRAY JOIN range(100000) AS ${letter}`
  const rows = `SELECT merchant_id, a FROM transactions ${numbers('a')}`
  const condition = `merchant_id IN (SELECT max(cityHash64(merchant_id, a, b)) FROM (${rows}) ${numbers('b')})`
  const startedAt = performance.now()
  expect(await checkPlanted(ledger, writePlanted({ condition }))).toEqual([])
  const alone = { column: `(${condition.slice('merchant_id IN ('.length)}` }
  expect(await faultsOf(ledger, alone)).toEqual([
    expect.stringContaining('no sub-select but in FROM, JOIN and IN'),
  ])
  expect(performance.now() - startedAt).toBeLessThan(60_000)
})
