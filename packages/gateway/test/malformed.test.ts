import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { PROBLEMS } from '../src/errors.ts'
import { ask, LIST, read, send, signRequest } from './ask.ts'
import { bytesOf, connectRaw } from './raw-connection.ts'
import { type RunningGateway, serve } from './running-gateway.ts'
import { makeSandbox, type Sandbox } from './sandbox.ts'

const STATUSES = new Set<number>(Object.values(PROBLEMS).map(({ status }) => status))
const JSON_TYPE = 'application/json'

let sandbox: Sandbox
let gateway: RunningGateway
beforeAll(async () => {
  sandbox = await makeSandbox(1000)
  gateway = await serve(sandbox)
})
afterEach(async () => {
  // Whatever was sent: the next good request is answered.
  const answer = await ask(gateway, sandbox.logins.merchant)
  expect(answer.trailers).toHaveProperty('repr-digest')
})
afterAll(async () => {
  const failures = gateway.lines().filter(({ code }) => code === 'internal-error')
  expect(failures).toEqual([])
  await gateway.close()
  sandbox.remove()
})

/** Holds an answer's head and body against what is documented: a report, a refusal, or a problem of the caller's. */
function expectDocumented(status: number, contentType: string, text: string): void {
  if (status === 200 && contentType === 'text/csv; charset=UTF-8') return
  if (status === 200) {
    expect(contentType).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^You are not authorised/)
    return
  }
  expect(contentType).toBe('application/problem+json')
  const problem = JSON.parse(text)
  const known = Object.entries(PROBLEMS).find(([code]) => code === problem.code)
  expect(known?.[1].status).toBe(status)
  expect(status).toBeLessThan(500)
}

async function expectAnswer(request: Awaited<ReturnType<typeof signRequest>>): Promise<void> {
  const { status, headers, text } = await read(await send(request))
  expectDocumented(status, headers['content-type'] ?? '', text)
}

async function hold<T>(
  values: fc.Arbitrary<T>,
  property: (value: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(values, property), { numRuns: 150 })
}

