// @module-tag long

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { REFUSAL_JSON_MEDIA_TYPE as REFUSAL_JSON } from '@counterfoil/protocol'
import { importControlKey, sign } from '@counterfoil/signing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isInstalled } from '../../../signing/test/is-installed.ts'
import { type Answer, ask, LIST, read, send, signRequest } from '../kit/ask.ts'
import { serve } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'
const PROTOCOL = readFileSync(join(import.meta.dirname, '../../../../docs/protocol.md'), 'utf8')
const OLD = '/old/rpt-engine'

const { sandbox, gateway } = await serveSandbox([1000])
const { merchant } = sandbox.logins
const operation = new URL('/gate/api/v4/transfer/1144', gateway.reportUrl).href

/** Sends a request that was signed for another URL, or with another key. */
async function askWrongly(
  url: string,
  {
    signedUrl = url.replace('http:', 'https:'),
    key = merchant.controlKey,
    login = merchant.login,
    form = '',
    accept = '*/*',
  },
): Promise<Answer> {
  const contentType = form === '' ? 'application/json' : FORM_TYPE
  const body = form === '' ? JSON.stringify(LIST) : form
  const credentials = { consumerKey: login, key: await importControlKey(key) }
  const message = { method: 'POST', url: signedUrl, contentType, body }
  const { authorization } = await sign(message, credentials)
  const headers = { Authorization: authorization, 'Content-Type': contentType, Accept: accept }
  return await read(await send({ url, method: 'POST', headers, body: Buffer.from(body) }))
}

/** One nonce of 400 looks like a card number and is masked, so the nonce's own characters tell nothing. */
function withoutOwn({ text: shown }: Answer): string {
  return shown
    .replaceAll(/nonce%3D[0-9a-f*-]{36}/g, 'nonce%3DNONCE')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/timestamp%3D\d+/g, 'timestamp%3DNOW')
}

describe('a refusal in the sandbox', () => {
  test('begins with the mistake, its fix and the clause', async () => {
    const { status, headers, text: shown } = await askWrongly(gateway.reportUrl, {})
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(shown.split('\n').slice(0, 4)).toEqual([
      'You are not authorised to perform this request.',
      'Mistake: You signed http for https, or https for http.',
      "Fix: Sign the scheme of the gateway's public address, also behind a proxy that ends TLS.",
      'Clause: RFC 5849, 3.4.1.2 (url-scheme)',
    ])
    expect(shown).toContain('\nFirst difference of the base strings: character 10, in the URL\n')
  })

  test('is JSON for a caller that asks for its media type, with the same status', async () => {
    const answer = await askWrongly(gateway.reportUrl, { accept: REFUSAL_JSON })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe(REFUSAL_JSON)
    expect(JSON.parse(answer.text)).toEqual({
      message: 'You are not authorised to perform this request.',
      requestId: answer.headers['counterfoil-request-id'],
      step: 'signature',
      code: 'signature-mismatch',
      expected: 'the signature of this base string, made with the key that the login has here',
      diagnosis: 'mistake',
      mistake: {
        code: 'url-scheme',
        sentence: 'You signed http for https, or https for http.',
        fix: "Sign the scheme of the gateway's public address, also behind a proxy that ends TLS.",
        clause: 'RFC 5849, 3.4.1.2',
      },
      difference: { at: 10, part: 'url' },
      baseString: expect.stringMatching(/^POST&http%3A%2F%2F127/),
      baseStringCharactersLeftOut: 0,
    })
    const elsewhere = await askWrongly(operation, {
      form: 'a=1',
      accept: `${REFUSAL_JSON};q=0.5, */*`,
    })
    expect([elsewhere.status, elsewhere.headers['content-type']]).toEqual([403, REFUSAL_JSON])
  })

  test.each([
    '*/*',
    'application/json',
    'application/*+json, application/json',
    'text/csv',
    `${REFUSAL_JSON}; q=0, */*`,
  ])('is text for a caller with Accept: %s', async (accept) => {
    const { headers, text: shown } = await askWrongly(gateway.reportUrl, { accept })
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(shown).toMatch(/^You are not authorised/)
  })

  test('says the same for each part of the key as for a foreign key', async () => {
    const { controlKey } = merchant
    const parts = [1, 8, 18, controlKey.length - 1].flatMap((length) => [
      controlKey.slice(0, length),
      controlKey.slice(-length),
    ])
    const texts = new Set<string>()
    for (const key of [...parts, 'foreign', `${controlKey}${controlKey}`, `x${controlKey}`]) {
      const signed = { key: key.replace(/^-|-$/g, 'x'), signedUrl: gateway.reportUrl }
      texts.add(withoutOwn(await askWrongly(gateway.reportUrl, signed)))
    }
    expect([...texts]).toEqual([expect.stringContaining('Mistake: none that the gateway knows')])
  })

  test('says the same for a captured signature with another body as for a forged one', async () => {
    const credentials = { consumerKey: merchant.login, key: merchant.hmac }
    const captured = {
      method: 'POST',
      url: operation,
      contentType: FORM_TYPE,
      body: 'amount=10.42&z=1',
    }
    const { authorization } = await sign(captured, credentials)
    const forged = authorization.replace(/(?<=oauth_signature=")[^"]*/, `${'A'.repeat(27)}%3D`)
    const texts = new Set<string>()
    for (const Authorization of [authorization, forged]) {
      for (const body of ['amount=10.43&z=1', 'amount=10.42', 'amount=10.42&z=2']) {
        const headers = { Authorization, 'Content-Type': FORM_TYPE }
        const request = { url: operation, method: 'POST', headers, body: Buffer.from(body) }
        const answer = await read(await send(request))
        texts.add(withoutOwn(answer).replaceAll(/&amount[^\n]*/g, ''))
      }
    }
    expect([...texts]).toEqual([expect.stringContaining('Mistake: none that the gateway knows')])
  })

  test('names no mistake in the signature of an unknown login', async () => {
    const [right, wrong] = [
      await askWrongly(gateway.reportUrl, { login: 'nobody' }),
      await askWrongly(gateway.reportUrl, { login: 'nobody', key: 'foreign' }),
    ]
    expect(right.text).toContain('(consumer-unknown)')
    expect(withoutOwn(right)).toBe(withoutOwn(wrong))
  })
})

