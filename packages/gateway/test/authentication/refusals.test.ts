import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { REFUSAL_JSON_MEDIA_TYPE } from '@counterfoil/protocol'
import { REFUSAL_STEPS } from '@counterfoil/signing'
import {
  type Answer,
  ask,
  type AskOptions,
  LIST,
  read,
  send,
  type SignedRequest,
  signRequest,
} from '../kit/ask.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serve } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { openSqliteStore } from '../../../store/src/store/open-store.ts'

const HTTPS = 'https://reports.example.com'
const now = () => Math.floor(Date.now() / 1000)

const { sandbox, gateway } = await serveSandbox([1000])
const production = await serve(sandbox, { environment: 'production', publicUrl: HTTPS })
afterAll(() => production.close())

/** Signs for the public URL, and sends to the address on which the gateway listens. */
async function askProduction(options: AskOptions, request: object | string = LIST) {
  const { merchant } = sandbox.logins
  const url = `http://127.0.0.1:${production.port}${new URL(production.reportUrl).pathname}`
  return await ask(production, merchant, request, { url, ...options })
}

function withoutId({ text }: Answer): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
}

/** Faulty requests for the steps of verification. */
const WRONG: readonly (readonly [step: string, wrong: string, options: () => AskOptions])[] = [
  ['header', 'no Authorization', () => ({ headers: { Authorization: undefined } })],
  ['parameters', 'a query that is not UTF-8', () => ({ sentQuery: '?a=%ff' })],
  ['timestamp', 'an old timestamp', () => ({ signing: { timestampSeconds: now() - 400 } })],
  [
    'nonce',
    'a long nonce',
    () => ({ headers: header({ oauth_nonce: 'n'.repeat(129), ...SIGNATURE }) }),
  ],
  ['consumer', 'an unknown login', () => ({ login: 'nobody' })],
  ['signature', 'another query', () => ({ sentQuery: '?a=1' })],
  ['signature', 'the key of another login', () => ({ login: 'reseller' })],
  [
    'header',
    'a malformed media type, unsigned',
    () => ({ headers: { 'Content-Type': ';;', Authorization: undefined } }),
  ],
  ['signature', 'another media type', () => ({ contentType: 'text/csv', login: 'reseller' })],
]
const SIGNATURE = { oauth_signature: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D' }

/** Makes the header of a request that was not signed. */
function header(changes: Readonly<Record<string, string>>) {
  const parameters = {
    oauth_consumer_key: 'merchant',
    oauth_nonce: 'a-nonce-of-its-own',
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(now()),
    oauth_version: '1.0',
    ...changes,
  }
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return { Authorization: `OAuth ${pairs.join(', ')}` }
}

describe('a refusal in the sandbox', () => {
  test.each(WRONG)('names the step %s for %s', async (step, _, options) => {
    const answer = await ask(gateway, sandbox.logins.merchant, LIST, options())
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(answer.headers).not.toHaveProperty('content-disposition')
    expect(answer.text).toMatch(/^You are not authorised/)
    expect(answer.text).toContain(`Step that failed: ${step}\n`)
    expect(answer.text).toContain(answer.headers['counterfoil-request-id'])
    expect(answer.text.includes('Base string')).toBe(!['header', 'parameters'].includes(step))
    const line = gateway.lines().at(-1)
    expect(line).toMatchObject({ outcome: 'refusal', status: 200, step })
    expect(Object.entries(REFUSAL_STEPS)).toContainEqual([line?.['code'], step])
  })

  test('names the step body-hash for a wrong or missing body hash', async () => {
    const { strict } = sandbox.logins
    const signing = { bodyHash: 'SHA-256' } as const
    expect((await ask(gateway, strict, LIST, { signing })).headers).toHaveProperty('trailer')
    for (const options of [{}, { signing, body: `${JSON.stringify(LIST)} ` }]) {
      const { text } = await ask(gateway, strict, LIST, options)
      expect(text).toContain('Step that failed: body-hash\n')
    }
  })

  test('names the step for a login without a key of the method, and for a spent nonce', async () => {
    const { strict, merchant } = sandbox.logins
    const wrongMethod = await ask(gateway, strict, LIST, { key: 'rsa' })
    expect(wrongMethod.text).toContain('Step that failed: consumer\n')
    const signing = { nonce: 'used-for-two-requests', timestampSeconds: now() }
    expect((await ask(gateway, merchant, LIST, { signing })).status).toBe(200)
    const replayed = await ask(gateway, merchant, LIST, { signing })
    expect(replayed.text).toContain('Step that failed: nonce\n')
  })
})

describe('a refusal in production', () => {
  test('shows only a request id, whatever is wrong', async () => {
    expect((await askProduction({})).headers).toHaveProperty('trailer')
    const message = 'You are not authorised to perform this request.'
    for (const [, , options] of WRONG) {
      const answer = await askProduction(options())
      const requestId = String(answer.headers['counterfoil-request-id'])
      expect([answer.status, answer.text]).toEqual([200, `${message}\nRequest id: ${requestId}\n`])
    }
    const headers = { Accept: REFUSAL_JSON_MEDIA_TYPE }
    const asJson = await askProduction({ headers, login: 'nobody' })
    const requestId = String(asJson.headers['counterfoil-request-id'])
    expect(JSON.parse(asJson.text)).toEqual({ message, requestId })
  })

  test('is the same for an unknown login as for a wrong signature', async () => {
    const [unknown, wrong] = [
      await askProduction({ login: 'nobody' }),
      await askProduction({ login: 'reseller' }),
    ]
    expect(withoutId(unknown)).toBe(withoutId(wrong))
    const own = ['date', 'counterfoil-request-id']
    const shared = ({ headers }: Answer) => {
      return Object.entries(headers).filter(([name]) => !own.includes(name))
    }
    expect(shared(unknown)).toEqual(shared(wrong))
  })
})

test.each(['sandbox', 'production'])(
  'does not reveal in the %s whether a report exists without a valid signature',
  async (environment) => {
    const texts = new Set<string>()
    const bodies = [LIST, { reportIdentifier: 'no-such-report' }, {}, 'not JSON', '']
    for (const body of bodies) {
      const options = { headers: header(SIGNATURE) }
      const answer =
        environment === 'sandbox'
          ? await ask(gateway, sandbox.logins.merchant, body, options)
          : await askProduction(options, body)
      texts.add(withoutId(answer).replaceAll(/timestamp%3D\d+/g, 'timestamp%3DNOW'))
    }
    expect(texts.size).toBe(1)
  },
)

test('refuses the keys of the other environment', async () => {
  const { controlKey } = sandbox.logins.merchant
  const fingerprint = `SHA256:${createHash('sha256').update(controlKey).digest('base64')}`
  const other = await serve(sandbox, { otherEnvironment: { keyFingerprints: [fingerprint] } })
  const refused = await ask(other, sandbox.logins.merchant)
  expect(refused.text).toContain('Step that failed: consumer\n')
  const rsa = await ask(other, sandbox.logins.merchant, LIST, { key: 'rsa' })
  expect(rsa.headers).toHaveProperty('trailer')
  await other.close()
})

test('notes the key that signed a request in the log and in the store', async () => {
  const { merchant } = sandbox.logins
  for (const key of ['hmac', 'rsa'] as const) await ask(gateway, merchant, LIST, { key })
  const store = openSqliteStore(join(sandbox.dataDir, 'store.sqlite'))
  const keys = await store.listKeys(merchant.login)
  await store.close()
  for (const { keyId, fingerprint, lastUsedAt } of keys) {
    expect(gateway.lines()).toContainEqual(expect.objectContaining({ keyId, fingerprint }))
    expect(Date.now() - Number(lastUsedAt)).toBeLessThan(600_000)
  }
  expect(keys).toHaveLength(2)
})

/** Sends raw bytes, because a client library would join repeated headers. */
async function sendRaw(port: number, request: SignedRequest): Promise<string> {
  const connection = await connectRaw(port)
  const headers = { ...request.headers, Connection: 'close' }
  connection.write(bytesOf({ ...request, headers }))
  return (await connection.received).toString()
}

test('refuses another method, a second Authorization and a repeated parameter', async () => {
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
  const { Authorization = '' } = request.headers
  const twice = `${Authorization}, oauth_nonce="another-nonce"`
  const headers = { ...request.headers, Authorization: twice }
  expect(await sendRaw(gateway.port, { ...request, headers })).toContain(
    'Step that failed: header\n',
  )
  const second = { ...request.headers, authorization: Authorization }
  expect(await sendRaw(gateway.port, { ...request, headers: second })).toContain(
    'Step that failed: header\nReason: expected one Authorization header, got two\n',
  )
  expect(await sendRaw(gateway.port, { ...request, method: 'PUT' })).toMatch(/^HTTP\/1\.1 405 /)
})

test('accepts one of many equal requests that arrive at once', async () => {
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => await read(await send(request))),
  )
  const kinds = answers.map(({ headers }) => headers['content-type'])
  expect(kinds.filter((kind) => kind === 'text/csv; charset=UTF-8')).toHaveLength(1)
  expect(kinds.filter((kind) => kind === 'text/plain; charset=utf-8')).toHaveLength(11)
})
