// @module-tag long

import { importControlKey, importPrivateKey, sign, signatureBaseString } from '@counterfoil/signing'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000])
const { gateway } = console
const { merchant } = console.sandbox.logins

const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
const URL_SENT = 'https://gate.example.com/gate/api/v4/payout/1144'
const FORM = 'amount=10.42&order_desc=Coffee%20%26%20cake'
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(1)</script>'=HYPERLINK(1)\u202E`
const key = await importControlKey(CONTROL_KEY)

/** The curl command line of a form that was signed for another URL. */
async function curlSignedFor(url: string): Promise<string> {
  const contentType = 'application/x-www-form-urlencoded'
  const request = { method: 'POST', url, contentType, body: FORM }
  const { authorization } = await sign(request, { consumerKey: 'shop', key })
  return `curl ${URL_SENT} \\\n  -H 'Authorization: ${authorization}' \\\n  -d '${FORM}'`
}

/** Opens the view, and asks for the mistake of what was pasted. */
async function examine(pasted: string, controlKey: string): Promise<Page> {
  const page = await console.open('#/diagnose')
  await page.getByLabel(/^Authorization header/).fill(pasted)
  await page.getByLabel('Control key', { exact: true }).fill(controlKey)
  await page.getByRole('button', { name: 'Name the mistake' }).click()
  return page
}

test('names the mistake of a curl command line, its fix, and the first difference', async () => {
  const page = await examine(await curlSignedFor(URL_SENT.replace('https', 'http')), CONTROL_KEY)
  const note = page.locator('.result .note')
  await expectShown(note)
  expect(await note.textContent()).toMatch(/http/)
  await expectShown(page.getByText('The base strings differ first at character 10, in the URL'))
  expect(await page.locator('mark').allTextContents()).toEqual(['s', '%'])
  await page.getByRole('button', { name: 'Show the right steps' }).click()
  await expectShown(page.getByRole('heading', { name: 'Signature' }))
  expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe(URL_SENT)
  expect(await page.getByLabel('Value 2').inputValue()).toBe('Coffee & cake')
  expect(await page.getByLabel('Login', { exact: true }).inputValue()).toBe('shop')
  await expectShown(page.getByRole('heading', { name: 'Write the header' }))
})

test('takes method, URL and body from the person if only the header was pasted', async () => {
  const rsa = await importPrivateKey(merchant.privateKey)
  const body = '{"reportIdentifier":"transactions-list"}'
  const request = { method: 'POST', url: gateway.reportUrl, body, contentType: 'application/json' }
  const { authorization } = await sign(
    request,
    { consumerKey: merchant.login, key: rsa },
    { bodyHash: 'SHA-256' },
  )
  const page = await console.open('#/diagnose')
  await page.getByLabel(/^Authorization header/).fill(`Authorization: ${authorization}\n`)
  await page.getByLabel('RSA private key (RSA-SHA256)').check()
  await page.getByRole('textbox', { name: 'RSA private key' }).fill(merchant.privateKey)
  await page.getByText('What the paste does not say').click()
  await page.getByLabel('Body').fill(`${body}\n`)
  const submit = page.getByRole('button', { name: 'Name the mistake' })
  await submit.click()
  await expectShown(page.locator('.result .note.bad'))
  await page.getByLabel('Body').fill(body)
  await submit.click()
  await expectShown(page.getByText(/^The signature is right/))
})

test('compares base strings without a key', async () => {
  const { authorization } = await sign(
    { method: 'POST', url: URL_SENT },
    { consumerKey: 'shop', key },
    { nonce: 'n', timestampSeconds: 1_700_000_000 },
  )
  const wrong = signatureBaseString({ method: 'POST', url: URL_SENT, parameterString: 'x=1' })
  const page = await console.open('#/diagnose')
  await page.getByLabel(/^Authorization header/).fill(authorization)
  await page.getByText('What the paste does not say').click()
  await page.getByLabel('URL', { exact: true }).fill(URL_SENT)
  await page.getByLabel(/^The base string/).fill(`${wrong}\n`)
  await page.getByRole('button', { name: 'Name the mistake' }).click()
  await expectShown(page.getByText(/The base strings differ first at character \d+, in/))
  expect(await page.locator('mark').allTextContents()).toEqual(['o', 'x'])
})

test('hostile texts run nothing, and nothing is sent', async () => {
  const { authorization } = await sign(
    { method: 'POST', url: URL_SENT },
    { consumerKey: HOSTILE, key },
  )
  const page = await console.open('#/diagnose')
  await expectShown(page.getByRole('heading', { name: 'Diagnosis' }))
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  const show = page.getByRole('button', { name: 'Name the mistake' })
  await page.getByLabel('Control key', { exact: true }).fill(HOSTILE)
  await page.getByLabel(/^The base string/).fill(HOSTILE.repeat(20))
  await page.getByText('What the paste does not say').click()
  for (const pasted of [HOSTILE, authorization, `curl '${HOSTILE}'`, `{"request":"${HOSTILE}"}`]) {
    await page.getByLabel(/^Authorization header/).fill(pasted)
    await page.getByLabel('Body').fill(HOSTILE)
    await show.click()
    await expectShown(page.locator('.result > *'))
  }
  expect(sent).toEqual([])
})
