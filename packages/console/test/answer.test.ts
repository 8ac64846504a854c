// @module-tag long

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CounterfoilClient } from '@counterfoil/client'
import type { ControlTotal, ReportRequest } from '@counterfoil/protocol'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ask, parameters } from '../../gateway/test/kit/ask.ts'
import { insertRows } from '../../gateway/test/kit/ledger-rows.ts'
import { EVERY_REPORT } from '../../gateway/test/kit/sandbox.ts'
import {
  connectAs,
  expectAccessibleEverywhere,
  expectShown,
  serveConsole,
} from './kit/serve-console.ts'
import { ALL_ROWS, fillRequest, showReport, showTotals } from './kit/show-report.ts'

const console = await serveConsole([24_000, EVERY_REPORT])
const { merchant, operator, reseller } = console.sandbox.logins
const client = clientOf(operator)

/** The transactions of one day. */
const ONE_DAY = {
  ...ALL_ROWS,
  ...parameters({ dateFrom: '2026-10-05', dateTo: '2026-10-06' }),
}

function clientOf({ login, controlKey }: typeof merchant): CounterfoilClient {
  return new CounterfoilClient({ endpoint: console.gateway.reportUrl, login, controlKey })
}

test('proves a small report by the manifest, whose values stand for the trailers', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ONE_DAY)
  const head = page.locator('.answer-head')
  await expectShown(head.getByText('Complete: the digest agrees with the manifest'))
  const digest = head.getByText('SHA-256', { exact: true })
  expect(await digest.isVisible()).toBe(false)
  await head.getByText('How this was proved').click()
  await expectShown(digest)
  const { runs } = await client.runs({ limit: 1 })
  const { file } = runs[0] ?? {}
  const text = await head.innerText()
  expect(text).toContain(Buffer.from(file?.sha256 ?? '', 'base64').toString('hex'))
  expect(text).toContain(runs[0]?.runId)
  expect(text).toContain((file?.rows ?? 0).toLocaleString('en'))
  const titles = await page.locator('details.totals th').allTextContents()
  expect(titles.slice(0, -2)).toEqual(['Currency', 'Transaction_type', 'Dispute_stage', 'Status'])
})

test('shows the first rows, and sums every row on demand as the manifest does', async () => {
  const page = await console.openAs(operator)
  const rows = await showReport(page, ALL_ROWS)
  expect(await rows.locator('tbody tr').count()).toBe(1000)
  await expectShown(page.getByText('Totals of the first 1,000 rows only'))
  await expectShown(page.getByText('The first 1,000 rows. The view of totals reads all'))
  for (const summary of await page.locator('.answer summary').all()) await summary.click()
  await expectAccessibleEverywhere(page)
  const amounts = await rows.locator('td:nth-child(5)').allTextContents()
  for (const amount of amounts) expect(amount).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/)
  await showTotals(page)
  const { runs } = await client.runs({ limit: 1 })
  const { file, controlTotals = [] } = runs[0] ?? {}
  expect(await totalsIn(page)).toEqual(totalsOf(controlTotals))
  expect(file?.rows).toBeGreaterThan(1000)
})

test('forgets the answers with the key', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ONE_DAY)
  await page.getByRole('button', { name: 'Forget my key' }).click()
  await connectAs(page, merchant)
  await expectShown(page.getByText('The report appears here.'))
  expect(await page.locator('.rows').count()).toBe(0)
})

test('says that a report has no rows', async () => {
  const page = await console.openAs(merchant)
  const period = parameters({ dateFrom: '2001-01-01', dateTo: '2001-01-02' })
  await showReport(page, { ...ALL_ROWS, ...period })
  await expectShown(page.getByText('The report has no rows.'))
})

test('shows what the gateway says of a faulty request, and where', async () => {
  const page = await console.openAs(merchant)
  await fillRequest(page, { ...ALL_ROWS, filters: { merchants: [999_999] } })
  await page.getByRole('button', { name: 'Show the report' }).click()
  const note = page.locator('.answer [role=alert]')
  await expectShown(note)
  expect(await note.innerText()).toContain('/filters/merchants/0')
  expect(await page.getByText('The report has no rows.').count()).toBe(0)
  await page.getByText('What the gateway answered').click()
  expect(await page.locator('.answer-head').innerText()).toMatch(/Run\s+\S/)
})

