// @module-tag long

// The rows of the client, from a real gateway. The long test reads every report.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { typesOf } from '@counterfoil/client'
import { afterAll, expect, test } from 'vitest'
import { client, collect, connection, describeRows, PERIOD, reports } from './rows.cases.ts'

// Inside the client's package, so that its name resolves.
const VAR = join(import.meta.dirname, '../../../client/var')
mkdirSync(VAR, { recursive: true })
const folder = mkdtempSync(join(VAR, 'rows-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the catalogue has every report', () => {
  expect(reports.length).toBeGreaterThan(9)
})

const READ = ['transactions-list', 'chargeback-ratio', 'settlement-statement']
for (const report of reports) {
  if (READ.includes(report.reportIdentifier)) describeRows(report)
}

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
