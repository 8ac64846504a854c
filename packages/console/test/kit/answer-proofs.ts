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
  const shown = await totalsIn(page)
  const recorded = totalsOf(runs[0]?.controlTotals ?? [])
  const money = report?.columns.filter(({ kind }) => kind === 'money').map(({ name }) => name) ?? []
  const declared = report?.totals?.columns.filter((name) => money.includes(name)) ?? []
  const isDeclared = ([key]: readonly [string, unknown]) =>
    declared.includes(key.split(' ')[0] ?? '')
  expect(new Map([...shown].filter(isDeclared))).toEqual(new Map([...recorded].filter(isDeclared)))
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

/** Reads the totals that a page shows, and adds up those of one column and currency. */
export async function totalsIn(page: Page): Promise<Totals> {
  const table = page.locator('details.totals table')
  const titles = await table.locator('th').allTextContents()
  const currencyAt = titles.findIndex((title) => /currency$/i.test(title))
  const rows = await table
    .locator('tbody tr')
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent)))
  return sumsOf(
    rows.map((cells) => {
      const [column = '', amounts = '', sum = ''] = cells.slice(-3)
      const numberOf = (text: string) => Number(text.replaceAll(',', ''))
      return {
        column,
        currency: cells[currencyAt] ?? '',
        amounts: numberOf(amounts),
        sum: numberOf(sum),
      }
    }),
  )
}

/** Returns the totals of a manifest as `totalsIn` reads them. */
export function totalsOf(totals: NonNullable<Run['controlTotals']>): Totals {
  return sumsOf(totals.map((total) => ({ ...total, sum: Number(total.sum) })))
}

/** The number of amounts, and their sum in thousandths, by column and currency. */
type Totals = ReadonlyMap<string, readonly [amounts: number, sum: number]>

function sumsOf(
  totals: readonly {
    readonly column: string
    readonly currency: string
    readonly amounts: number
    readonly sum: number
  }[],
): Totals {
  const sums = new Map<string, readonly [number, number]>()
  for (const { column, currency, amounts, sum } of totals) {
    const [before, thousandths] = sums.get(`${column} ${currency}`) ?? [0, 0]
    sums.set(`${column} ${currency}`, [before + amounts, thousandths + Math.round(sum * 1000)])
  }
  return sums
}
