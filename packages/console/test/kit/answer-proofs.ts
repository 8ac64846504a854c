import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CounterfoilClient } from '@counterfoil/client'
import type { Run } from '@counterfoil/protocol'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { parameters } from '../../../gateway/test/kit/ask.ts'
import type { Login } from '../../../gateway/test/kit/sandbox.ts'
import { expectShown, type ServedConsole } from './serve-console.ts'
import { ALL_ROWS, fillRequest, showEveryRow, showReport } from './show-report.ts'

/** The transactions of one day. */
export const ONE_DAY = {
  ...ALL_ROWS,
  ...parameters({ dateFrom: '2026-10-05', dateTo: '2026-10-06' }),
}

/** Creates a client of the console's gateway. */
export function clientOf(
  { gateway }: ServedConsole,
  { login, controlKey }: Login,
): CounterfoilClient {
  return new CounterfoilClient({ endpoint: gateway.reportUrl, login, controlKey })
}

/** Shows the example of a report, and expects the control totals of its manifest. */
export async function expectTotals(
  console: ServedConsole,
  login: Login,
  reportIdentifier: string,
): Promise<void> {
  const page = await console.openAs(login)
  const client = clientOf(console, login)
  const { reports } = await client.catalogue()
  const report = reports.find((one) => one.reportIdentifier === reportIdentifier)
  await showReport(page, report?.example ?? { reportIdentifier })
  if (await page.getByRole('button', { name: 'Show every row' }).isVisible()) {
    await showEveryRow(page)
  }
  const { runs } = await client.runs({ limit: 1 })
  expect(runs[0]).toMatchObject({ reportIdentifier, outcome: 'complete' })
  expect(await totalsIn(page)).toEqual(totalsOf(runs[0]?.controlTotals ?? []))
}

/** Saves a report, and expects that the page proves its digest. */
export async function expectSaved(
  console: ServedConsole,
  login: Login,
  format: string,
): Promise<void> {
  const page = await console.openAs(login)
  await fillRequest(page, { ...ONE_DAY, reportFormat: format, reportName: 'one-day' })
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: `Download ${format}` }).click()
  const file = await saved
  expect(file.suggestedFilename()).toBe(`one-day.${format.toLowerCase()}`)
  await expectShown(page.getByRole('heading', { name: `Saved one-day.${format.toLowerCase()}` }))
  const agreed = format === 'CSV' ? 'digest and row count agree' : 'the digest agrees'
  await expectShown(page.getByText(`Complete: ${agreed} with the manifest`))
  const bytes = readFileSync(await file.path())
  const { runs } = await clientOf(console, login).runs({ limit: 1 })
  expect(createHash('sha256').update(bytes).digest('base64')).toBe(runs[0]?.file?.sha256)
}

/** Reads the totals that a page shows, by column and currency. */
export async function totalsIn(page: Page) {
  const rows = await page.locator('details.totals tbody tr').all()
  const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()))
  return new Map(
    cells.map(([column, currency, amounts = '', sum]) => {
      return [`${column} ${currency}`, [Number(amounts.replaceAll(',', '')), Number(sum)]]
    }),
  )
}

/** Returns the totals of a manifest as `totalsIn` reads them. */
export function totalsOf(totals: NonNullable<Run['controlTotals']>) {
  return new Map(
    totals.map(({ column, currency, amounts, sum }) => {
      return [`${column} ${currency}`, [amounts, Number(sum)]]
    }),
  )
}