test.each(
  EVERY_REPORT.map((file) => file.replace('.yaml', '')).filter(
    (name) => name !== 'transactions-list',
  ),
)('totals of %s are the control totals of its manifest', async (reportIdentifier) => {
  // One report is for merchants only, and one has more totals of an operator than the page shows.
  const ofMerchants = ['order-reconciliation', 'settlement-details']
  const login = ofMerchants.includes(reportIdentifier) ? merchant : operator
  const page = await console.openAs(login)
  const own = clientOf(login)
  const { reports } = await own.catalogue()
  const report = reports.find((one) => one.reportIdentifier === reportIdentifier)
  await showReport(page, report?.example ?? { reportIdentifier })
  await showTotals(page)
  const { runs } = await own.runs({ limit: 1 })
  expect(runs[0]).toMatchObject({ reportIdentifier, outcome: 'complete' })
  const { columns = [], totals } = report ?? {}
  const isAmount = (name: string) => {
    return columns.some((column) => column.name === name && column.kind === 'money')
  }
  const declared = totals?.columns.filter(isAmount) ?? []
  const isDeclared = ({ column }: { readonly column: string }) => declared.includes(column)
  const shown = [...(await totalsIn(page))].filter(([key]) => {
    return isDeclared({ column: key.split(' ')[0] ?? '' })
  })
  expect(new Map(shown)).toEqual(totalsOf((runs[0]?.controlTotals ?? []).filter(isDeclared)))
})

test.each(['CSV', 'XLSX', 'PDF', 'JSONL', 'PARQUET'])(
  'saves %s, whose digest is proved',
  async (format) => {
    const page = await console.openAs(operator)
    await fillRequest(page, { ...ONE_DAY, reportFormat: format, reportName: 'one-day' })
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: `Download ${format}` }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe(`one-day_2026-10-05.${format.toLowerCase()}`)
    await expectShown(
      page.getByRole('heading', { name: `Saved one-day_2026-10-05.${format.toLowerCase()}` }),
    )
    const agreed = format === 'CSV' ? 'digest and row count agree' : 'the digest agrees'
    await expectShown(page.getByText(`Complete: ${agreed} with the manifest`))
    const bytes = readFileSync(await file.path())
    const { runs } = await client.runs({ limit: 1 })
    expect(createHash('sha256').update(bytes).digest('base64')).toBe(runs[0]?.file?.sha256)
  },
)

