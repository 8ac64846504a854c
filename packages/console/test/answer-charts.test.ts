// @module-tag long

import type { ReportRequest } from '@counterfoil/protocol'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ask, parameters } from '../../gateway/test/kit/ask.ts'
import { insertRows } from '../../gateway/test/kit/ledger-rows.ts'
import { expectShown, serveConsole } from './kit/serve-console.ts'
import { showReport } from './kit/show-report.ts'

const console = await serveConsole([
  24_000,
  ['transactions-list.yaml', 'daily-totals.yaml', 'decline-analysis.yaml'],
])
const { operator } = console.sandbox.logins
const PERIOD = { dateFrom: '2026-08-01', dateTo: '2026-11-01' }
const LIST: ReportRequest = {
  reportIdentifier: 'transactions-list',
  ...parameters({ ...PERIOD, timezone: 'Asia/Tokyo' }),
}
type Row = Readonly<Record<string, string | number | null>>

test('the amounts of a day are the exact sum of its rows, in the time zone of the report', async () => {
  const page = await openCharts(LIST)
  const rows = await rowsOf(LIST, [
    'Created_date',
    'Amount',
    'Currency',
    'Transaction_type',
    'Status',
  ])
  const chosen = rows.filter((row) => {
    return (
      row['Currency'] === 'EUR' &&
      row['Transaction_type'] === 'sale' &&
      row['Status'] === 'approved'
    )
  })
  const expected = sums(chosen, (row) => String(row['Created_date']).slice(0, 10), 'Amount')
  const figures = await figuresIn(page)
  const drawn = [...figures].filter(([, text]) => Number(text) !== 0)
  expect(drawn.map(([day, text]) => [day, scaled(text)])).toEqual(
    [...expected].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  expect([...figures.keys()]).toEqual([...figures.keys()].toSorted())
  expect(await page.locator('.day-chart rect').count()).toBe(figures.size)
})

test('amounts of two currencies are never in one chart', async () => {
  const page = await openCharts(LIST)
  const options = (label: string) => {
    return page.getByLabel(label, { exact: true }).locator('option').allTextContents()
  }
  expect(await options('Currency')).not.toContain('All')
  expect(await options('By')).not.toContain('Currency')
  await page.getByLabel('Show', { exact: true }).selectOption('Rows')
  expect(await options('By')).toContain('Currency')
  await page.getByLabel('By', { exact: true }).selectOption('Currency')
  await page.getByLabel('Show', { exact: true }).selectOption('Amount')
  expect(await page.getByLabel('By', { exact: true }).inputValue()).not.toBe('Currency')
})

test('warns of a sum that adds amounts of several types', async () => {
  const page = await openCharts(LIST)
  await page.getByLabel('Transaction_type', { exact: true }).selectOption('All')
  await expectShown(page.getByText(/^This sum adds amounts of different Transaction_type/))
})

test('the share of approved payments is that of the report of daily totals', async () => {
  const daily: ReportRequest = {
    reportIdentifier: 'daily-totals',
    ...parameters({ ...PERIOD, timezone: 'Asia/Tokyo', groupBy: 'type,status' }),
  }
  const page = await openCharts(LIST)
  await page.getByLabel('Show', { exact: true }).selectOption('Share of approved payments')
  const shares = await figuresIn(page)
  const rows = await rowsOf(daily, ['Day', 'Currency', 'Type', 'Approval_rate'])
  const expected = rows.filter(({ Currency, Type }) => Currency === 'EUR' && Type === 'sale')
  expect(expected.length).toBeGreaterThan(50)
  for (const { Day, Approval_rate } of expected) {
    if (Approval_rate === null || Approval_rate === undefined) continue
    expect(shares.get(String(Day))).toBe(`${(Number(Approval_rate) * 100).toFixed(2)} %`)
  }
})

test('the table has the first of many figures, and says how many others there are', async () => {
  const old = { createdAt: '2020-01-01 10:00:00.000', description: 'old', orderId: 'old' }
  const id = 4_000_000_000_000_000_000n
  await insertRows(console.gateway.engine, [{ ...old, id, merchant: '1', amount: '-5.00' }])
  const period = { dateFrom: '2020-01-01', dateTo: '2026-11-01', timezone: 'UTC' }
  const page = await openCharts({ ...LIST, ...parameters(period) })
  await page.getByLabel('Show', { exact: true }).selectOption('Rows')
  for (const label of ['Transaction_type', 'Status', 'Currency']) {
    await page.getByLabel(label, { exact: true }).selectOption('All')
  }
  await expectShown(page.getByText(/^The table has the first 2,000 of 2,4\d\d rows\. For/))
  expect(await page.locator('.figures tbody tr').count()).toBe(2_000)
})

test('declines are drawn by their group, the highest first', async () => {
  const request: ReportRequest = { reportIdentifier: 'decline-analysis', ...parameters(PERIOD) }
  const page = await openCharts(request)
  await page.getByLabel('Show', { exact: true }).selectOption('Declines')
  await page.getByLabel('By', { exact: true }).selectOption('Decline_group')
  await page.getByLabel('Currency', { exact: true }).selectOption('All')
  const figures = [...(await figuresIn(page))].map(([, text]) => Number(text))
  expect(figures).toEqual(figures.toSorted((one, other) => other - one))
  const rows = await rowsOf(request, ['Declines'])
  const sum = rows.reduce((total, { Declines }) => total + Number(Declines), 0)
  expect(figures.reduce((total, figure) => total + figure, 0)).toBe(sum)
})

async function openCharts(request: ReportRequest): Promise<Page> {
  const page = await console.openAs(operator)
  await showReport(page, request)
  await page.getByRole('button', { name: 'Totals and charts' }).click()
  await page.locator('summary', { hasText: 'The figures as a table' }).click()
  return page
}

/** The figures of the table, by their labels. */
async function figuresIn(page: Page): Promise<Map<string, string>> {
  const cells = await page.locator('.figures tbody td').allTextContents()
  return new Map(
    cells.flatMap((label, index) =>
      index % 2 === 0 ? [[label, cells[index + 1] ?? ''] as const] : [],
    ),
  )
}

async function rowsOf(request: ReportRequest, columns: readonly string[]): Promise<readonly Row[]> {
  const asked = { ...request, reportFormat: 'JSONL', outputReportParameters: columns }
  const { text } = await ask(console.gateway, operator, asked)
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

function sums(
  rows: readonly Row[],
  label: (row: Row) => string,
  column: string,
): Map<string, bigint> {
  const found = new Map<string, bigint>()
  for (const row of rows) {
    found.set(label(row), (found.get(label(row)) ?? 0n) + scaled(String(row[column])))
  }
  return found
}

/** An amount in ten-thousandths. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(4, '0'))
}
