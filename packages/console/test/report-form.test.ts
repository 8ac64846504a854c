// @module-tag long

import type { ReportRequest } from '@counterfoil/protocol'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ask } from '../../gateway/test/kit/ask.ts'
import { EVERY_REPORT } from '../../gateway/test/kit/sandbox.ts'
import { expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000, EVERY_REPORT])
const { merchant } = console.sandbox.logins

async function openForm(options = {}): Promise<Page> {
  const page = await console.openAs(merchant, options)
  await page.getByRole('heading', { name: 'Ask for a report' }).waitFor()
  await page.getByText('The request as JSON').click()
  return page
}

const bodyOf = (page: Page) => page.getByLabel('Body of the request')

async function requestOf(page: Page): Promise<ReportRequest> {
  return JSON.parse(await bodyOf(page).inputValue())
}

function valuesOf({ inputReportParameters = [] }: ReportRequest): Record<string, string> {
  return Object.fromEntries(inputReportParameters.map(({ name, value }) => [name, value]))
}

test('every report of the catalogue gets a request that the gateway accepts', async () => {
  const page = await openForm({ timezoneId: 'Europe/Riga' })
  const select = page.getByLabel('Report', { exact: true })
  const identifiers = await select.locator('option').evaluateAll((options) => {
    return options.map((option) => option.getAttribute('value') ?? '')
  })
  expect(identifiers.length).toBeGreaterThanOrEqual(EVERY_REPORT.length)
  for (const identifier of identifiers) {
    await select.selectOption(identifier)
    const request = await requestOf(page)
    expect(request.reportIdentifier).toBe(identifier)
    const { status, headers } = await ask(console.gateway, merchant, request)
    expect([identifier, status, headers['content-type']?.split(';')[0]]).toEqual([
      identifier,
      200,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ])
  }
})

test('a change of the form changes the JSON', async () => {
  const page = await openForm()
  await page.getByLabel('Report', { exact: true }).selectOption('transactions-list')
  await page.getByLabel('From', { exact: true }).fill('2026-10-01')
  await page.getByLabel('To (not included)').fill('2026-10-02')
  await page.getByLabel('Time zone', { exact: true }).fill('Asia/Tokyo')
  await page.getByLabel('PDF').check()
  await page.getByText('More parameters').click()
  await page.getByRole('group', { name: 'statuses' }).getByLabel('declined').check()
  await page.getByRole('group', { name: 'statuses' }).getByLabel('approved').check()
  await page.locator('summary', { hasText: 'Filters' }).click()
  await page.locator('summary', { hasText: 'Currencies' }).click()
  await page.getByRole('checkbox', { name: 'EUR', exact: true }).check()
  await page.getByRole('checkbox', { name: 'USD', exact: true }).check()
  await page.locator('summary', { hasText: 'Columns' }).click()
  await page.getByRole('checkbox', { name: /^Card_brand\b/ }).check()
  const request = await requestOf(page)
  expect(valuesOf(request)).toEqual({
    dateFrom: '2026-10-01',
    dateTo: '2026-10-02',
    timezone: 'Asia/Tokyo',
    statuses: 'approved,declined',
  })
  expect(request.reportFormat).toBe('PDF')
  expect(request.filters).toEqual({ currencies: ['EUR', 'USD'] })
  expect(request.outputReportParameters).toEqual(expect.arrayContaining(['Status', 'Card_brand']))
})

test('filters are chosen by name, and keep ids of the past', async () => {
  const page = await openForm()
  await page.locator('summary', { hasText: 'Filters' }).click()
  await page.locator('summary', { hasText: 'Gates' }).click()
  const gates = page.getByRole('group', { name: 'Gates' })
  await gates.getByRole('checkbox').first().check()
  const { filters } = await requestOf(page)
  expect(filters).toEqual({ gates: [expect.stringMatching(/^\d+$/)] })
  await bodyOf(page).fill(
    JSON.stringify({ reportIdentifier: 'transactions-list', filters: { gates: [987654] } }),
  )
  await gates.getByRole('checkbox', { name: '987654' }).click()
  await bodyOf(page).blur()
  expect((await requestOf(page)).filters).toBeUndefined()
})