describe('charts', () => {
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
    await expectAccessibleEverywhere(page)
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
    await expectAccessibleEverywhere(page)
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

  async function rowsOf(
    request: ReportRequest,
    columns: readonly string[],
  ): Promise<readonly Row[]> {
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
})

describe('a month', () => {
  async function closeOctober(login: typeof merchant, options = {}) {
    const page = await console.openAs(login, options)
    await page.getByRole('link', { name: 'Close a month' }).click()
    await page.getByLabel('Month', { exact: true }).selectOption('2026-10')
    await page.getByRole('button', { name: 'Close the month' }).click()
    await expectShown(page.getByText('How this was proved'))
    const table = page.getByRole('region', { name: 'October 2026' })
    const [, ...currencies] = await table.locator('th').allTextContents()
    const rows = await table
      .locator('tbody tr')
      .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent)))
    const figures = new Map(
      rows.map(([name = '', ...sums]) => [
        name,
        sums.map((sum) => Number(sum.replaceAll(',', ''))),
      ]),
    )
    return { page, currencies, figures }
  }

  test.each([
    ['a merchant', merchant, '− Cash received'],
    ['the operator', operator, '− Paid out'],
  ])('the month of %s leads from what was open to what is open', async (_, login, paid) => {
    const { currencies, figures } = await closeOctober(login)
    expect(currencies).toContain('EUR')
    expect(figures.has(paid)).toBe(true)
    for (const [index] of currencies.entries()) {
      const signed = [...figures].map(([name, sums]) => {
        const sum = sums[index] ?? 0
        return name.startsWith('−') || name.startsWith('=') ? -sum : sum
      })
      expect(Math.abs(signed.reduce((sum, one) => sum + one))).toBeLessThan(0.001)
    }
  })

  test('the fees of the month are those of every file, in every time zone', async () => {
    const { page, currencies, figures } = await closeOctober(merchant, {
      timezoneId: 'America/Los_Angeles',
    })
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Fees and commissions (XLSX)' }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe('fees-and-commissions_2026-10-01_2026-10-31.xlsx')
    expect(readFileSync(await file.path()).length).toBeGreaterThan(1000)
    await expectShown(page.getByText('Saved, and complete.'))
    const { runs } = await clientOf(merchant).runs({ limit: 1 })
    expect(runs[0]).toMatchObject({
      timezone: 'America/Los_Angeles',
      parameters: { dateAxis: 'bank' },
    })
    const fees = (runs[0]?.controlTotals ?? []).filter(({ column }) => column === 'Gateway_fee')
    const byCurrency = new Map(fees.map(({ currency, sum }) => [currency, Number(sum)]))
    const shown = figures.get('− Fees') ?? []
    expect(new Map(currencies.map((currency, index) => [currency, shown[index] ?? 0]))).toEqual(
      byCurrency,
    )
    expect(await page.locator('.files button').allTextContents()).toEqual([
      'Settlement statements (PDF)',
      'Settlement statements (XLSX)',
      'Fees and commissions (XLSX)',
      'Settlement details (XLSX)',
      'Transactions (XLSX)',
      'Refunds and chargebacks (XLSX)',
    ])
    await page.getByText('How this was proved').click()
    await expectAccessibleEverywhere(page)
  })

  test('a reseller closes a month without statements by turnover and commission', async () => {
    const { figures } = await closeOctober(reseller)
    expect([...figures.keys()]).toEqual(['Turnover', 'Fees', 'Commission'])
  })

  /** Opens the view as a login whose newest statement is of a day, or `none`. */
  async function openMonths(newest: string) {
    const page = await console.open()
    await page.route('**/catalogue', async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(
        /"statements":"[^"]+"/,
        `"statements":"${newest}"`,
      )
      await route.fulfill({ response, body })
    })
    await connectAs(page, merchant)
    await page.getByRole('link', { name: 'Close a month' }).click()
    return { page, month: await page.getByLabel('Month', { exact: true }).inputValue() }
  }

  test('of a login without statements can be chosen', async () => {
    expect((await openMonths('none')).month).toMatch(/^\d{4}-\d\d$/)
  })

  test('says that a month has no statements', async () => {
    const { page, month } = await openMonths('2001-01-15')
    expect(month).toBe('2001-01')
    await page.getByRole('button', { name: 'Close the month' }).click()
    await expectShown(page.getByText('No statement has a day in this month.'))
  })
})

/** Reads the totals that a page shows, and adds up those of one column and currency. */
async function totalsIn(page: Page): Promise<Totals> {
  const table = page.locator('details.totals table')
  const titles = await table.locator('th').allTextContents()
  const currencyAt = titles.findIndex((title) => /currency$/i.test(title))
  const first = titles.indexOf('Rows') + 1
  const rows = await table
    .locator('tbody tr')
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent)))
  return totalsOf(
    rows.flatMap((cells) =>
      titles.slice(first).map((column, index) => {
        const sum = cells[first + index]?.replaceAll(',', '') ?? ''
        return { column, currency: cells[currencyAt] ?? '', sum: sum === '–' ? '0' : sum }
      }),
    ),
  )
}

/** Sums in thousandths by column and currency, without those that are 0. */
type Totals = ReadonlyMap<string, number>

/** Returns the totals of a manifest as `totalsIn` reads them. */
function totalsOf(totals: readonly Pick<ControlTotal, 'column' | 'currency' | 'sum'>[]): Totals {
  const sums = new Map<string, number>()
  for (const { column, currency, sum } of totals) {
    const key = `${column} ${currency}`
    sums.set(key, (sums.get(key) ?? 0) + Math.round(Number(sum) * 1000))
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0))
}
