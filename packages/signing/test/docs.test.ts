// Compares the intermediate values in docs/signing.md with the library's, and runs its samples.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer as createPlainServer, request as requestHttp } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { buffer, text as textOf } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  encodeForm,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  REFUSAL_STEPS,
  sign,
  type Verification,
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
  /** The command that runs the sample in its folder. */
  readonly command: readonly [program: string, ...rest: string[]]
  /** Other programs that the sample calls. */
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

// Inside the package, so that Node finds the package by its name.
mkdirSync(join(import.meta.dirname, '../var'), { recursive: true })
const folder = mkdtempSync(join(import.meta.dirname, '../var/docs-'))

beforeAll(() => writeFileSync(join(folder, 'private.pem'), KEYS.private.pkcs8))
afterAll(() => rmSync(folder, { recursive: true }))

describe('docs/signing.md', () => {
  it("shows the library's intermediate values", () => {
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
    it(`signs the same in ${file}`, { tags: ['long'] }, async ({ skip }) => {
      const lacking = missingProgram(sample)
      skip(lacking !== undefined, `${lacking} is not installed`)
      const output = await runSample(file, sample)
      expect(output.trim().split('\n').map(sorted)).toEqual([
        sorted(hmac.authorization),
        sorted(rsa.authorization),
      ])
    })
  }

  it('signs the same in sample.sh, and verify accepts what its curl sends', async ({ skip }) => {
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

  it('lists every refusal code with its step', () => {
    const table = PAGE.slice(PAGE.indexOf('| Code |'))
    const rows = [...table.matchAll(/^\| `([a-z0-9-]+)` \| `([a-z-]+)` \|/gm)]
    expect(rows.map(([, code, step]) => [code, step])).toEqual(Object.entries(REFUSAL_STEPS))
  })

  it('verify.mjs accepts signed requests only', async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const server = startSample('verify.mjs', { PORT: String(port), PUBLIC_URL: origin })
    try {
      await once(server.stdout ?? server, 'data')
      const contentType = 'application/json'
      const requests = [
        { url: `${origin}/report`, contentType, body: '{"reportIdentifier":"a"}' },
        { url: `${origin}/payout?lang=en`, form: REQUEST.form },
      ]
      for (const request of requests) {
        const credentials = { consumerKey: 'merchant-login', key: controlKey }
        const { headers } = await sign({ method: 'POST', ...request }, credentials)
        const body = request.body ?? encodeForm(REQUEST.form)
        const answer = await fetch(request.url, { method: 'POST', headers, body })
        expect(await answer.text()).toBe('Hello merchant-login')
      }
      // Another address of this machine. A server on all interfaces would listen on it.
      await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow('fetch failed')
      const twice = requestHttp(origin, { headers: { Authorization: ['OAuth a="1"', 'Basic b'] } })
      const [answer] = await once(twice.end(), 'response')
      expect(await textOf(answer)).toBe('header-repeated')
      const unsigned = await fetch(origin, { method: 'POST' })
      expect([unsigned.status, await unsigned.text()]).toEqual([401, 'header-missing'])
    } finally {
      server.kill()
    }
  })

  it("the example in the package's README works", async () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
    const [, source = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? []
    const print = `console.log(headers['Content-Type'], body)`
    const sending = /^const response = .*$/m
    expect(source).toMatch(sending)
    // No server has this address, so print the request instead.
    writeFileSync(join(folder, 'readme.mjs'), source.replace(sending, print))
    const { stdout } = await promisify(execFile)(process.execPath, ['readme.mjs'], { cwd: folder })
    expect(stdout).toBe('application/x-www-form-urlencoded amount=10.42\n')
  })

  it('has no other samples', () => {
    const files = [...PAGE.matchAll(/^```[a-z]+ (\S+)$/gm)].map(([, file]) => file)
    const others = ['verify.mjs', 'sample.sh']
    expect(new Set(files)).toEqual(new Set([...Object.keys(SAMPLES), ...others]))
  })
})

/** Runs a sample in its folder, and returns its output. */
async function runSample(file: string, { command: [program, ...rest] }: Sample): Promise<string> {
  writeSample(file)
  const env = { ...process.env, CURL_HOME: folder }
  const { stdout } = await promisify(execFile)(program, rest, { cwd: folder, env })
  return stdout
}

/** Starts a sample that runs until it is killed. */
function startSample(file: string, settings: Readonly<Record<string, string>>): ChildProcess {
  writeSample(file)
  return spawn(process.execPath, [file], { cwd: folder, env: { ...process.env, ...settings } })
}

function writeSample(file: string): void {
  const [, source = ''] = new RegExp(`^\`\`\`[a-z]+ ${file}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? []
  writeFileSync(join(folder, file), source)
}

async function freePort(): Promise<number> {
  const server = createPlainServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function missingProgram({ command: [program], calls = [] }: Sample): string | undefined {
  return [program, ...calls].find((name) => !isInstalled(name))
}

/** Sorts the parameters of a header, whose order is free. */
function sorted(header: string): string {
  const parameters = header.replace('OAuth ', '').split(',')
  return `OAuth ${parameters.toSorted((a, b) => (a < b ? -1 : 1)).join(',')}`
}
