// @module-tag long

import { readFileSync } from 'node:fs'
import { OPERATIONS, type ReportRequest } from '@counterfoil/protocol'
import * as fc from 'fast-check'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ask, parameters } from '../../gateway/test/kit/ask.ts'
import { HARD_TEXTS } from '../../gateway/test/kit/hard-texts.ts'
import { insertRows } from '../../gateway/test/kit/ledger-rows.ts'
import { EVERY_REPORT } from '../../gateway/test/kit/sandbox.ts'
import { readDraft } from '../page/report/read-draft.ts'
import {
  connectAs,
  expectAccessible,
  expectAccessibleEverywhere,
  expectShown,
  serveConsole,
} from './kit/serve-console.ts'
import { ALL_ROWS, showReport } from './kit/show-report.ts'

const console = await serveConsole([1000, EVERY_REPORT])
const { merchant, operator } = console.sandbox.logins

describe('the form of a report', () => {
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
    await page.locator('summary', { hasText: 'How the file is written' }).click()
    await expectAccessibleEverywhere(page)
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
      return box ?? { x: 0, y: 0, width: 0, height: 0 }
    }
    const [from, to] = [await boxOf('From'), await boxOf('To (not included)')]
    expect(to.y).toBeGreaterThan(from.y + from.height + 8)
    expect(to.x + to.width).toBeLessThan(390)
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
    expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe(
      console.gateway.reportUrl,
    )
    const signed = await page.getByLabel('Text of the body').inputValue()
    expect(JSON.parse(signed)).toEqual(JSON.parse(request))
  })
})

