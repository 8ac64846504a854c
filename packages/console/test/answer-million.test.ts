// @module-tag long

import { CounterfoilClient } from '@counterfoil/client'
import { expect, test } from 'vitest'
import { expectShown, serveConsole } from './kit/serve-console.ts'
import { ALL_ROWS, showEveryRow, showReport } from './kit/show-report.ts'

const ROWS = 1_000_000

const console = await serveConsole([ROWS])
const { operator } = console.sandbox.logins

test('a table of a million rows shows each of them, and its memory stays below 300 MB', async () => {
  const page = await console.openAs(operator)
  const grid = await showReport(page, ALL_ROWS)
  await showEveryRow(page)
  const rows = Number(await grid.getAttribute('aria-rowcount')) - 1
  expect(rows).toBeGreaterThan(900_000)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize } = await devtools.send('Runtime.getHeapUsage')
  expect(usedSize + backingStorageSize).toBeLessThan(300e6)

  await grid.focus()
  await page.keyboard.press('End')
  await expectShown(page.locator(`[aria-rowindex="${rows + 1}"]`))
  await page.keyboard.press('ArrowUp')
  await expectShown(
    page.locator('.cell-detail').getByText(`Row ${(rows - 1).toLocaleString('en')} ·`),
  )
  await expectShown(page.getByText('Complete: the digest agrees with the manifest'))
})

test('a look at the first rows ends the report in the gateway', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ALL_ROWS)
  await expectShown(page.getByText('The first 1,000 rows. Show every row'))
  const { login, controlKey } = operator
  const client = new CounterfoilClient({
    endpoint: console.gateway.reportUrl,
    login,
    controlKey,
  })
  const lastOutcome = async () => (await client.runs({ limit: 1 })).runs[0]?.outcome
  await expect.poll(lastOutcome).toBe('aborted')
})

test('a file of a million rows is saved when it is proved', async () => {
  const page = await console.openAs(operator)
  await showReport(page, ALL_ROWS)
  const saved = page.waitForEvent('download', { timeout: 600_000 })
  await page.getByRole('button', { name: 'Download CSV' }).click()
  await saved
  await expectShown(page.getByRole('heading', { name: /^Saved transactions-list.*\.csv$/ }))
})
