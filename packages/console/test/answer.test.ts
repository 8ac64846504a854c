// @module-tag long

import { expect, test } from 'vitest'
import { ask, parameters } from '../../gateway/test/kit/ask.ts'
import {
  clientOf,
  expectSaved,
  expectTotals,
  ONE_DAY,
  totalsIn,
  totalsOf,
} from './kit/answer-proofs.ts'
import { connectAs, expectShown, serveConsole } from './kit/serve-console.ts'
import { ALL_ROWS, fillRequest, showEveryRow, showReport } from './kit/show-report.ts'

const console = await serveConsole([24_000])
const { merchant, operator } = console.sandbox.logins
const client = clientOf(console, operator)

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
})

test('names the report of the answer when the form names another one', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ONE_DAY)
  const title = page.locator('.answer').getByRole('heading', { name: 'Transactions' })
  await expectShown(title)
  await page.getByLabel('Report', { exact: true }).selectOption({ index: 0 })
  await expectShown(title)
})

test('shows the first rows only, and says so', async () => {
  const page = await console.openAs(operator)
  const grid = await showReport(page, ALL_ROWS)
  expect(await grid.getAttribute('aria-rowcount')).toBe('1001')
  await expectShown(page.getByText('Totals of the first 1,000 rows only'))
  await expectShown(page.getByText('The first 1,000 rows. Show every row, or download the file.'))
})

test('shows every row on demand, with the control totals of the manifest', async () => {
  const page = await console.openAs(operator)
  const grid = await showReport(page, ALL_ROWS)
  await showEveryRow(page)
  const { runs } = await client.runs({ limit: 1 })
  const { file, controlTotals = [] } = runs[0] ?? {}
  expect(await grid.getAttribute('aria-rowcount')).toBe(String((file?.rows ?? 0) + 1))
  expect(await totalsIn(page)).toEqual(totalsOf(controlTotals))
  expect(file?.rows).toBeGreaterThan(1000)
})

test('totals of a report are the control totals of its manifest', async () => {
  await expectTotals(console, operator, 'transactions-list')
})

test('sums amounts by type, stage, status and currency, and never over all of them', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ONE_DAY)
  const titles = await page.locator('details.totals th').allTextContents()
  expect(titles.slice(0, -2)).toEqual(['Currency', 'Transaction_type', 'Dispute_stage', 'Status'])
})

test('shows date, amount, currency, status and type first, and amounts by their points', async () => {
  const page = await console.openAs(operator)
  const grid = await showReport(page, ALL_ROWS)
  const titles = await grid.getByRole('columnheader').allTextContents()
  expect(titles.slice(0, 5)).toEqual([
    'Created_date',
    'Amount',
    'Currency',
    'Status',
    'Transaction_type',
  ])
  const cells = await grid.locator('td:nth-child(3)').allTextContents()
  for (const cell of cells) expect(cell).toMatch(/^-?\d{1,3}(,\d{3})*[.\u2008][\d\u2007]{3}$/)
})

test('moves through the rows by keys', async () => {
  const page = await console.openAs(operator)
  const grid = await showReport(page, ALL_ROWS)
  await showEveryRow(page)
  const rows = Number(await grid.getAttribute('aria-rowcount')) - 1
  const activeRow = async () => {
    const id = await grid.getAttribute('aria-activedescendant')
    const row = page.locator(`[id="${id}"]`).locator('xpath=..')
    return [await row.getAttribute('aria-rowindex'), await row.isVisible()]
  }
  await grid.focus()
  await page.keyboard.press('End')
  await expect.poll(activeRow).toEqual([String(rows + 1), true])
  await page.keyboard.press('ArrowUp')
  await expect.poll(activeRow).toEqual([String(rows), true])
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await expect.poll(activeRow).toEqual(['3', true])
  const before = await grid.evaluate((box) => box.scrollTop)
  await page.keyboard.press('PageDown')
  await page.keyboard.press('PageDown')
  await expect.poll(() => grid.evaluate((box) => box.scrollTop)).toBeGreaterThan(before)
  await page.keyboard.press('Home')
  for (let column = 0; column < 8; column += 1) await page.keyboard.press('ArrowRight')
  await expect.poll(() => grid.evaluate((box) => box.scrollLeft)).toBeGreaterThan(0)
  await expectShown(page.locator('.cell-detail').getByText('Row 1 · Merchant_OID'))
})

test('finds every row that holds a text', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ALL_ROWS)
  await showEveryRow(page)
  const { text } = await ask(console.gateway, operator, { ...ALL_ROWS, reportFormat: 'JSONL' })
  const hits = text.split('\n').filter((line) => {
    return (
      line !== '' && Object.values(JSON.parse(line)).join('\n').toLowerCase().includes('chargeback')
    )
  }).length
  await page.getByRole('searchbox').fill('CHARGEBACK')
  await expectShown(page.getByText(`1 of ${hits.toLocaleString('en')} rows`))
  expect(await page.locator('.rows mark').first().innerText()).toBe('chargeback')
  await expectShown(page.locator('.cell-detail').getByText('· Transaction_type'))
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expectShown(page.getByText(`2 of ${hits.toLocaleString('en')} rows`))
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expectShown(page.getByText(`${hits} of ${hits.toLocaleString('en')} rows`))
  await page.getByRole('searchbox').fill('no such text')
  await expectShown(page.getByText('Not found'))
})

test('forgets the answers with the key', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ONE_DAY)
  await page.getByRole('button', { name: 'Forget my key' }).click()
  await connectAs(page, merchant)
  await expectShown(page.getByText('The report appears here.'))
  expect(await page.getByRole('grid').count()).toBe(0)
})

test('shows totals instead of rows', async () => {
  const page = await console.openAs(operator)
  const configurationReportParameters = [
    { type: 'INPUT_SELECT', name: 'totals', value: 'only' } as const,
    { type: 'INPUT_SELECT', name: 'quote', value: 'all' } as const,
  ]
  const grid = await showReport(page, { ...ALL_ROWS, configurationReportParameters })
  await expectShown(grid.getByRole('columnheader', { name: 'Currency' }))
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

test('the proof of a saved file does not stand above the first rows of a report', async () => {
  const page = await console.openAs(operator)
  await fillRequest(page, { ...ALL_ROWS, reportFormat: 'CSV' })
  await page.getByRole('button', { name: 'Download CSV' }).click()
  await expectShown(page.getByText(/^Complete:/))
  await page.getByRole('button', { name: 'Show the report' }).click()
  await expectShown(page.getByText('The first 1,000 rows. Show every row'))
  expect(await page.getByText(/^Complete:/).count()).toBe(0)
})

test('saves CSV, whose digest is proved', async () => {
  await expectSaved(console, operator, 'CSV')
})
