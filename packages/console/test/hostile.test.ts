// @module-tag long

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ask, parameters } from '../../gateway/test/kit/ask.ts'
import { HARD_TEXTS } from '../../gateway/test/kit/hard-texts.ts'
import { insertRows } from '../../gateway/test/kit/ledger-rows.ts'
import { readDraft } from '../page/report/read-draft.ts'
import { connectAs, expectAccessible, expectShown, serveConsole } from './kit/serve-console.ts'
import { ALL_ROWS, showReport } from './kit/show-report.ts'

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

const console = await serveConsole([1000])
const { merchant, operator } = console.sandbox.logins
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
const REQUEST = {
  ...ALL_ROWS,
  ...parameters({ dateFrom: '2026-10-20T10:00:00', dateTo: '2026-10-20T10:00:01' }),
  outputReportParameters: ['Order_description', 'Merchant_OID', 'Amount', 'Currency'],
}

test('no content of a report runs, every character of a cell is seen, and a long cell is cut', async () => {
  const page = await console.openAs(operator, { viewport: { width: 375, height: 740 } })
  const rows = await showReport(page, REQUEST)
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
