// @module-tag long

import { expect, test } from 'vitest'
import { parameters } from '../../gateway/test/kit/ask.ts'
import { insertRows } from '../../gateway/test/kit/ledger-rows.ts'
import { HARD_TEXTS } from '../../gateway/test/kit/hard-texts.ts'
import { expectAccessible, expectShown, serveConsole } from './kit/serve-console.ts'
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
  const grid = await showReport(page, REQUEST)
  await grid.focus()
  for (let row = 0; row < HOSTILE.length; row += 1) await page.keyboard.press('ArrowDown')
  await page.getByRole('searchbox').fill('<')
  await expectShown(page.getByText(/^1 of \d+ rows$/))
  await page.getByRole('button', { name: 'Charts' }).click()
  await page.locator('figcaption').waitFor()
})

test('every character of a cell is seen, and none turns its surroundings around', async () => {
  const page = await console.openAs(operator)
  await showReport(page, REQUEST)
  await page.getByRole('searchbox').fill('tcejorp')
  await expectShown(page.getByText('1 of 1 row', { exact: true }))
  await page.getByRole('gridcell', { name: 'exe.' }).click()
  const detail = page.locator('.cell-detail')
  await expect.poll(() => detail.innerText()).toContain('exe.U+202Egpj.tcejorp')
  await expectAccessible(page)
})

test('a cell of 100,000 characters is cut, and the page stays as wide as it was', async () => {
  const page = await console.openAs(operator, { viewport: { width: 375, height: 740 } })
  await showReport(page, REQUEST)
  await page.getByRole('searchbox').fill('xxxxxxxx')
  await expectShown(page.getByText('1 of 1 row', { exact: true }))
  const lengths = await page.locator('.rows td').evaluateAll((cells) => {
    return cells.map(({ textContent }) => textContent.length)
  })
  expect(Math.max(...lengths)).toBe(201)
  await expectAccessible(page)
})

test('copies rows as TSV: texts without formulas, amounts as they are', async () => {
  const page = await console.openAs(operator, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const grid = await showReport(page, REQUEST)
  await page.getByRole('button', { name: 'Copy all as TSV' }).click()
  await expectShown(page.getByText(`${HOSTILE.length} rows copied as TSV`))
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toContain(`"'=HYPERLINK(""https://evil.example"",""x"")"\thostile-4`)
  expect(copied).toContain('-5\tEUR\t')
  await grid.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Control+c')
  await expectShown(page.getByText('2 rows copied as TSV'))
  const two = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(
    two
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split('\t').find((text) => text.startsWith('hostile-'))),
  ).toEqual(['hostile-0', 'hostile-1'])
})
