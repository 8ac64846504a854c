// @module-tag long

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ask } from '../../gateway/test/kit/ask.ts'
import { readDraft } from '../page/report/draft.ts'
import { connectAs, expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000])
const { merchant } = console.sandbox.logins

/** Texts that run in a page that takes a text for HTML, for a script, for a formula or for an object's own member. */
const HOSTILE = [
  '<img src=x onerror="globalThis.hacked = 1">',
  '"><script>globalThis.hacked = 1</script>',
  'javascript:globalThis.hacked=1',
  '=HYPERLINK("http://evil.example","x")',
  '\u202Etxt.exe\u202C\u0000\u2028',
  '__proto__',
  'constructor',
  'x'.repeat(20_000),
]

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
  for (const text of HOSTILE) {
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

test('as a login and a key, a hostile text runs nothing', async () => {
  const page = await console.open()
  for (const text of HOSTILE) {
    await connectAs(page, { login: text, controlKey: text })
    await expectShown(page.getByRole('alert'))
  }
})

test('a run whose report has a hostile name runs nothing', async () => {
  const [name = ''] = HOSTILE
  await ask(console.gateway, merchant, { reportIdentifier: 'transactions-list', reportName: name })
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.locator('details.run > summary').first().click()
  await page.locator('details.run details > summary').first().click()
  expect(await page.locator('details.run').first().innerText()).toContain('onerror')
})
