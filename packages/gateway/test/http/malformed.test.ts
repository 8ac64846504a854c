// @module-tag long

import { REFUSAL_PREFIX } from '@counterfoil/protocol'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { PROBLEMS } from '../../../common/src/errors.ts'
import { ask, LIST, read, send, type SignedRequest, signRequest } from '../kit/ask.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** The problems that callers can cause. Any other problem is a fault of the gateway. */
const CALLERS_PROBLEMS = Object.entries(PROBLEMS).filter(([, { status }]) => {
  return status < 500 || status === 505
})
/** Random requests of each kind. With fewer than 80 envelopes, none might be right. */
const RUNS = 100
const JSON_TYPE = 'application/json'

const { sandbox, gateway } = await serveSandbox([1000])
afterEach(async () => {
  const { trailers } = await ask(gateway, sandbox.logins.merchant)
  if (!trailers['repr-digest']) throw new Error('expected the next good request to be answered')
})

/** Returns the kind of an answer: a report, a refusal, or the code of a caller's problem. Throws for others. */
function kindOf(status: number, contentType: string, text: string): string {
  if (status === 200 && contentType === 'text/csv; charset=UTF-8') return 'report'
  const isRefusal = contentType === 'text/plain; charset=utf-8' && text.startsWith(REFUSAL_PREFIX)
  if (status === 200 && isRefusal) return 'refusal'
  const problem = contentType === 'application/problem+json' ? JSON.parse(text) : undefined
  const [code = ''] = CALLERS_PROBLEMS.find(([known]) => known === problem?.code) ?? []
  if (problem?.status === status && code !== '') return code
  throw new Error(`expected a documented answer, got ${status} ${contentType} ${text}`)
}

async function kindOfAnswer(request: SignedRequest): Promise<string> {
  const { status, headers, text } = await read(await send(request))
  return kindOf(status, headers['content-type'] ?? '', text)
}

/** Checks the answers to many values. Returns the kinds of answers. */
async function hold<T>(
  values: fc.Arbitrary<T>,
  answer: (value: T) => Promise<string>,
): Promise<ReadonlySet<string>> {
  const kinds = new Set<string>()
  const property = fc.asyncProperty(values, async (value) => {
    kinds.add(await answer(value))
  })
  await fc.assert(property, { numRuns: RUNS })
  return kinds
}

/** Any value of a header. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
})

/** Sends bytes on a new connection. Returns the kind of the answer, or `nothing`. */
async function kindOfBytes(bytes: Uint8Array | string): Promise<string> {
  const connection = await connectRaw(gateway.port)
  connection.write(bytes)
  connection.socket.end()
  const received = (await connection.received).toString('latin1')
  if (received === '') return 'nothing'
  const [head = '', ...body] = received.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const contentType = /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
  const chunked = /^transfer-encoding: chunked$/im.test(head)
  return kindOf(status, contentType, chunked ? '' : body.join('\r\n\r\n'))
}

test('gives a documented answer to any JSON body', async () => {
  const kinds = await hold(fc.json({ maxDepth: 5 }), async (body) => {
    return await kindOfAnswer(await signRequest(gateway, sandbox.logins.operator, body))
  })
  expect([...kinds]).toEqual(['invalid-field'])
})

test('gives a documented answer to any envelope of wrong members', async () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.constantFrom('', ',', 'CSV', '\u0000', '"'),
  )
  const names = ['dateFrom', 'dateTo', 'timezone', 'statuses', '__proto__', 'constructor']
  const inputs = fc.array(
    fc.record({
      type: fc.constant('INPUT_TEXT'),
      name: fc.constantFrom(...names),
      value: fc.oneof(fc.string(), fc.constantFrom('2026-01-01', 'UTC', 'approved')),
    }),
  )
  const ids = fc.oneof(fc.nat(3), fc.string(), fc.constantFrom('EUR', '1', "1') OR ('1'='1"))
  const names9 = fc.constantFrom('gates', 'merchants', 'currencies', 'resellers')
  const oftenRight = (right: unknown, wrong: fc.Arbitrary<unknown> = value) => {
    return fc.oneof({ weight: 6, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: wrong })
  }
  const envelope = fc.record(
    {
      reportIdentifier: oftenRight('transactions-list'),
      reportEncode: oftenRight('UTF-8'),
      reportName: fc.string({ unit: 'binary' }),
      reportCsvDelimiter: oftenRight(';', fc.string({ maxLength: 1, minLength: 1 })),
      reportFormat: oftenRight('CSV'),
      inputReportParameters: oftenRight([], fc.oneof(inputs, value)),
      filters: oftenRight({}, fc.oneof(fc.dictionary(names9, fc.array(ids)), value)),
    },
    { requiredKeys: ['reportIdentifier'] },
  )
  const kinds = await hold(envelope, async (body) => {
    return await kindOfAnswer(await signRequest(gateway, sandbox.logins.operator, body))
  })
  expect([...kinds]).toEqual(expect.arrayContaining(['report', 'invalid-field']))
})

