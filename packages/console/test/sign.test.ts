// @module-tag long

import { createPrivateKey } from 'node:crypto'
import { importControlKey, importPrivateKey, sign } from '@counterfoil/signing'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { FORM_URL, fillForm } from './kit/fill-form.ts'
import { expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([6000])
const { merchant } = console.sandbox.logins

const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'

/** Opens the view with a request of a form, and its key. */
async function openForm(): Promise<Page> {
  const page = await console.open('#/sign')
  await fillForm(page, CONTROL_KEY)
  await page.getByLabel('Nonce', { exact: true }).fill('nonce-1')
  await page.getByLabel('Timestamp', { exact: true }).fill('1700000000')
  return page
}

/** Opens the view with a report request of the merchant to this gateway. */
async function openReport(): Promise<Page> {
  const page = await console.open('#/sign')
  await page.getByLabel('Login', { exact: true }).fill(merchant.login)
  await page.getByLabel('Control key', { exact: true }).fill(merchant.controlKey)
  await expectShown(page.getByRole('heading', { name: 'Write the header' }))
  return page
}

/** Copies the value of a step, as a person does. */
async function copy(page: Page, name: string | RegExp): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name }).click()
  return await page.evaluate<string>('navigator.clipboard.readText()')
}

test('shows the values that the library computes, for a form and a control key', async () => {
  const page = await openForm()
  const key = await importControlKey(CONTROL_KEY)
  const form = [
    ['amount', '10.42'],
    ['order_desc', 'Kaffee & Käse'],
  ] as const
  const signed = await sign(
    { method: 'POST', url: FORM_URL, form },
    { consumerKey: 'shop', key },
    { nonce: 'nonce-1', timestampSeconds: 1_700_000_000 },
  )
  expect(await copy(page, /Sort and join/)).toBe(signed.parameterString)
  expect(await copy(page, /Build the base string/)).toBe(signed.baseString)
  expect(await copy(page, /Sign the base string/)).toBe(signed.signature)
  expect(await copy(page, /Write the header/)).toBe(signed.authorization)
  expect(await copy(page, /Gather the parameters/)).toContain('form\tamount\t10.42')
  expect(await page.locator('.steps mark').allTextContents()).toContain('%25C3%25A4')
})

test.each(['pkcs1', 'pkcs8'] as const)('signs with an RSA key as %s', async (type) => {
  const pem = createPrivateKey(merchant.privateKey).export({ type, format: 'pem' }).toString()
  const page = await openForm()
  await page.getByLabel('RSA private key (RSA-SHA256)').check()
  await page.getByRole('textbox', { name: 'RSA private key' }).fill(`\n${pem}\n`)
  const key = await importPrivateKey(merchant.privateKey)
  await expectShown(page.getByText(`RSA 2048, ${key.fingerprint}`))
  await page.getByLabel('JSON').check()
  await page.getByLabel('Hash of the body').selectOption('SHA-256')
  await page.getByLabel('Realm').fill('shop')
  await expectShown(page.getByRole('heading', { name: 'Hash the body' }))
  const request = {
    method: 'POST',
    url: FORM_URL,
    contentType: 'application/json',
    body: '{"reportIdentifier":"transactions-list"}',
  }
  const { authorization } = await sign(
    request,
    { consumerKey: 'shop', key },
    { nonce: 'nonce-1', timestampSeconds: 1_700_000_000, realm: 'shop', bodyHash: 'SHA-256' },
  )
  await expect.poll(() => copy(page, /Write the header/)).toBe(authorization)
})

test('says what is wrong with a field, and shows no steps', async () => {
  const page = await openForm()
  await page.getByLabel('Timestamp', { exact: true }).fill('now')
  await expectShown(page.getByText('expected timestampSeconds as a number of whole seconds'))
  expect(await page.getByRole('heading', { name: 'Write the header' }).count()).toBe(0)
  await page.getByLabel('Timestamp', { exact: true }).fill('1700000000')
  await page.getByLabel('URL', { exact: true }).fill('/relative')
  await expectShown(page.getByText('expected an absolute http or https URL'))
})

test('works without a gateway', async () => {
  const page = await console.open()
  await page.route('**/.well-known/counterfoil', (route) => route.fulfill({ status: 503 }))
  await page.goto(`${console.address}#/sign`)
  await page.reload()
  await page.getByLabel('Login', { exact: true }).fill('shop')
  await page.getByLabel('Control key', { exact: true }).fill(CONTROL_KEY)
  await expectShown(page.getByRole('heading', { name: 'Write the header' }))
})

test("signs with the session's key, and forgets a typed key with it", async () => {
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Signature' }).click()
  await expectShown(page.getByText('The page uses the key that you connected with.'))
  await expectShown(page.getByRole('heading', { name: 'Write the header' }))
  await page.getByRole('button', { name: 'Use another key' }).click()
  await page.getByLabel('Control key', { exact: true }).fill(CONTROL_KEY)
  await page.getByRole('button', { name: 'Forget my key' }).click()
  await expectShown(page.getByText('Type a login and a key to see the steps.'))
  expect(await page.getByLabel('Control key', { exact: true }).inputValue()).toBe('')
})

test('shows the key only if asked, and not in the program', async () => {
  const page = await openReport()
  await expectShown(page.getByRole('region', { name: 'Copy as a program' }))
  expect(await page.locator('main').textContent()).not.toContain(merchant.controlKey)
  await page.getByRole('button', { name: 'Show the key' }).click()
  await expectShown(page.getByText(`${encodeURIComponent(merchant.controlKey)}&`))
})
