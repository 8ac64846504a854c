// @module-tag long

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EVERY_REPORT } from '../../gateway/test/kit/sandbox.ts'
import { clientOf } from './kit/answer-proofs.ts'
import { connectAs, expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([24_000, EVERY_REPORT])
const { merchant, operator, reseller } = console.sandbox.logins

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
    rows.map(([name = '', ...sums]) => [name, sums.map((sum) => Number(sum.replaceAll(',', '')))]),
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
  const { runs } = await clientOf(console, merchant).runs({ limit: 1 })
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
})

test('a reseller closes a month without statements by turnover and commission', async () => {
  const { figures } = await closeOctober(reseller)
  expect([...figures.keys()]).toEqual(['Turnover', 'Fees', 'Commission'])
})

test('says that a month has no statements', async () => {
  const page = await console.open()
  await page.route('**/catalogue', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(
      /"statements":"[^"]+"/,
      '"statements":"2001-01-15"',
    )
    await route.fulfill({ response, body })
  })
  await connectAs(page, merchant)
  await page.getByRole('link', { name: 'Close a month' }).click()
  expect(await page.getByLabel('Month', { exact: true }).inputValue()).toBe('2001-01')
  await page.getByRole('button', { name: 'Close the month' }).click()
  await expectShown(page.getByText('No statement has a day in this month.'))
})
