import type { ReportRequest } from '@counterfoil/protocol'
import type { Locator, Page } from 'playwright-core'
import { parameters } from '../../../gateway/test/kit/ask.ts'
import { expectShown } from './serve-console.ts'

/** Every transaction of a sandbox. */
export const ALL_ROWS: ReportRequest = {
  reportIdentifier: 'transactions-list',
  ...parameters({ dateFrom: '2020-01-01', dateTo: '2030-01-01' }),
}

/** Puts a request into the form. */
export async function fillRequest(page: Page, request: ReportRequest): Promise<void> {
  const body = page.getByLabel('Body of the request')
  await page.getByRole('heading', { name: 'Ask for a report' }).waitFor()
  if (!(await body.isVisible())) await page.getByText('The request as JSON').click()
  await body.fill(JSON.stringify(request))
  await body.blur()
}

/** Sends a request from the form, and waits until its rows are there. */
export async function showReport(page: Page, request: ReportRequest): Promise<Locator> {
  await fillRequest(page, request)
  await page.getByRole('button', { name: 'Show the report' }).click()
  await page.getByText(/^Totals of|^The report has no rows/).waitFor()
  return page.getByRole('region', { name: 'Rows of the report' })
}

/** Shows the totals of the complete report. */
export async function showTotals(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Totals and charts' }).click()
  await expectShown(page.getByText('Totals of all rows'))
}