/** What a header's value can hold. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
})

test('any JSON as a body gets a documented answer', async () => {
  await hold(fc.json({ maxDepth: 5 }), async (body) => {
    await expectAnswer(await signRequest(gateway, sandbox.logins.operator, body))
  })
})

test('any envelope of wrong members gets a documented answer', async () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.constantFrom('', ',', 'CSV', '\u0000', '"'),
  )
  const inputs = fc.array(
    fc.record({
      type: fc.constant('INPUT_TEXT'),
      name: fc.constantFrom(
        'dateFrom',
        'dateTo',
        'timezone',
        'statuses',
        '__proto__',
        'constructor',
      ),
      value: fc.string(),
    }),
  )
  const filters = fc.dictionary(
    fc.constantFrom('gates', 'merchants', 'currencies', 'resellers'),
    fc.array(
      fc.oneof(fc.integer(), fc.string(), fc.constantFrom('EUR', 'USD', '1', "1') OR ('1'='1")),
    ),
  )
  const envelope = fc.record(
    {
      reportIdentifier: fc.oneof(fc.constant('transactions-list'), value),
      reportEncode: value,
      reportName: fc.oneof(fc.string({ unit: 'binary' }), value),
      reportCsvDelimiter: fc.oneof(fc.string({ maxLength: 1, minLength: 1 }), value),
      reportFormat: value,
      inputReportParameters: fc.oneof(inputs, value),
      filters: fc.oneof(filters, value),
    },
    { requiredKeys: ['reportIdentifier'] },
  )
  await hold(envelope, async (body) => {
    await expectAnswer(await signRequest(gateway, sandbox.logins.operator, body))
  })
})

test('any bytes as a body get a documented answer, whatever they are said to be', async () => {
  const contentType = fc.oneof(
    fc.constantFrom(JSON_TYPE, 'application/x-www-form-urlencoded', 'text/plain', 'a/b; c'),
    headerText,
  )
  const encoding = fc.option(fc.oneof(fc.constantFrom('gzip', 'identity', 'deflate'), headerText), {
    nil: undefined,
  })
  await hold(
    fc.record({ body: fc.uint8Array({ maxLength: 3000 }), contentType, encoding }),
    async (sent) => {
      const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
      const headers = {
        ...request.headers,
        'Content-Type': sent.contentType.trim(),
        ...(sent.encoding !== undefined && { 'Content-Encoding': sent.encoding.trim() }),
      }
      await expectAnswer({ ...request, headers, body: Buffer.from(sent.body) })
    },
  )
})

test('any Authorization gets a documented answer', async () => {
  const pair = fc
    .tuple(
      fc.constantFrom(
        'oauth_nonce',
        'oauth_timestamp',
        'oauth_consumer_key',
        'oauth_signature',
        'oauth_signature_method',
        'realm',
        'x',
      ),
      fc.oneof(
        headerText,
        fc.constantFrom('HMAC-SHA1', '%ff', '%', '%00', '1e9', '-1', '99999999999'),
      ),
    )
    .map(([name, text]) => `${name}="${text}"`)
  const pairs = fc.array(pair, { maxLength: 12 }).map((all) => `OAuth ${all.join(', ')}`)
  await hold(fc.oneof(headerText, pairs), async (text) => {
    const headers = { Authorization: text.trim() }
    await expectAnswer(await signRequest(gateway, sandbox.logins.merchant, LIST, { headers }))
  })
})

test('any path and query get a documented answer', async () => {
  const unit = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  await hold(fc.string({ unit, maxLength: 60 }), async (text) => {
    const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
    for (const target of [`/${text}`, `${new URL(request.url).pathname}?${text}`]) {
      const connection = await connectRaw(gateway.port)
      const [, ...rest] = bytesOf(request).toString().split('\r\n')
      connection.write([`POST ${target} HTTP/1.1`, 'Connection: close', ...rest].join('\r\n'))
      expectRaw((await connection.received).toString())
    }
  })
})

/** Holds the bytes of one answer, or of none, against what is documented. */
function expectRaw(received: string): void {
  if (received === '') return
  const [head = '', ...body] = received.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  expect(STATUSES.has(status) || status === 200).toBe(true)
  const contentType = /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
  expectDocumented(status, contentType, body.join('\r\n\r\n'))
}

test('a socket that talks garbage gets a documented answer, or none', async () => {
  const garbage = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    fc
      .string({ maxLength: 200 })
      .map((line) => Buffer.from(`POST /x HTTP/1.1\r\n${line}\r\n\r\n`, 'latin1')),
    fc
      .string({ maxLength: 200 })
      .map((line) => Buffer.from(`${line} / HTTP/1.1\r\nHost: x\r\n\r\n`, 'latin1')),
  )
  await hold(garbage, async (bytes) => {
    const connection = await connectRaw(gateway.port)
    connection.write(bytes)
    connection.socket.end()
    expectRaw((await connection.received).toString('latin1'))
  })
})

test('a request that breaks off anywhere gets a documented answer, or none', async () => {
  const request = bytesOf(await signRequest(gateway, sandbox.logins.merchant, LIST))
  await hold(fc.integer({ min: 1, max: request.length - 1 }), async (length) => {
    const connection = await connectRaw(gateway.port)
    connection.write(request.subarray(0, length))
    connection.socket.end()
    expectRaw((await connection.received).toString())
  })
})

test('bodies of every size around the limit are taken or too large', async () => {
  const limit = 1024 * 1024
  for (const bytes of [0, 1, limit - 1, limit, limit + 1, 2 * limit]) {
    const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
    const answer = await read(await send({ ...request, body: Buffer.alloc(bytes, ' ') }))
    expect(answer.status).toBe(bytes > limit ? 413 : 400)
  }
})

test('headers are taken up to 16 KiB, and too large above', async () => {
  const askFilled = async (bytes: number) => {
    const headers = { 'X-Filling': 'x'.repeat(bytes) }
    return (await ask(gateway, sandbox.logins.merchant, LIST, { headers })).status
  }
  expect(await askFilled(15 * 1024)).toBe(200)
  expect(await askFilled(17 * 1024)).toBe(431)
})
