// @module-tag long

import { execFile } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { importControlKey, importPrivateKey, sign, signatureBaseString } from '@counterfoil/signing'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '../../signing/test/is-installed.ts'
import type { TypedKey } from '../page/controls/typed-key.ts'
import { curlProgram } from '../page/sign/curl-program.ts'
import { type Draft, signDraft } from '../page/sign/sign-draft.ts'
import { expectAccessibleEverywhere, expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000])
const { gateway, sandbox } = console
const { merchant, strict } = sandbox.logins

const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
const key = await importControlKey(CONTROL_KEY)

describe('the signature', () => {
  const FORM_URL = 'https://Gate.example.com/gate/api/v4/payout/1144?lang=de'
  const FORM = [
    ['amount', '10.42'],
    ['order_desc', 'Kaffee & Käse'],
  ] as const

  /** Opens the view with a request of a form, and its key. */
  async function openForm(): Promise<Page> {
    const page = await console.open('#/sign')
    await page.getByLabel('URL', { exact: true }).fill(FORM_URL)
    await page.getByLabel('Form fields', { exact: true }).first().check()
    await page.getByRole('button', { name: 'Add a field' }).click()
    for (const [at, [name, value]] of FORM.entries()) {
      await page.getByLabel(`Name ${at + 1}`).fill(name)
      await page.getByLabel(`Value ${at + 1}`).fill(value)
    }
    await page.getByLabel('Login', { exact: true }).fill('shop')
    await page.getByLabel('Control key', { exact: true }).fill(CONTROL_KEY)
    await page.getByLabel('Nonce', { exact: true }).fill('nonce-1')
    await page.getByLabel('Timestamp', { exact: true }).fill('1700000000')
    await expectShown(page.getByRole('heading', { name: 'Write the header' }))
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
    const signed = await sign(
      { method: 'POST', url: FORM_URL, form: FORM },
      { consumerKey: 'shop', key },
      { nonce: 'nonce-1', timestampSeconds: 1_700_000_000 },
    )
    expect(await copy(page, /Sort and join/)).toBe(signed.parameterString)
    expect(await copy(page, /Build the base string/)).toBe(signed.baseString)
    expect(await copy(page, /Sign the base string/)).toBe(signed.signature)
    expect(await copy(page, /Write the header/)).toBe(signed.authorization)
    expect(await copy(page, /Gather the parameters/)).toContain('form\tamount\t10.42')
    expect(await page.locator('.steps mark').allTextContents()).toContain('%25C3%25A4')
    await page.getByRole('button', { name: 'Show the key' }).click()
    await expectAccessibleEverywhere(page)
  })

  test.each(['pkcs1', 'pkcs8'] as const)('signs with an RSA key as %s', async (type) => {
    const pem = createPrivateKey(merchant.privateKey).export({ type, format: 'pem' }).toString()
    const page = await openForm()
    await page.getByLabel('RSA private key (RSA-SHA256)').check()
    await page.getByRole('textbox', { name: 'RSA private key' }).fill(`\n${pem}\n`)
    const rsa = await importPrivateKey(merchant.privateKey)
    await expectShown(page.getByText(`RSA 2048, ${rsa.fingerprint}`))
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
      { consumerKey: 'shop', key: rsa },
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
    await expectAccessibleEverywhere(page)
    expect(await page.getByLabel('Control key', { exact: true }).inputValue()).toBe('')
  })

  test('shows the key only if asked, and not in the program', async () => {
    const page = await openReport()
    await expectShown(page.getByRole('region', { name: 'Copy as a program' }))
    expect(await page.locator('main').textContent()).not.toContain(merchant.controlKey)
    await page.getByRole('button', { name: 'Show the key' }).click()
    await expectShown(page.getByText(`${encodeURIComponent(merchant.controlKey)}&`))
  })
})

