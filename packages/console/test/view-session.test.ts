// @module-tag long

import { expect, test } from 'vitest'
import { viewerOf } from '../../gateway/test/kit/view-session.ts'
import { connectAs, expectShown, serveConsole } from './kit/serve-console.ts'

const CHANGE = { console: { viewSessions: { minutes: 5 } } }

const console = await serveConsole([1000], CHANGE)
const { merchant } = console.sandbox.logins
const viewer = await viewerOf(console.gateway, CHANGE)

test('a one-time link shows the reports of its login, without a key', async () => {
  const { token } = await viewer.link(merchant.login)
  const page = await console.open(`#link=${token}`)
  await expectShown(page.getByText(merchant.login, { exact: true }))
  await expectShown(page.getByRole('heading', { name: 'Ask for a report' }))
  expect(page.url()).toBe(console.address)
  await expectShown(page.getByRole('navigation').getByText('Runs'))
  expect(await page.getByRole('link', { name: 'Payments' }).count()).toBe(0)
})

test('the session outlives a reload, and ends when the person ends it', async () => {
  const { token } = await viewer.link(merchant.login)
  const page = await console.open(`#link=${token}`)
  await page.getByText(merchant.login, { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'End the session' }).click()
  await expectShown(page.getByRole('heading', { name: 'Connect' }))
  await expect.poll(() => page.context().cookies()).toEqual([])
  await page.reload()
  await expectShown(page.getByRole('heading', { name: 'Connect' }))
})

test('a link opens in a tab that shows the console already', async () => {
  const { token } = await viewer.link(merchant.login)
  const page = await console.openAs(merchant)
  await page.getByText(merchant.login, { exact: true }).waitFor()
  await page.goto(`${console.address}#link=${token}`)
  await expectShown(page.getByRole('button', { name: 'End the session' }))
  expect(page.url()).toBe(console.address)
})

test('a link that is of no use leaves the key that the tab remembers', async () => {
  const page = await console.open()
  await page.getByLabel('Remember the key until I close this tab').check()
  await connectAs(page, merchant)
  await page.getByText(merchant.login, { exact: true }).waitFor()
  await page.goto(`${console.address}#link=${'A'.repeat(43)}`)
  await expectShown(page.getByText('The link is unknown, used or expired.'))
  await page.reload()
  await expectShown(page.getByRole('button', { name: 'Forget my key' }))
})

test('a link works once', async () => {
  const { token } = await viewer.link(merchant.login)
  const first = await console.open(`#link=${token}`)
  await first.getByText(merchant.login, { exact: true }).waitFor()
  const second = await console.open(`#link=${token}`)
  await expectShown(second.getByText('The link is unknown, used or expired.'))
  expect(second.url()).toBe(console.address)
})
