import { METHODS } from 'node:http'
import { REPORT_REQUEST_DEFAULTS } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../../../common/src/errors.ts'
import { type Answer, ask, type AskOptions, LIST, problemIn, signRequest } from '../kit/ask.ts'
import { connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { FAULTY_ENVELOPES, faultyEnvelope } from './faulty-envelopes.cases.ts'

const MIB = 1024 * 1024

const { sandbox, gateway } = await serveSandbox([1000])

async function asMerchant(request: object | string | Uint8Array, options: AskOptions = {}) {
  return await ask(gateway, sandbox.logins.merchant, request, options)
}

/** Returns the problem of an answer, after checking what all problems have in common. */
function problemOf(answer: Answer) {
  const problem = problemIn(answer)
  const [, kind] = Object.entries(PROBLEMS).find(([code]) => code === problem.code) ?? []
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(problem).toMatchObject({ ...kind, type: `urn:counterfoil:problem:${problem.code}` })
  expect(problem.status).toBe(answer.status)
  expect(problem.requestId).toBe(answer.headers['counterfoil-request-id'])
  expect(problem.detail).toContain('expected')
  return problem
}

describe('a body', () => {
  test('that is not JSON in UTF-8 is malformed', async () => {
    for (const body of ['{"a":}', Uint8Array.of(0x22, 0xff, 0x22)]) {
      expect(problemOf(await asMerchant(body)).code).toBe('malformed-json')
    }
  })

  test('of another, no or a malformed media type, or with a Content-Encoding, is refused', async () => {
    const types = ['text/csv', undefined, ';;', ''].map((type) => ({ 'Content-Type': type }))
    for (const headers of [...types, { 'Content-Encoding': 'gzip' }]) {
      expect(problemOf(await asMerchant(LIST, { headers })).code).toBe('unsupported-media-type')
    }
  })

  test('with the charset UTF-8 and the Content-Encoding "identity" is taken', async () => {
    const headers = { 'Content-Encoding': 'identity' }
    const contentType = 'Application/JSON; charset="UTF-8"'
    expect((await asMerchant(LIST, { contentType, headers })).status).toBe(200)
  })

  test('of exactly 1 MiB is taken, and one byte more is too large', async () => {
    const padded = (bytes: number) => JSON.stringify(LIST).padEnd(bytes)
    expect((await asMerchant(padded(MIB))).status).toBe(200)
    expect(problemOf(await asMerchant(padded(MIB + 1))).code).toBe('body-too-large')
  })

  test('that is too large is refused in chunks too', async () => {
    const { headers } = await signRequest(gateway, sandbox.logins.merchant, LIST)
    const body = async function* () {
      for (let sent = 0; sent < 8; sent += 1) yield new Uint8Array(MIB / 4).fill(0x20)
    }
    const answer = await fetch(gateway.reportUrl, {
      method: 'POST',
      headers,
      body: ReadableStream.from(body()),
      duplex: 'half',
    })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'body-too-large' })
  })
})

describe('a path', () => {
  test.each(['/UI/services/v2/rpt-engine', '/%zz', '//'])(
    'other than the report path is not found: %s',
    async (path) => {
      const url = `http://127.0.0.1:${gateway.port}${path}`
      expect(problemOf(await asMerchant(LIST, { url })).code).toBe('not-found')
    },
  )

  test('refuses other methods, and names its own in Allow', async () => {
    const others = METHODS.filter((method) => !['POST', 'CONNECT', 'HEAD'].includes(method))
    for (const method of others) {
      const answer = await asMerchant('', { method })
      expect(problemOf(answer).code).toBe('method-not-allowed')
      expect(answer.headers.allow).toBe('POST')
    }
    const head = await asMerchant('', { method: 'HEAD' })
    expect([head.status, head.headers.allow, head.text]).toEqual([405, 'POST', ''])
    const url = `http://127.0.0.1:${gateway.port}/livez`
    const reply = await fetch(url)
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const health = await asMerchant(LIST, { url })
    expect(problemOf(health).code).toBe('method-not-allowed')
    expect(health.headers.allow).toBe('GET, HEAD')
  })
})

describe('an envelope', () => {
  test.each(FAULTY_ENVELOPES)('gets the fault %s: %s', async (pointer, expected, change) => {
    const answer = await asMerchant(faultyEnvelope(change))
    const { code, errors = [] } = problemIn(answer)
    expect(['invalid-field', 'invalid-parameter']).toContain(code)
    expect(answer.status).toBe(422)
    expect(errors).toContainEqual({ pointer, expected: expect.stringContaining(expected) })
  })

  test('gets all its faults at once', async () => {
    const body = {
      ...LIST,
      reportName: 1,
      reportCsvDelimiter: ';;',
      filters: { gates: 'x' },
      more: 1,
    }
    const { code, errors } = problemOf(await asMerchant(body))
    expect(code).toBe('invalid-field')
    const pointers = errors?.map(({ pointer }) => pointer).toSorted()
    expect(pointers).toEqual(['/filters/gates', '/more', '/reportCsvDelimiter', '/reportName'])
  })

  test('needs the report only, and takes names of formats and encodings in any case', async () => {
    const bare = await asMerchant(LIST)
    const full = await asMerchant({
      ...LIST,
      ...REPORT_REQUEST_DEFAULTS,
      reportEncode: 'utf-8',
      reportFormat: 'csv',
      reportName: 'transactions-list',
      configurationReportParameters: [],
      inputReportParameters: [],
      outputReportParameters: [],
      filters: {},
    })
    expect(full.bytes.equals(bare.bytes)).toBe(true)
    expect(full.headers['content-disposition']).toBe(bare.headers['content-disposition'])
  })
})

test('refuses an unknown report and a report for other roles with the same text', async () => {
  const [none, foreign] = [
    problemOf(await asMerchant({ reportIdentifier: 'no-such-report' })),
    problemOf(await asMerchant({ reportIdentifier: 'late-failure' })),
  ]
  expect([none.code, foreign.code]).toEqual(['unknown-report', 'unknown-report'])
  expect(foreign.errors).toEqual(none.errors)
  expect(none.errors?.[0]).toMatchObject({ pointer: '/reportIdentifier' })
  expect(none.detail).toContain('transactions-list')
  expect(none.detail).not.toContain('late-failure')
})

describe('HTTP itself', () => {
  test('with an unknown Expect header is served', async () => {
    const answer = await asMerchant(LIST, { headers: { Expect: 'nonsense' } })
    expect(answer.trailers).toHaveProperty('repr-digest')
  })

  test('of version 1.0 may ask for health, as some load balancers do', async () => {
    const connection = await connectRaw(gateway.port)
    connection.write('GET /livez HTTP/1.0\r\n\r\n')
    const answer = (await connection.received).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain('{"status":"ok"}')
  })

  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n'

  test.each([
    ['GARBAGE\r\n\r\n', 400, 'malformed-http'],
    [`${head}Content-Length: 2\r\n\r\n`, 400, 'malformed-http'],
    [`${head}Transfer-Encoding: chunked\r\n\r\n`, 400, 'malformed-http'],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 431, 'headers-too-large'],
  ])('that is malformed gets a problem: %j', async (bytes, status, code) => {
    const connection = await connectRaw(gateway.port)
    connection.write(bytes)
    const answer = (await connection.received).toString()
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toMatch(/^content-type: application\/problem\+json\r$/im)
    expect(answer).toContain(`"code":"${code}"`)
  })
})
