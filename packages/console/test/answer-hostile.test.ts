// @module-tag long

import { expect, test } from 'vitest'
import { parameters } from '../../gateway/test/kit/ask.ts'
import { insertRows } from '../../gateway/test/kit/ledger-rows.ts'
import { HARD_TEXTS } from '../../gateway/test/kit/hard-texts.ts'
import { expectAccessible, serveConsole } from './kit/serve-console.ts'
import { ALL_ROWS, showReport } from './kit/show-report.ts'

const HOSTILE = [
  '<img src=x onerror="globalThis.hacked=1">',
  '<script>globalThis.hacked=1</script>',
  '"><svg onload=globalThis.hacked=1>',
  'javascript:globalThis.hacked=1',
  '=HYPERLINK("https://evil.example","x")',
  'exe.\u202egpj.tcejorp',
  '{{constructor.constructor("globalThis.hacked=1")()}}',
  ...HARD_TEXTS,
]

const console = await serveConsole([1000])
const { operator } = console.sandbox.logins
await insertRows(
  console.gateway.engine,
  HOSTILE.map((description, index) => ({
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

test('no content of a report runs, wherever it is shown', async () => {
  const page = await console.openAs(operator)
  const rows = await showReport(page, REQUEST)
  expect(await rows.locator('tbody tr').count()).toBe(HOSTILE.length)
  await page.getByRole('button', { name: 'Totals and charts' }).click()
  await page.locator('figcaption').waitFor()
})

test('every character of a cell is seen, and none turns its surroundings around', async () => {
  const page = await console.openAs(operator)
  const rows = await showReport(page, REQUEST)
  expect(await rows.innerText()).toContain('exe.U+202Egpj.tcejorp')
  await expectAccessible(page)
})

test('a cell of 100,000 characters is cut, and the page stays as wide as it was', async () => {
  const page = await console.openAs(operator, { viewport: { width: 375, height: 740 } })
  const rows = await showReport(page, REQUEST)
  const lengths = await rows.locator('td').evaluateAll((cells) => {
    return cells.map(({ textContent }) => textContent.length)
  })
  expect(Math.max(...lengths)).toBe(201)
  await expectAccessible(page)
})
