// @module-tag long

import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importPublicKey, verify } from '@counterfoil/signing'
import { afterAll, expect, test } from 'vitest'
import { curlLine } from './demo-curl.ts'

const REPORT_URL = 'http://127.0.0.1:8080/sandbox/services/v2/rpt-engine'
const LOGIN = 'shop-2 & "sons", 100%'
const BODY = `{"reportName":"it's"}`

// The name of this folder would end a quote that is not escaped, or run a command.
const folder = mkdtempSync(join(tmpdir(), `counterfoil it's $(touch x) "`))
const privateKeyFile = join(folder, 'key.pem')
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
writeFileSync(privateKeyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns the arguments that curl gets when the line is pasted. */
function paste(shell: string): string[] {
  const line = curlLine({ reportUrl: REPORT_URL, login: LOGIN, privateKeyFile, body: BODY })
  expect(line).not.toContain('\n')
  const curl = `curl() { for argument; do printf '%s\\n' "$argument"; done; }`
  return execFileSync(shell, { input: `${curl}\n${line}\n`, encoding: 'utf8' })
    .trimEnd()
    .split('\n')
}

test.each(['sh', 'bash'])(
  'in %s, the line signs with the key’s file, with a new nonce at each paste',
  async (shell) => {
    const key = await importPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString())
    const nonces = new Set<string>()
    for (let times = 0; times < 5; times += 1) {
      const argv = paste(shell)
      expect(argv).toContain(REPORT_URL)
      expect(argv).toContain(BODY)
      const header = argv.find((argument) => argument.startsWith('Authorization: ')) ?? ''
      const request = {
        method: 'POST',
        url: REPORT_URL,
        authorization: header.replace('Authorization: ', ''),
        contentType: 'application/json',
        body: Buffer.from(BODY),
      }
      const verified = await verify(request, {
        findConsumer: (login) => (login === LOGIN ? { keys: [key] } : undefined),
        spendNonce: ({ nonce }) => (nonces.has(nonce) ? 'replayed' : nonces.add(nonce) && 'spent'),
        nowSeconds: () => Date.now() / 1000,
      })
      expect(verified).toMatchObject({ ok: true, consumerKey: LOGIN, method: 'RSA-SHA256' })
    }
  },
)
