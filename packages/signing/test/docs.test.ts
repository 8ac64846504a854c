// docs/signing.md: its intermediates are the library's, and its samples, run as they stand, sign the same.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  encodeForm,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  sign,
  type Verification,
  type VerificationStep,
  verify,
} from '../src/index.ts'
import { gateway, received } from './gateway.ts'
import { isInstalled } from './is-installed.ts'
import { KEYS } from './vectors.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/signing.md'), 'utf8')
const NOW = 1_700_000_000
const REQUEST = {
  method: 'POST',
  url: 'https://gate.example.com/gate/api/v2/pan-eligibility/send/1144',
  form: [
    ['client_orderid', '902B4FF5'],
    ['sending-card-ref-id', '1234567'],
    ['card-printed-name', "Jane O'Doe"],
    ['server_callback_url', 'https://shop.example.com/paid?order=1'],
  ],
} as const
const options = { nonce: '5f2c9a1e7b3d4c60', timestampSeconds: NOW }
const controlKey = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
const privateKey = await importPrivateKey(KEYS.private.pkcs8)
const hmac = await sign(REQUEST, { consumerKey: 'merchant-login', key: controlKey }, options)
const rsa = await sign(REQUEST, { consumerKey: 'merchant-login', key: privateKey }, options)

interface Sample {
  /** How it is run, in the folder where its file is. */
  readonly command: readonly [program: string, ...rest: string[]]
  /** What else it calls. */
  readonly calls?: readonly string[]
}

const SHELL: Sample = { command: ['bash', '-eu', 'sample.sh'], calls: ['openssl', 'curl'] }
const SAMPLES: Record<string, Sample> = {
  'library.mjs': { command: [process.execPath, 'library.mjs'] },
  'bare.mjs': { command: [process.execPath, 'bare.mjs'] },
  'sample.py': { command: ['python3', 'sample.py'], calls: ['openssl'] },
  'sample.php': { command: ['php', 'sample.php'] },
  'Sample.java': { command: ['java', 'Sample.java'] },
}

// Inside the package, so that the sample's import of it is resolved as a user's would be.
mkdirSync(join(import.meta.dirname, '../var'), { recursive: true })
const folder = mkdtempSync(join(import.meta.dirname, '../var/docs-'))

beforeAll(() => writeFileSync(join(folder, 'private.pem'), KEYS.private.pkcs8))
afterAll(() => rmSync(folder, { recursive: true }))

describe('docs/signing.md', () => {
  it('shows every intermediate as the library makes it', () => {
    const { parameterString, baseString, signature, authorization } = hmac
    const shown = [...PAGE.matchAll(/^```text\n(.*?)\n```$/gms)].map(([, text]) => text)
    expect(shown).toEqual([
      parameterString.replaceAll('&', '\n'),
      parameterString,
      baseString,
      signature,
      authorization,
    ])
    expect(PAGE).toContain(`\n\n${encodeForm(REQUEST.form)}\n`)
  })

  for (const [file, sample] of Object.entries(SAMPLES)) {
    it(`signs the same in ${file}`, async ({ skip }) => {
      const lacking = missingProgram(sample)
      skip(lacking !== undefined, `${lacking} is not installed`)
      const output = await runSample(file, sample)
      expect(output.trim().split('\n').map(sorted)).toEqual([
        sorted(hmac.authorization),
        sorted(rsa.authorization),
      ])
    })
  }

  it('signs the same in sample.sh, and what its curl sends is accepted', async ({ skip }) => {
    const lacking = missingProgram(SHELL)
    skip(lacking !== undefined, `${lacking} is not installed`)
    const verifications: Verification[] = []
    const server = createServer({ key: KEYS.private.pkcs8, cert: KEYS.public.certificate })
    server.on('request', async (request, response) => {
      const { method = '', headers } = request
      const sent = {
        method,
        url: `https://${headers.host}${request.url}`,
        contentType: headers['content-type'],
        body: await buffer(request),
      }
      const keys = [await importPublicKey(KEYS.public.spki)]
      const arriving = received(sent, headers.authorization)
      verifications.push(await verify(arriving, gateway({ keys }, NOW)))
      response.end('received\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const rules = `connect-to = gate.example.com:443:127.0.0.1:${port}\ninsecure\n`
    writeFileSync(join(folder, '.curlrc'), rules)
    const output = await runSample('sample.sh', SHELL)
    server.close()
    const [authorization = '', answer] = output.trim().split('\n')
    expect(sorted(authorization)).toBe(sorted(rsa.authorization))
    expect(answer).toBe('received')
    expect(verifications).toMatchObject([{ ok: true }])
  })

  it('explains every step that can refuse, in their order', () => {
    const steps: Record<VerificationStep, true> = {
      header: true,
      parameters: true,
      timestamp: true,
      nonce: true,
      consumer: true,
      'body-hash': true,
      signature: true,
    }
    const rows = [...PAGE.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, step]) => step)
    expect(rows).toEqual(Object.keys(steps))
  })

  it('has no sample that is not run', () => {
    const files = [...PAGE.matchAll(/^```[a-z]+ (\S+)$/gm)].map(([, file]) => file)
    expect(files).toEqual([...Object.keys(SAMPLES), 'sample.sh'])
  })
})

/** Runs one sample in its folder, and gives what it printed. */
async function runSample(file: string, { command: [program, ...rest] }: Sample): Promise<string> {
  const [, source = ''] = new RegExp(`^\`\`\`[a-z]+ ${file}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? []
  writeFileSync(join(folder, file), source)
  const env = { ...process.env, CURL_HOME: folder }
  const { stdout } = await promisify(execFile)(program, rest, { cwd: folder, env })
  return stdout
}

function missingProgram({ command: [program], calls = [] }: Sample): string | undefined {
  return [program, ...calls].find((name) => !isInstalled(name))
}

/** A header with its parameters in the order of their names, which is free. */
function sorted(header: string): string {
  const parameters = header.replace('OAuth ', '').split(',')
  return `OAuth ${parameters.toSorted((a, b) => (a < b ? -1 : 1)).join(',')}`
}
