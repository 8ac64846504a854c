// @module-tag long

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type CatalogueReport,
  CounterfoilClient,
  readRows,
  type Row,
  typesOf,
} from '@counterfoil/client'
import { afterAll, describe, expect, test } from 'vitest'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([6000, EVERY_REPORT])
const { login, controlKey } = sandbox.logins.operator
const connection = { endpoint: gateway.reportUrl, login, controlKey }
const client = new CounterfoilClient(connection)
const catalogue = await client.catalogue()
const reports = catalogue.reports.filter(({ formats }) => formats.includes('JSONL'))

const PERIOD = { dateFrom: '2026-10-01', dateTo: '2026-11-01' }

/** Every column, and the parameters that the report requires. */
function optionsOf({ columns, example }: CatalogueReport, timezone: string) {
  const inputs = example.inputReportParameters ?? []
  const required = Object.fromEntries(inputs.map(({ name, value }) => [name, value]))
  return {
    ...required,
    ...('dateFrom' in required && PERIOD),
    timezone,
    columns: columns.map(({ name }) => name),
  }
}

/** Reads all rows. */
async function collect<R>(rows: AsyncIterable<R>): Promise<readonly R[]> {
  const collected: R[] = []
  for await (const row of rows) collected.push(row)
  return collected
}

/** Writes a row as CSV holds it. */
function inCsv(columns: CatalogueReport['columns'], row: Row): Row {
  const entries = columns.map(({ name, kind }) => {
    const text = String(row[name] ?? '')
    if (kind === 'time') return [name, text.slice(0, 19).replace('T', ' ')]
    return [name, kind === 'ratio' && text !== '' ? Number(text).toFixed(4) : text]
  })
  return Object.fromEntries(entries)
}

/** Tests the rows of a report. */
function describeRows(report: CatalogueReport): void {
  describe(`the rows of ${report.reportIdentifier}`, () => {
    const { reportIdentifier, columns } = report

    test('have the columns and the values of the CSV', async () => {
      const options = optionsOf(report, 'UTC')
      const rows = await collect(client.rows(reportIdentifier, options))
      const configuration = { dateFormat: 'ISO', decimals: '0' }
      const { body } = await client.report(reportIdentifier, { ...options, configuration })
      const texts = await collect(readRows(body))
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.map((row) => inCsv(columns, row))).toEqual(texts)
    })

    test('have types that the catalogue promises, and times with an offset', async () => {
      const patterns: Readonly<Record<string, RegExp>> = {
        money: /^-?\d+(?:\.\d{1,4})?$/,
        date: /^\d{4}-\d\d-\d\d$/,
        time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:45$/,
        integer: /^\d+$/,
      }
      const options = optionsOf(report, 'Asia/Kathmandu')
      for await (const row of client.rows(reportIdentifier, options)) {
        for (const { name, kind } of columns) {
          const value = row[name]
          if (value === null) continue
          expect(typeof value).toBe(kind === 'integer' ? 'number' : 'string')
          expect(String(value)).toMatch(patterns[kind] ?? /^/)
        }
      }
    })
  })
}

// Inside the client's package, so that its name resolves.
const VAR = join(import.meta.dirname, '../../../client/var')
mkdirSync(VAR, { recursive: true })
const folder = mkdtempSync(join(VAR, 'rows-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the catalogue has every report', () => {
  expect(reports.length).toBeGreaterThan(9)
})

for (const report of reports) describeRows(report)

const PROGRAM = `
import { CounterfoilClient } from '@counterfoil/client'

const client = new CounterfoilClient(JSON.parse(process.argv[2] ?? ''))
const columns = ['Amount', 'Status'] as const
let approved = 0
for await (const row of client.rows('transactions-list', { statuses: ['approved'], columns })) {
  const amount: string | null = row.Amount
  // @ts-expect-error This column was not asked for.
  if (row.Currency !== undefined) throw new Error(String(amount))
  if (row.Status === 'approved') approved += 1
}
let count = 0
const period = { dateFrom: '2026-10-01', dateTo: '2026-11-01' }
for await (const row of client.rows('daily-totals', period)) count += row.Count ?? 0
for await (const row of client.rows('transactions-list', period)) {
  const currency: string | null = row.Currency
  // @ts-expect-error This column is optional.
  if (row.Status !== undefined) throw new Error(String(currency))
}
// @ts-expect-error The parameter has a fixed list of values.
void client.rows('transactions-list', { statuses: ['no such status'] })
// @ts-expect-error The report has no such parameter.
void client.rows('transactions-list', { noSuch: 'x' })
// @ts-expect-error The report has no such column.
void client.rows('transactions-list', { columns: ['No_such'] })
const typed = { statuses: ['approved'], columns: ['Amount', { name: 'Status', title: 'State' }] } as const
const { rows } = await client.download('transactions-list', { ...typed, format: 'JSONL' }, process.argv[3] ?? '')
if (rows !== approved) throw new Error(String(rows))
void (async () => {
  // @ts-expect-error The report has no such parameter.
  await client.download('transactions-list', { noSuch: 'x' }, 'x.csv')
  // @ts-expect-error The report has no such column.
  await client.download('transactions-list', { columns: ['No_such'] }, 'x.csv')
  // @ts-expect-error The parameter has a fixed list of values.
  await client.report('transactions-list', { statuses: ['no such status'] })
  await client.download('another-report', { anything: 'x' }, 'x.csv')
  await client.download({ reportIdentifier: 'transactions-list' }, {}, 'x.csv')
})
const anyRow = await client.rows('another-report').next().catch((error: Error) => error.name)
console.log(JSON.stringify({ approved, count, anyRow }))
`

test('the types of the catalogue compile, and a program uses them', async () => {
  writeFileSync(join(folder, 'reports.d.ts'), typesOf(await client.catalogue()))
  const program = join(folder, 'program.ts')
  writeFileSync(program, PROGRAM)
  const compilerOptions = {
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const run = promisify(execFile)
  const compiled = run(join(import.meta.dirname, '../../../../node_modules/.bin/tsc'), [
    '-p',
    folder,
  ])
  // If it fails, the error has the compiler's messages.
  await expect(compiled.catch(({ stdout }: { stdout: string }) => stdout)).resolves.toEqual({
    stdout: '',
    stderr: '',
  })

  const { stdout } = await run(process.execPath, [
    program,
    JSON.stringify(connection),
    join(folder, 'saved.jsonl'),
  ])
  const all = await collect(client.rows('transactions-list', { columns: ['Status'] }))
  const approved = all.filter(({ Status }) => Status === 'approved').length
  const days = await collect(client.rows('daily-totals', PERIOD))
  const count = days.reduce((sum, { Count }) => sum + Number(Count), 0)
  expect(approved).toBeGreaterThan(100)
  expect(count).toBeGreaterThan(100)
  expect(JSON.parse(stdout)).toEqual({ approved, count, anyRow: 'ReportRefused' })
})
