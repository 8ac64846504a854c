// @module-tag long

// Runs the program that the console writes, against a real gateway.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { serveSandbox } from '../../gateway/test/kit/served-sandbox.ts'
import { isInstalled } from '../../signing/test/is-installed.ts'
import { curlProgram } from '../page/sign/curl-program.ts'
import { type Draft, signDraft } from '../page/sign/sign-draft.ts'

const { sandbox, gateway } = await serveSandbox([1000])
const { merchant, strict } = sandbox.logins

/** Characters that bash expands, and that each signer encodes. */
const HARD = `it's "50%" & <b>$HOME \${x} {$y} \`id\` $(id) \\n \\u0041 \u202E\u2028 ж 😀 a+b=~!*()`
const REPORT = JSON.stringify({
  reportIdentifier: 'transactions-list',
  reportName: HARD,
  reportFormat: 'CSV',
})

const DRAFT: Draft = {
  method: 'POST',
  url: gateway.reportUrl,
  bodyKind: 'json',
  fields: [],
  text: REPORT,
  contentType: '',
  login: merchant.login,
  nonce: 'NONCE',
  timestamp: '1700000000',
  realm: '',
  bodyHash: '',
}

const REQUESTS: Readonly<Record<string, readonly [draft: Draft, controlKey: string]>> = {
  'JSON with a realm and a query': [
    { ...DRAFT, realm: 'a $realm', url: `${gateway.reportUrl}?b=2&a=%26%20ж&a=1` },
    merchant.controlKey,
  ],
  'JSON with its SHA-256': [
    { ...DRAFT, login: strict.login, bodyHash: 'SHA-256' },
    strict.controlKey,
  ],
  'JSON with its SHA-1': [{ ...DRAFT, login: strict.login, bodyHash: 'SHA-1' }, strict.controlKey],
}

const FORM: Draft = {
  ...DRAFT,
  bodyKind: 'form',
  fields: [
    ['order_desc', HARD],
    ['a', '2'],
    ['a', '1'],
    ['xoauth_nonce', 'NONCE'],
  ],
}

const keyFile = join(sandbox.folder, 'private.pem')
writeFileSync(keyFile, merchant.privateKey, { mode: 0o600 })

/** Runs the program for a request, and returns what it prints. */
async function run(draft: Draft, isRsa: boolean, controlKey: string): Promise<string> {
  const kind = isRsa ? 'private' : 'control'
  const text = isRsa ? merchant.privateKey : 'key'
  const { request, signed } = await signDraft(draft, { kind, text })
  const path = join(sandbox.folder, 'send.sh')
  writeFileSync(path, curlProgram(request, signed).source)
  const variables = isRsa
    ? { COUNTERFOIL_PRIVATE_KEY_FILE: keyFile }
    : { COUNTERFOIL_CONTROL_KEY: controlKey }
  const env = { ...process.env, ...variables }
  const { stdout } = await promisify(execFile)('bash', [path], { env, maxBuffer: 2 ** 26 })
  return stdout
}

const isRunnable = ['bash', 'curl', 'openssl'].every(isInstalled)

describe.runIf(isRunnable)('the gateway accepts the program for curl', () => {
  test.each(Object.entries(REQUESTS))('%s, HMAC-SHA1', async (_, [draft, key]) => {
    const printed = await run(draft, false, key)
    expect(printed).toContain('200')
    expect(printed).toContain('"Merchant_Name"')
  })

  test('JSON, RSA-SHA256', async () => {
    const printed = await run(DRAFT, true, merchant.controlKey)
    expect(printed).toContain('"Merchant_Name"')
  })

  test('a form, and no body', async () => {
    // The report endpoint takes neither. It says so only after it has accepted the signature.
    const form = await run(FORM, false, merchant.controlKey)
    expect(form).toContain('urn:counterfoil:problem:')
    const runs: Draft = { ...DRAFT, method: 'GET', url: `${DRAFT.url}/runs`, bodyKind: 'none' }
    const none = await run(runs, true, merchant.controlKey)
    expect(none).toContain('"runs"')
  })

  test('and refuses it with another key', async () => {
    const printed = await run(DRAFT, false, 'another-key')
    expect(printed).toContain('You are not authorised')
  })
})