test('serves a report beside a flood of refused requests, most of them without a diagnosis', async () => {
  const [flood, report] = await Promise.all([
    Promise.all(Array.from({ length: 400 }, () => askWrongly(gateway.reportUrl, {}))),
    ask(gateway, merchant),
  ])
  expect(report.trailers).toHaveProperty('repr-digest')
  const named = flood.filter(({ text: shown }) => shown.includes('(url-scheme)'))
  const leftOut = flood.filter(({ text: shown }) => shown.includes('many requests were refused'))
  expect(named.length + leftOut.length).toBe(flood.length)
  expect(named.length).toBeGreaterThan(0)
  expect(leftOut.length).toBeGreaterThan(0)
})

test('answers refusals with status 403 if configured, on old paths too, and says so in discovery', async () => {
  const oldReportPaths = [{ path: OLD, deprecatedSince: '2026-01-01' }]
  const own = await serve(sandbox, { refusalStatus: 403, oldReportPaths })
  onTestFinished(() => own.close())
  const { origin } = new URL(own.reportUrl)
  for (const reportUrl of [own.reportUrl, origin + OLD]) {
    const asked = { sandbox, reportUrl }
    const refused = await ask(asked, sandbox.logins.merchant, LIST, { login: 'nobody' })
    expect(refused.status).toBe(403)
    expect(refused.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(refused.text).toMatch(/^You are not authorised/)
    expect((await ask(asked, sandbox.logins.merchant)).status).toBe(200)
  }
  const discovery = await (await fetch(`${origin}/.well-known/counterfoil`)).json()
  expect(discovery).toMatchObject({ refusalStatus: 403 })
})

test.for([200, 403])(
  'distinguishes a report from a refusal with status %d by the script of docs/protocol.md',
  async (refusalStatus, { skip }) => {
    skip(!isInstalled('curl') || !isInstalled('openssl'), 'curl or openssl is not installed')
    const [, script = ''] = /^```sh\n(type=[^]*?)^```$/m.exec(PROTOCOL) ?? []
    expect(script).toContain('%{content_type}')
    const own = await serve(sandbox, { refusalStatus })
    onTestFinished(() => own.close())
    const run = async (login: string, change = '') => {
      const { url, headers, body } = await signRequest(own, sandbox.logins.merchant, LIST, {
        login,
      })
      const env = {
        ...process.env,
        url,
        authorization: headers['Authorization'],
        body: body.toString(),
      }
      const changed = script.replace('digest=', () => `${change}\ndigest=`)
      const shell = spawn('sh', ['-c', changed], { cwd: sandbox.folder, env })
      const [stderr, [status]] = await Promise.all([text(shell.stderr), once(shell, 'close')])
      return { status, stderr }
    }
    expect(await run('merchant')).toMatchObject({ status: 0, stderr: '' })
    const report = join(sandbox.folder, 'report.csv')
    const saved = readFileSync(report, 'utf8')
    expect(saved).toMatch(/^"Merchant_Name",/)
    expect(await run('nobody')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^You are not authorised/),
    })
    const cut = await run('merchant', 'echo >> report.csv.part')
    expect(cut).toMatchObject({ status: 1, stderr: 'the report is not complete\n' })
    expect(readFileSync(report, 'utf8')).toBe(saved)
  },
)