describe('the diagnosis', () => {
  const URL_SENT = 'https://gate.example.com/gate/api/v4/payout/1144'
  const FORM = 'amount=10.42&order_desc=Coffee%20%26%20cake'
  const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(1)</script>'=HYPERLINK(1)\u202E`
  /** The curl command line of a form that was signed for another URL. */
  async function curlSignedFor(url: string): Promise<string> {
    const contentType = 'application/x-www-form-urlencoded'
    const request = { method: 'POST', url, contentType, body: FORM }
    const { authorization } = await sign(request, { consumerKey: 'shop', key })
    return `curl ${URL_SENT} \\\n  -H 'Authorization: ${authorization}' \\\n  -d '${FORM}'`
  }

  test('names the mistake of a curl command line, its fix, and the first difference', async () => {
    const page = await console.open('#/diagnose')
    const pasted = await curlSignedFor(URL_SENT.replace('https', 'http'))
    await page.getByLabel(/^Authorization header/).fill(pasted)
    await page.getByLabel('Control key', { exact: true }).fill(CONTROL_KEY)
    await page.getByRole('button', { name: 'Name the mistake' }).click()
    const note = page.locator('.result .note')
    await expectShown(note)
    expect(await note.textContent()).toMatch(/http/)
    await expectShown(page.getByText('The base strings differ first at character 10, in the URL'))
    expect(await page.locator('mark').allTextContents()).toEqual(['s', '%'])
    await page.getByText('What the paste does not say').click()
    await expectAccessibleEverywhere(page)
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
    const request = {
      method: 'POST',
      url: gateway.reportUrl,
      body,
      contentType: 'application/json',
    }
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
    await expectShown(page.getByText('The mistake appears here.'))
    await expectAccessibleEverywhere(page)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    const show = page.getByRole('button', { name: 'Name the mistake' })
    await page.getByLabel('Control key', { exact: true }).fill(HOSTILE)
    await page.getByLabel(/^The base string/).fill(HOSTILE.repeat(20))
    await page.getByText('What the paste does not say').click()
    for (const pasted of [
      HOSTILE,
      authorization,
      `curl '${HOSTILE}'`,
      `{"request":"${HOSTILE}"}`,
    ]) {
      await page.getByLabel(/^Authorization header/).fill(pasted)
      await page.getByLabel('Body').fill(HOSTILE)
      await show.click()
      await expectShown(page.locator('.result > *'))
    }
    expect(sent).toEqual([])
  })
})

const isRunnable = ['bash', 'curl', 'openssl'].every(isInstalled)

describe.runIf(isRunnable)('the program for curl', () => {
  /** Characters that bash expands, and that each signer encodes. */
  const HARD = `it's "50%" & <b>$HOME \${x} {$y} \`id\` $(id) \\n \\u0041 \u202E\u2028 ж 😀 a+b=~!*()`
  const DRAFT: Draft = {
    method: 'POST',
    url: gateway.reportUrl,
    bodyKind: 'json',
    fields: [],
    text: JSON.stringify({ reportIdentifier: 'transactions-list', reportName: HARD }),
    contentType: '',
    login: merchant.login,
    nonce: 'NONCE',
    timestamp: '1700000000',
    realm: '',
    bodyHash: '',
  }

  const REQUESTS: readonly (readonly [title: string, typeof merchant, Partial<Draft>])[] = [
    [
      'JSON with a realm and a query',
      merchant,
      { realm: 'a $realm', url: `${gateway.reportUrl}?b=2&a=%26%20ж&a=1` },
    ],
    ['JSON with its SHA-256', strict, { bodyHash: 'SHA-256' }],
    ['JSON with its SHA-1', strict, { bodyHash: 'SHA-1' }],
  ]

  const keyFile = join(sandbox.folder, 'private.pem')
  writeFileSync(keyFile, merchant.privateKey, { mode: 0o600 })

  /** Runs the program for a request, by default with the private key, and returns what it prints. */
  async function run(change: Partial<Draft>, controlKey?: string): Promise<string> {
    const signingKey: TypedKey = controlKey
      ? { kind: 'control', text: 'key' }
      : { kind: 'private', text: merchant.privateKey }
    const { request, signed } = await signDraft({ ...DRAFT, ...change }, signingKey)
    const path = join(sandbox.folder, 'send.sh')
    writeFileSync(path, curlProgram(request, signed).source)
    const variables = controlKey
      ? { COUNTERFOIL_CONTROL_KEY: controlKey }
      : { COUNTERFOIL_PRIVATE_KEY_FILE: keyFile }
    const env = { ...process.env, ...variables }
    const { stdout } = await promisify(execFile)('bash', [path], { env, maxBuffer: 2 ** 26 })
    return stdout
  }

  test.each(REQUESTS)('sends %s, HMAC-SHA1', async (_, { login, controlKey }, change) => {
    const printed = await run({ login, ...change }, controlKey)
    expect(printed).toContain('200')
    expect(printed).toContain('"Merchant_Name"')
  })

  test('sends JSON, RSA-SHA256, and no body', async () => {
    expect(await run({})).toContain('"Merchant_Name"')
    const runs = { method: 'GET', url: `${DRAFT.url}/runs`, bodyKind: 'none' } as const
    expect(await run(runs)).toContain('"runs"')
  })

  test('sends a form', async () => {
    const repeated = ['2', '1'].map((value) => ['a', value] as const)
    const fields = [['order_desc', HARD], ...repeated, ['xoauth_nonce', 'NONCE']] as const
    // The report endpoint takes no form. It says so only after it has accepted the signature.
    const form = await run({ bodyKind: 'form', fields }, merchant.controlKey)
    expect(form).toContain('urn:counterfoil:problem:')
  })

  test('is refused with another key', async () => {
    expect(await run({}, 'another-key')).toContain('You are not authorised')
  })
})