test('gives a documented answer to any bytes as a body, with any Content-Type', async () => {
  const types = [JSON_TYPE, 'application/x-www-form-urlencoded', 'text/plain', 'a/b; c']
  const contentType = fc.oneof(fc.constantFrom(...types), headerText)
  const encodings = fc.oneof(fc.constantFrom('gzip', 'identity', 'deflate'), headerText)
  const encoding = fc.option(encodings, { nil: undefined })
  const body = fc.uint8Array({ maxLength: 3000 })
  const kinds = await hold(fc.record({ body, contentType, encoding }), async (sent) => {
    const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
    const headers = {
      ...request.headers,
      'Content-Type': sent.contentType.trim(),
      ...(sent.encoding !== undefined && { 'Content-Encoding': sent.encoding.trim() }),
    }
    return await kindOfAnswer({ ...request, headers, body: Buffer.from(sent.body) })
  })
  expect(kinds).toContain('unsupported-media-type')
})

test('gives a documented answer to any Authorization', async () => {
  const names = ['nonce', 'timestamp', 'consumer_key', 'signature', 'signature_method']
  const values = ['HMAC-SHA1', '%ff', '%', '%00', '1e9', '-1', '99999999999']
  const pair = fc
    .tuple(
      fc.constantFrom(...names.map((name) => `oauth_${name}`), 'realm', 'x'),
      fc.oneof(headerText, fc.constantFrom(...values)),
    )
    .map(([name, text]) => `${name}="${text}"`)
  const pairs = fc.array(pair, { maxLength: 12 }).map((all) => `OAuth ${all.join(', ')}`)
  const kinds = await hold(fc.oneof(headerText, pairs), async (text) => {
    const headers = { Authorization: text.trim() }
    return await kindOfAnswer(
      await signRequest(gateway, sandbox.logins.merchant, LIST, { headers }),
    )
  })
  expect([...kinds]).toEqual(['refusal'])
})

test('gives a documented answer to any path and query', async () => {
  const unit = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  const text = fc.string({ unit, maxLength: 60 })
  const target = fc.oneof(
    text.map((path) => `/${path}`),
    text.map((query) => `${new URL(gateway.reportUrl).pathname}?${query}`),
  )
  const kinds = await hold(target, async (path) => {
    const [, ...rest] = bytesOf(await signRequest(gateway, sandbox.logins.merchant, LIST))
      .toString()
      .split('\r\n')
    return await kindOfBytes([`POST ${path} HTTP/1.1`, 'Connection: close', ...rest].join('\r\n'))
  })
  expect([...kinds]).toEqual(expect.arrayContaining(['not-found', 'refusal']))
})

test('gives a documented answer or none to garbage', async () => {
  const line = fc.string({ maxLength: 200 })
  const garbage = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 500 }),
    line.map((header) => Buffer.from(`POST /x HTTP/1.1\r\n${header}\r\n\r\n`, 'latin1')),
    line.map((method) => Buffer.from(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`, 'latin1')),
  )
  expect(await hold(garbage, kindOfBytes)).toContain('malformed-http')
})

test('gives a documented answer or none to a truncated request', async () => {
  const request = bytesOf(await signRequest(gateway, sandbox.logins.merchant, LIST))
  const kinds = await hold(fc.integer({ min: 1, max: request.length - 1 }), async (length) => {
    return await kindOfBytes(request.subarray(0, length))
  })
  for (const kind of kinds) expect(['malformed-http', 'nothing']).toContain(kind)
})
