// @module-tag long

import { afterAll, expect, test } from 'vitest'
import { serveInChild } from '../../gateway/test/kit/child-gateway.ts'
import { makeSandbox } from '../../gateway/test/kit/sandbox.ts'
import { launchChromium } from '../../signing/test/launch-chromium.ts'
import { connectAs, expectShown } from './kit/serve-console.ts'
import { ALL_ROWS, fillRequest } from './kit/show-report.ts'

// More bytes than the buffers between a gateway and a page hold.
const sandbox = await makeSandbox(80_000)
const gateway = await serveInChild(sandbox)
const browser = await launchChromium()
afterAll(async () => {
  gateway.kill('SIGKILL')
  await gateway.ended
  await browser.close()
  sandbox.remove()
})

test('a slow report shows how far it is, can be cancelled, and is not saved if its gateway is killed', async () => {
  const page = await browser.newPage()
  await page.goto(new URL('/console/', gateway.reportUrl).href)
  await connectAs(page, sandbox.logins.operator)
  await fillRequest(page, ALL_ROWS)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const slowDown = async (downloadThroughput: number) => {
    const conditions = { offline: false, latency: 50, uploadThroughput: downloadThroughput }
    await devtools.send('Network.emulateNetworkConditions', { ...conditions, downloadThroughput })
  }
  await slowDown(10_000)
  await page.getByRole('button', { name: 'Show the report' }).click()
  await expectShown(page.getByText(/^[\d,]+ rows · /))
  await expectShown(page.locator('.rows'))
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expectShown(page.getByText('Cancelled.'))
  await expectShown(page.getByText(/^Totals of the first [\d,]+ rows only/))
  await slowDown(500_000)
  let downloads = 0
  page.on('download', () => (downloads += 1))
  await page.getByRole('button', { name: 'Download CSV' }).click()
  await expectShown(page.getByText(/^\d.* [kM]B · /))
  gateway.kill('SIGKILL')
  await expectShown(page.getByRole('heading', { name: /^Not saved transactions-list.*\.csv/ }))
  await expectShown(page.getByText('The report is not complete.'))
  expect(downloads).toBe(0)
})