describe('runs', () => {
  const REQUEST = {
    reportIdentifier: 'transactions-list',
    ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01' }),
    configurationReportParameters: parameters({ controlTotals: 'on' }).inputReportParameters,
  }

  async function openRuns() {
    const page = await console.openAs(merchant)
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    return page
  }

  test('shows the proof of a file, saves the signed manifest, and asks for the same again', async () => {
    const { trailers } = await ask(console.gateway, merchant, REQUEST)
    const page = await openRuns()
    const run = page.locator('details.run').first()
    await run.locator('summary').first().click()
    await expectShown(run.getByRole('region', { name: 'Control totals' }))
    await expectAccessibleEverywhere(page)
    const text = await run.innerText()
    const [, digest = ''] = /:(.+):/.exec(String(trailers['repr-digest'])) ?? []
    expect(text).toContain(Buffer.from(digest, 'base64').toString('hex'))
    expect(text).toContain(`${Number(trailers['counterfoil-rows']).toLocaleString('en')} rows`)
    const saved = page.waitForEvent('download')
    await run.getByRole('button', { name: 'Save the signed manifest' }).click()
    const manifest = readFileSync(await (await saved).path(), 'utf8')
    const jwks = await fetch(new URL('/.well-known/jwks.json', console.address))
    const keys = createLocalJWKSet((await jwks.json()) as JSONWebKeySet)
    const { payload } = await compactVerify(manifest, keys)
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({ login: merchant.login })
    await run.getByRole('button', { name: 'Same request again' }).click()
    await expectShown(page.getByRole('heading', { name: 'Ask for a report' }))
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-10-01')
    expect(await page.getByLabel('To (not included)').inputValue()).toBe('2026-11-01')
  })

  test('lists older runs on demand', async () => {
    const small = { ...REQUEST, ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-02' }) }
    for (let count = 0; count < 30; count += 1) await ask(console.gateway, merchant, small)
    const page = await openRuns()
    await page.locator('details.run').first().waitFor()
    const before = await page.locator('details.run').count()
    await page.getByRole('button', { name: 'Older runs' }).click()
    await expect.poll(() => page.locator('details.run').count()).toBeGreaterThan(before)
  })
})

describe('payments', () => {
  async function openPayments() {
    const page = await console.openAs(merchant)
    await page.getByRole('link', { name: 'Payments' }).click()
    await page.getByRole('heading', { name: 'Payments of the sandbox' }).waitFor()
    return page
  }

  test('sends an operation, and shows the answer and the signature', async () => {
    const page = await openPayments()
    await page.getByLabel('amount (required)').fill('10.42')
    await page.getByLabel('destination-card-no').fill('9001000000000000')
    await page.getByRole('button', { name: 'Send' }).click()
    await expectShown(page.getByText('The gateway accepted the operation.'))
    const shown = await page.getByRole('status').innerText()
    expect(shown).toMatch(/"client-order-id": "console-[0-9a-f]{8}"/)
    const next = await page.getByLabel('client_orderid (required)').inputValue()
    expect(next).toMatch(/^console-[0-9a-f]{8}$/)
    expect(shown).not.toContain(next)
    await page.getByRole('button', { name: 'Send' }).click()
    await expectShown(page.getByRole('status').getByText(next))
    await page.getByLabel(/^payout\b/).check()
    await expect.poll(() => page.getByText('The gateway accepted the operation.').count()).toBe(0)
    await page.getByLabel(/^transfer-by-ref\b/).check()
    await page.getByRole('button', { name: 'Show the signature' }).click()
    await expectShown(page.getByRole('heading', { name: 'Write the header' }))
    expect(await page.getByLabel('URL', { exact: true }).inputValue()).toMatch(
      /\/api\/v4\/transfer-by-ref\/\d+$/,
    )
  })

  test('says what is wrong with a value before it is sent, and has a form for each operation', async () => {
    const page = await openPayments()
    await expectShown(page.getByText(/^amount expected this field/))
    await page.getByLabel('amount (required)').fill('ten')
    await expectShown(page.locator('.fault'))
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    for (const name of Object.keys(OPERATIONS)) {
      await page.getByLabel(name, { exact: false }).first().check()
      await expectAccessibleEverywhere(page)
    }
  })
})

/** Texts that run in a page that takes a text for HTML, for a script, for a formula or for an object's own member. */
const HOSTILE = [
  '<img src=x onerror="globalThis.hacked=1">',
  '"><script>globalThis.hacked=1</script>',
  'javascript:globalThis.hacked=1',
  '=HYPERLINK("https://evil.example","x")',
  'exe.\u202egpj.tcejorp',
  '\u202Etxt.exe\u202C\u0000\u2028',
  '__proto__',
  'constructor',
]
const CELLS = [...HOSTILE, ...HARD_TEXTS]

await insertRows(
  console.gateway.engine,
  CELLS.map((description, index) => ({
    id: 4_000_000_000_000_000_000n + BigInt(index),
    createdAt: '2026-10-20 10:00:00.000',
    merchant: '1',
    amount: '-5.00',
    description,
    orderId: `hostile-${index}`,
  })),
)
const HOSTILE_ROWS = {
  ...ALL_ROWS,
  ...parameters({ dateFrom: '2026-10-20T10:00:00', dateTo: '2026-10-20T10:00:01' }),
  outputReportParameters: ['Order_description', 'Merchant_OID', 'Amount', 'Currency'],
}

test('no content of a report runs, every character of a cell is seen, and a long cell is cut', async () => {
  const page = await console.openAs(operator, { viewport: { width: 375, height: 740 } })
  const rows = await showReport(page, HOSTILE_ROWS)
  expect(await rows.locator('tbody tr').count()).toBe(CELLS.length)
  expect(await rows.innerText()).toContain('exe.U+202Egpj.tcejorp')
  const lengths = await rows.locator('td').evaluateAll((cells) => {
    return cells.map(({ textContent }) => textContent.length)
  })
  expect(Math.max(...lengths)).toBe(201)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Totals and charts' }).click()
  await page.locator('figcaption').waitFor()
})

test('a JSON text of any shape is read as a request or as faults', () => {
  const read = (text: string) => {
    const result = readDraft(text)
    return 'request' in result || result.faults.length > 0
  }
  expect(read('')).toBe(true)
  fc.assert(fc.property(fc.json({ maxDepth: 5 }), read))
  fc.assert(fc.property(fc.string(), read))
})

test('in every member of the request, a hostile text runs nothing', async () => {
  const page = await console.openAs(merchant)
  await page.getByText('The request as JSON').click()
  const body = page.getByLabel('Body of the request')
  for (const text of [...HOSTILE, 'x'.repeat(20_000)]) {
    const parameter = { type: 'INPUT_TEXT', name: text, value: text }
    const request = {
      reportIdentifier: 'transactions-list',
      reportName: text,
      reportEncode: text,
      reportFormat: text,
      reportCsvDelimiter: text,
      inputReportParameters: [parameter, { ...parameter, name: 'statuses' }],
      configurationReportParameters: [parameter],
      outputReportParameters: [text, parameter],
      filters: { currencies: [text], gates: [text] },
    }
    await body.fill(JSON.stringify(request))
    await body.blur()
    expect(JSON.parse(await body.inputValue())).toEqual(request)
    await body.fill(JSON.stringify({ ...request, reportIdentifier: text }))
    await body.fill(text)
  }
})

test('as a login and a key, and as the name of a run, a hostile text runs nothing', async () => {
  const [text = ''] = HOSTILE
  const stranger = await console.open()
  await connectAs(stranger, { login: text, controlKey: text })
  await expectShown(stranger.getByRole('alert'))
  await ask(console.gateway, merchant, { reportIdentifier: 'transactions-list', reportName: text })
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.locator('details.run > summary').first().click()
  await page.locator('details.run details > summary').first().click()
  expect(await page.locator('details.run').first().innerText()).toContain('onerror')
})
