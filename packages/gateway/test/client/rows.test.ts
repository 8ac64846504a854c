// @module-tag long

import { type CatalogueReport, CounterfoilClient, readRows, type Row } from '@counterfoil/client'
import { describe, expect, test } from 'vitest'
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

test('the catalogue has every report', () => {
  expect(reports.length).toBeGreaterThan(9)
})

for (const report of reports) describeRows(report)
