// @module-tag long

import { expect, test } from 'vitest'
import { parameters } from '../../gateway/test/kit/ask.ts'
import { clientOf, expectSaved, ONE_DAY, totalsIn, totalsOf } from './kit/answer-proofs.ts'
import { connectAs, expectShown, serveConsole } from './kit/serve-console.ts'
import { ALL_ROWS, fillRequest, showReport, showTotals } from './kit/show-report.ts'

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

test('shows the first rows only, and says so', async () => {
  const page = await console.openAs(operator)
  const rows = await showReport(page, ALL_ROWS)
  expect(await rows.locator('tbody tr').count()).toBe(1000)
  await expectShown(page.getByText('Totals of the first 1,000 rows only'))
  await expectShown(page.getByText('The first 1,000 rows. The view of totals reads all'))
  const amounts = await rows.locator('td:nth-child(5)').allTextContents()
  for (const amount of amounts) expect(amount).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/)
})

test('sums every row on demand, with the control totals of the manifest', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ALL_ROWS)
  await showTotals(page)
  const { runs } = await client.runs({ limit: 1 })
  const { file, controlTotals = [] } = runs[0] ?? {}
  expect(await totalsIn(page)).toEqual(totalsOf(controlTotals))
  expect(file?.rows).toBeGreaterThan(1000)
})

test('sums amounts by type, stage, status and currency, and never over all of them', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ONE_DAY)
  const titles = await page.locator('details.totals th').allTextContents()
  expect(titles.slice(0, -2)).toEqual(['Currency', 'Transaction_type', 'Dispute_stage', 'Status'])
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

test('saves CSV, whose digest is proved', async () => {
  await expectSaved(console, operator, 'CSV')
})
