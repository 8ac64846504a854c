import { parse } from 'csv-parse/sync'
import * as z from 'zod'
import { expect, test } from 'vitest'
import { ask, parameters } from '../kit/ask.ts'
import { scaled } from '../kit/exported-ledger.ts'
import { readPdfRows, ungrouped } from '../kit/read-pdf-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const OCTOBER = parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01' })
const REQUEST = { reportIdentifier: 'daily-totals', ...OCTOBER }

const { sandbox, gateway } = await serveSandbox([2000, ['daily-totals.yaml']])
const { operator } = sandbox.logins

const rowsSchema = z.array(z.record(z.string(), z.string()))

/** The lines of the pages with charts. */
async function chartLines(bytes: Uint8Array): Promise<readonly (readonly string[])[]> {
  const pages = await readPdfRows(bytes)
  const start = pages.findIndex(([first]) => first?.[0] === 'Charts')
  return start < 0 ? [] : pages.slice(start).flat()
}

test('shows figures that are the sums of the rows, and no sum over currencies', async () => {
  const csv = await ask(gateway, operator, REQUEST)
  const rows = rowsSchema.parse(parse(csv.text, { columns: true }))
  const { bytes } = await ask(gateway, operator, { ...REQUEST, reportFormat: 'PDF' })
  const lines = (await chartLines(bytes)).map((line) => line.map(ungrouped).join(' '))
  const currencies = [...new Set(rows.map((row) => row['Currency'] ?? ''))].toSorted()
  expect(currencies.length).toBeGreaterThan(5)
  // Lines of figures stand beside the labels of charts.
  const isSum = /Sum \d+ days? (?<amount>\S+)$/
  const sums = lines.flatMap((line) => isSum.exec(line)?.groups?.['amount'] ?? [])
  const nets = currencies.map((currency) => {
    const own = rows.filter((row) => row['Currency'] === currency)
    return own.reduce((sum, row) => sum + scaled(row['Net'] ?? ''), 0n)
  })
  expect(sums.map(scaled)).toEqual(nets)
  const countOf = (own: typeof rows): number => {
    return own.reduce((sum, row) => sum + Number(row['Count']), 0)
  }
  const shares = lines.slice(lines.indexOf('Transactions by currency'))
  for (const currency of currencies) {
    const count = countOf(rows.filter((row) => row['Currency'] === currency))
    const share = ((count / countOf(rows)) * 100).toFixed(2)
    const written = shares.find((line) => line.startsWith(`${currency} `)) ?? ''
    expect(written).toContain(` ${count} `)
    expect(Number(written.split(' ').at(-2))).toBeCloseTo(Number(share), 1)
  }
  const sales = rows.filter((row) => row['Type'] === 'sale')
  const decided = sales.filter((row) => {
    return ['approved', 'declined', 'filtered', 'error'].includes(row['Status'] ?? '')
  })
  const approved = countOf(decided.filter((row) => row['Status'] === 'approved'))
  expect(lines).toContainEqual(expect.stringContaining(` ${approved} ${countOf(decided)} `))
})

test('are in no PDF of totals, and in none without rows', async () => {
  const { inputReportParameters: totals } = parameters({ totals: 'only' })
  const later = parameters({ dateFrom: '2030-01-01', dateTo: '2030-01-02' })
  for (const request of [
    { ...REQUEST, configurationReportParameters: totals },
    { ...REQUEST, ...later },
  ]) {
    const { status, bytes } = await ask(gateway, operator, { ...request, reportFormat: 'PDF' })
    expect(status).toBe(200)
    expect(await chartLines(bytes)).toEqual([])
  }
})