test('shows people words for the parameters, and the date axis beside the period', async () => {
  const page = await openForm()
  await page.getByLabel('The period goes by').selectOption({ label: 'the day of settlement' })
  expect(valuesOf(await requestOf(page))).toMatchObject({ dateAxis: 'settled' })
  await page.getByLabel('CSV').check()
  await page.getByText('How the file is written').click()
  const text = await page.locator('form.request').innerText()
  expect(text).not.toMatch(/unencodable|neutralise|decimalSeparator/)
  await page
    .getByLabel('Texts that begin like a formula')
    .selectOption({ label: 'get an apostrophe' })
  expect((await requestOf(page)).configurationReportParameters).toEqual([
    expect.objectContaining({ name: 'neutralise', value: 'on' }),
  ])
})

test('a telephone keeps the date fields apart, and most of its screen for the content', async () => {
  const page = await openForm({ viewport: { width: 390, height: 844 } })
  const boxOf = async (label: string) => {
    const box = await page.getByLabel(label, { exact: true }).boundingBox()
    return {
      right: (box?.x ?? 0) + (box?.width ?? 0),
      ...box,
      y: box?.y ?? 0,
      height: box?.height ?? 0,
    }
  }
  const [from, to] = [await boxOf('From'), await boxOf('To (not included)')]
  expect(to.y).toBeGreaterThan(from.y + from.height + 8)
  expect(to.right).toBeLessThan(390)
  const top = await page.locator('.top').boundingBox()
  expect(top?.height).toBeLessThan(90)
})

test('a change of the JSON changes the form', async () => {
  const page = await openForm()
  const request: ReportRequest = {
    reportIdentifier: 'transactions-list',
    reportFormat: 'XLSX',
    inputReportParameters: [
      { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-03' },
      { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-10-04T12:00:00' },
    ],
  }
  await bodyOf(page).fill(JSON.stringify(request))
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-10-03')
  expect(await page.getByLabel('To (not included)').inputValue()).toBe('2026-10-04T12:00:00')
  expect(await page.getByLabel('XLSX').isChecked()).toBe(true)
  await bodyOf(page).blur()
  expect(await requestOf(page)).toEqual(request)
})

test.each([
  ['{', 'Expected JSON'],
  [
    '{"reportIdentifier": "transactions-list", "filter": {}}',
    'At /filter: expected no such member, but reportIdentifier',
  ],
])('says what is wrong with the JSON %s', async (text, expected) => {
  const page = await openForm()
  await bodyOf(page).fill(text)
  await expectShown(page.getByText(expected))
  expect(await page.getByRole('button', { name: 'Show the report' }).isDisabled()).toBe(true)
})

test('shows what the gateway says of a value, beside its control', async () => {
  const page = await openForm()
  await page.getByLabel('Report', { exact: true }).selectOption('daily-totals')
  await page.getByLabel('To (not included)').fill('2020-01-01')
  await page.getByLabel('Time zone', { exact: true }).fill('Berlin')
  await page.getByRole('button', { name: 'Show the report' }).click()
  const faults = page.locator('form.request .fault')
  await expectShown(faults.getByText(/IANA/))
  expect(await page.getByLabel('Time zone', { exact: true }).getAttribute('aria-invalid')).toBe(
    'true',
  )
  await page.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin')
  expect(await faults.count()).toBe(0)
  await page.getByRole('button', { name: 'Show the report' }).click()
  await expectShown(page.locator('.answer').getByText('expected a dateTo that is after dateFrom'))
})

test('opens the request in the signature view', async () => {
  const page = await openForm()
  const request = await bodyOf(page).inputValue()
  const signature = page.getByRole('button', { name: 'Show the signature' })
  if (!(await signature.isVisible())) await page.getByText('The request as JSON').click()
  await signature.click()
  await expectShown(page.getByRole('heading', { name: 'Signature', level: 1 }))
  expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe(console.gateway.reportUrl)
  const signed = await page.getByLabel('Text of the body').inputValue()
  expect(JSON.parse(signed)).toEqual(JSON.parse(request))
})
