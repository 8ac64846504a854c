// @module-tag long

import { OPERATIONS } from '@counterfoil/protocol'
import { importControlKey, sign } from '@counterfoil/signing'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { ask, LIST, parameters } from '../../gateway/test/kit/ask.ts'
import { EVERY_REPORT } from '../../gateway/test/kit/sandbox.ts'
import { fillForm } from './kit/fill-form.ts'
import { expectAccessible, expectShown, serveConsole } from './kit/serve-console.ts'
import { ALL_ROWS, showReport } from './kit/show-report.ts'

const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
const URL_SIGNED = 'https://gate.example.com/gate/api/v4/payout/1144?lang=de'
const FORM = 'amount=10.42&order_desc=Kaffee%20%26%20K%C3%A4se'

const console = await serveConsole([1000, EVERY_REPORT])
const { merchant, operator } = console.sandbox.logins

test('the form to connect is accessible', async () => {
  const page = await console.open('')
  await expectShown(page.getByRole('heading', { name: 'Connect' }))
  await expectAccessibleEverywhere(page)
})

test('the form is accessible with everything open', async () => {
  const page = await console.openAs(merchant)
  await page.getByRole('heading', { name: 'Ask for a report' }).waitFor()
  await page.getByText('The request as JSON').click()
  for (const name of ['More parameters', 'Filters', 'Columns', 'How the file is written']) {
    await page.locator('summary', { hasText: name }).click()
  }
  await expectAccessibleEverywhere(page)
})

test('rows, head and totals are accessible', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ALL_ROWS)
  for (const summary of await page.locator('.answer summary').all()) await summary.click()
  await expectAccessibleEverywhere(page)
})

test('a chart and its figures are accessible', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ALL_ROWS)
  await page.getByRole('button', { name: 'Totals and charts' }).click()
  await page.getByText('The figures as a table').click()
  await expectAccessibleEverywhere(page)
  await page.getByLabel('By', { exact: true }).selectOption('Status')
  await expectShown(page.locator('.bar-chart'))
  await expectAccessibleEverywhere(page)
})

test('a closed month is accessible', async () => {
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Close a month' }).click()
  await page.getByLabel('Month', { exact: true }).selectOption('2026-10')
  await page.getByRole('button', { name: 'Close the month' }).click()
  await expectShown(page.getByText('How this was proved'))
  await expectAccessibleEverywhere(page)
})

test('an opened run is accessible', async () => {
  await ask(console.gateway, merchant, {
    ...LIST,
    configurationReportParameters: parameters({ controlTotals: 'on' }).inputReportParameters,
  })
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.locator('details.run > summary').first().click()
  await expectShown(page.getByRole('region', { name: 'Control totals' }))
  await expectAccessibleEverywhere(page)
})

test('the form of each operation is accessible', async () => {
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByRole('heading', { name: 'Payments of the sandbox' }).waitFor()
  for (const name of Object.keys(OPERATIONS)) {
    await page.getByLabel(name, { exact: false }).first().check()
    await expectAccessibleEverywhere(page)
  }
})

test('the signature view is accessible, empty and with all its steps', async () => {
  const empty = await console.open('#/sign')
  await expectShown(empty.getByText('Type a login and a key to see the steps.'))
  await expectAccessibleEverywhere(empty)
  const page = await console.open('#/sign')
  await fillForm(page, CONTROL_KEY)
  await page.getByRole('button', { name: 'Show the key' }).click()
  await expectAccessibleEverywhere(page)
})

test('the diagnosis is accessible, empty and with a mistake', async () => {
  const empty = await console.open('#/diagnose')
  await expectShown(empty.getByText('The mistake appears here.'))
  await expectAccessibleEverywhere(empty)
  const page = await console.open('#/diagnose')
  await page.getByLabel(/^Authorization header/).fill(await signedForOtherUrl())
  await page.getByLabel('Control key', { exact: true }).fill(CONTROL_KEY)
  await page.getByRole('button', { name: 'Name the mistake' }).click()
  await expectShown(page.locator('.result .note'))
  await page.getByText('What the paste does not say').click()
  await expectAccessibleEverywhere(page)
})

/** Expects that axe finds nothing in light and dark, on a wide screen and on a telephone. */
async function expectAccessibleEverywhere(page: Page): Promise<void> {
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page, ['color-contrast'])
  await page.setViewportSize({ width: 375, height: 740 })
  await expectAccessible(page, ['color-contrast', 'scrollable-region-focusable', 'target-size'])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** The curl command line of a form that was signed for another URL. */
async function signedForOtherUrl(): Promise<string> {
  const url = URL_SIGNED.replace('https', 'http')
  const contentType = 'application/x-www-form-urlencoded'
  const key = await importControlKey(CONTROL_KEY)
  const request = { method: 'POST', url, contentType, body: FORM }
  const { authorization } = await sign(request, { consumerKey: 'shop', key })
  return `curl ${URL_SIGNED} \\\n  -H 'Authorization: ${authorization}' \\\n  -d '${FORM}'`
}
