// @module-tag long

import { expect, test } from 'vitest'
import { expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000])
const { merchant } = console.sandbox.logins

async function openPayments() {
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByRole('heading', { name: 'Payments of the sandbox' }).waitFor()
  return page
}

test('sends an operation, and shows the answer', async () => {
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
})

test('shows how the request of an operation is signed', async () => {
  const page = await openPayments()
  await page.getByLabel('amount (required)').fill('10.42')
  await page.getByLabel('destination-card-no').fill('9001000000000000')
  await page.getByRole('button', { name: 'Show the signature' }).click()
  await expectShown(page.getByRole('heading', { name: 'Write the header' }))
  expect(await page.getByLabel('URL', { exact: true }).inputValue()).toMatch(
    /\/api\/v4\/transfer-by-ref\/\d+$/,
  )
})

test('says what is wrong with a value before it is sent', async () => {
  const page = await openPayments()
  await expectShown(page.getByText(/^amount expected this field/))
  await page.getByLabel('amount (required)').fill('ten')
  await expectShown(page.locator('.fault'))
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
})
