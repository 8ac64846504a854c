import { OPERATIONS } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { expectAccessible, expectShown, SCREENS, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000])
const { merchant } = console.sandbox.logins

async function openPayments(options = {}) {
  const page = await console.openAs(merchant, options)
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByRole('heading', { name: 'Payments of the sandbox' }).waitFor()
  return page
}

describe.each(SCREENS)('%s', (_, options) => {
  test.each(Object.keys(OPERATIONS))('the form of %s is accessible', async (name) => {
    const page = await openPayments(options)
    await page.getByLabel(name, { exact: false }).first().check()
    await expectAccessible(page)
  })
})

test('sends an operation, and shows the answer', async () => {
  const page = await openPayments()
  await page.getByLabel('amount (required)').fill('10.42')
  await page.getByLabel('destination-card-no').last().fill('9001000000000000')
  await page.getByRole('button', { name: 'Send' }).click()
  await expectShown(page.getByText('The gateway accepted the operation.'))
  const shown = await page.getByRole('status').innerText()
  const [order = ''] = /console-[0-9a-f]{8}/.exec(shown) ?? []
  expect(await page.getByLabel('client_orderid (required)').inputValue()).toBe(order)
})

test('says what is wrong with a value before it is sent', async () => {
  const page = await openPayments()
  await page.getByLabel('amount (required)').fill('ten')
  await expectShown(page.locator('.fault'))
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
})
