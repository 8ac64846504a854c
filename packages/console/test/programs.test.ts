// @module-tag long

// Runs the programs that the console writes, against a real gateway.

import { execFile } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { serveSandbox } from '../../gateway/test/kit/served-sandbox.ts'
import { isInstalled } from '../../signing/test/is-installed.ts'
import { LANGUAGES, toSend } from '../page/sign/programs.ts'
import { type Draft, signDraft } from '../page/sign/sign-draft.ts'

const { sandbox, gateway } = await serveSandbox([1000])
const { merchant, strict } = sandbox.logins

/** Characters that each language escapes in its own way, and that each signer encodes. */
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

const COMMANDS: Readonly<
  Record<string, readonly [file: string, program: string, calls?: string[]]>
> = {
  curl: ['send.sh', 'bash', ['curl', 'openssl']],
  Node: ['send.mjs', process.execPath],
  Python: ['send.py', 'python3', ['openssl']],
  PHP: ['send.php', 'php'],
  Java: ['Send.java', 'java'],
}

const keyFile = join(sandbox.folder, 'private.pem')
// Java reads PKCS#8 only.
const pkcs8 = createPrivateKey(merchant.privateKey).export({ type: 'pkcs8', format: 'pem' })
writeFileSync(keyFile, pkcs8, { mode: 0o600 })

/** Runs the program of a language, and returns what it prints. */
async function run(
  language: string,
  draft: Draft,
  isRsa: boolean,
  controlKey: string,
): Promise<string> {
  const [file, program] = COMMANDS[language] ?? ['', '']
  const source = await sourceOf(language, draft, isRsa)
  expect(source).not.toContain(controlKey)
  const path = join(sandbox.folder, file)
  writeFileSync(path, source)
  const variables = isRsa
    ? { COUNTERFOIL_PRIVATE_KEY_FILE: keyFile }
    : { COUNTERFOIL_CONTROL_KEY: controlKey }
  const env = { ...process.env, ...variables }
  const { stdout } = await promisify(execFile)(program, [path], { env, maxBuffer: 2 ** 26 })
  return stdout
}

async function sourceOf(language: string, draft: Draft, isRsa: boolean): Promise<string> {
  const write = LANGUAGES.get(language)
  const key = {
    kind: isRsa ? 'private' : 'control',
    text: isRsa ? merchant.privateKey : 'key',
  } as const
  const { request, signed } = await signDraft(draft, key)
  return write?.(toSend(request, signed)) ?? ''
}

describe.each(Object.keys(COMMANDS))('the gateway accepts the program for %s', (language) => {
  const [, program = '', calls = []] = COMMANDS[language] ?? []
  const lacking = [program, ...calls].find((name) => !isInstalled(name))

  test.skipIf(lacking).each(Object.entries(REQUESTS))('%s, HMAC-SHA1', async (_, [draft, key]) => {
    const printed = await run(language, draft, false, key)
    expect(printed).toContain('200')
    expect(printed).toContain('"Merchant_Name"')
  })

  test.skipIf(lacking)('JSON, RSA-SHA256', async () => {
    const printed = await run(language, DRAFT, true, merchant.controlKey)
    expect(printed).toContain('"Merchant_Name"')
  })

  test.skipIf(lacking)('a form, and no body', async () => {
    // The report endpoint takes neither. It says so only after it has accepted the signature.
    const form = await run(language, FORM, false, merchant.controlKey)
    expect(form).toContain('urn:counterfoil:problem:')
    const runs: Draft = { ...DRAFT, method: 'GET', url: `${DRAFT.url}/runs`, bodyKind: 'none' }
    const none = await run(language, runs, true, merchant.controlKey)
    expect(none).toContain('"runs"')
  })

  test.skipIf(lacking)('and refuses it with another key', async () => {
    const printed = await run(language, DRAFT, false, 'another-key')
    expect(printed).toContain('You are not authorised')
  })
})

test.each([
  ['C#', 'send.cs'],
  ['PHP', 'send.php'],
])('writes the program for %s that was checked by hand', async (language, file) => {
  const draft = { ...FORM, url: 'https://gate.example.com/a?q=1', login: 'shop' }
  const report: Draft = {
    ...DRAFT,
    url: 'https://gate.example.com/a',
    login: 'shop',
    bodyHash: 'SHA-256',
  }
  const sources = [await sourceOf(language, draft, false), await sourceOf(language, report, true)]
  await expect(sources.join('\n')).toMatchFileSnapshot(`golden/${file}.txt`)
})
