// @module-tag long

import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { serveInChild } from '../../gateway/test/kit/child-gateway.ts'
import { makeSandbox } from '../../gateway/test/kit/sandbox.ts'
import { launchChromium } from '../../signing/test/launch-chromium.ts'
import { connectAs, expectShown } from './kit/serve-console.ts'
import { ALL_ROWS, fillRequest } from './kit/show-report.ts'

// More bytes than the buffers between a gateway and a page hold.
const sandbox = await makeSandbox(80_000)
const browser = await launchChromium()
afterAll(async () => {
  await browser.close()
  sandbox.remove()
})

/** Opens the console of a gateway in a process of its own, with a connection of some bytes a second. */
async function openSlowly(reportUrl: string, bytesPerSecond: number): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(new URL('/console/', reportUrl).href)
  await connectAs(page, sandbox.logins.operator)
  await fillRequest(page, ALL_ROWS)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 50,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  return page
}

test('saves nothing of a report whose gateway is killed, and says why', async () => {
  const gateway = await serveInChild(sandbox)
  try {
    const page = await openSlowly(gateway.reportUrl, 500_000)
    let downloads = 0
    page.on('download', () => (downloads += 1))
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await expectShown(page.getByText(/^\d.* [kM]B · /))
    gateway.kill('SIGKILL')
    await expectShown(page.getByRole('heading', { name: /^Not saved transactions-list.*\.csv/ }))
    await expectShown(page.getByText('The report is not complete.'))
    expect(downloads).toBe(0)
    await page.close()
  } finally {
    gateway.kill('SIGKILL')
    await gateway.ended
  }
})

test('a slow report shows how far it is, and can be cancelled', async () => {
  const gateway = await serveInChild(sandbox)
  try {
    const page = await openSlowly(gateway.reportUrl, 10_000)
    await page.getByRole('button', { name: 'Show the report' }).click()
    await expectShown(page.getByText(/^[\d,]+ rows · /))
    await expectShown(page.locator('.rows'))
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expectShown(page.getByText('Cancelled.'))
    await expectShown(page.getByText(/^Totals of the first [\d,]+ rows only/))
    await page.close()
  } finally {
    gateway.kill('SIGTERM')
    await gateway.ended
  }
})
