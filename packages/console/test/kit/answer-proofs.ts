import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CounterfoilClient } from '@counterfoil/client'
import type { ControlTotal } from '@counterfoil/protocol'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { parameters } from '../../../gateway/test/kit/ask.ts'
import type { Login } from '../../../gateway/test/kit/sandbox.ts'
import { expectShown, type ServedConsole } from './serve-console.ts'
import { ALL_ROWS, fillRequest, showReport, showTotals } from './show-report.ts'

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
  await showTotals(page)
  const { runs } = await client.runs({ limit: 1 })
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
  expect(file.suggestedFilename()).toBe(`one-day_2026-10-05.${format.toLowerCase()}`)
  await expectShown(
    page.getByRole('heading', { name: `Saved one-day_2026-10-05.${format.toLowerCase()}` }),
  )
  const agreed = format === 'CSV' ? 'digest and row count agree' : 'the digest agrees'
  await expectShown(page.getByText(`Complete: ${agreed} with the manifest`))
  const bytes = readFileSync(await file.path())
  const { runs } = await clientOf(console, login).runs({ limit: 1 })
  expect(createHash('sha256').update(bytes).digest('base64')).toBe(runs[0]?.file?.sha256)
}

/** Reads the totals that a page shows, and adds up those of one column and currency. */
export async function totalsIn(page: Page): Promise<Totals> {
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
export function totalsOf(
  totals: readonly Pick<ControlTotal, 'column' | 'currency' | 'sum'>[],
): Totals {
  const sums = new Map<string, number>()
  for (const { column, currency, sum } of totals) {
    const key = `${column} ${currency}`
    sums.set(key, (sums.get(key) ?? 0) + Math.round(Number(sum) * 1000))
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0))
}
