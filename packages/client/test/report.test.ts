import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CounterfoilClient, CounterfoilError, type ErrorCode } from '../src/index.ts'
import {
  beginReport,
  BODY_LOGIN,
  connect,
  CONTROL_KEY,
  CSV,
  CSV_ROWS,
  ENCRYPTED_PRIVATE_KEY,
  type Handler,
  LOGIN,
  PASSPHRASE,
  PRIVATE_KEY,
  refuse,
  RSA_LOGIN,
  sendReport,
  startGateway,
} from './fixture-gateway.ts'

const REQUEST = { reportIdentifier: 'transactions-list' }

test('returns a complete report, byte for byte', async () => {
  const client = connect(await startGateway((response) => sendReport(response)))
  const report = await client.report(REQUEST)
  expect(report).toMatchObject({
    runId: 'request-1',
    fileName: 'transactions-list.csv',
    contentType: 'text/csv; charset=UTF-8',
  })
  expect(await text(report.body)).toBe(CSV)
  expect(await report.completed).toEqual({
    proof: 'trailers',
    rows: CSV_ROWS,
    bytes: Buffer.byteLength(CSV),
    replaced: 0,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('sends the request as JSON, asks for trailers, and signs with the control key', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const client = connect(gateway)
  const request = { ...REQUEST, reportName: 'Май', filters: { merchants: [1, '2'] } }
  const { body } = await client.report(request)
  await body.cancel()
  expect(gateway.received).toMatchObject([
    {
      login: LOGIN,
      request,
      headers: { 'content-type': 'application/json', te: 'trailers', connection: 'close, TE' },
    },
  ])
})

test('signs the body only with signBody', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const client = connect(gateway, { login: BODY_LOGIN, signBody: true })
  const { body } = await client.report(REQUEST)
  expect(await text(body)).toBe(CSV)
  const without = connect(gateway, { login: BODY_LOGIN })
  const refusal = expect.stringContaining('body-hash')
  await expect(without.report(REQUEST)).rejects.toMatchObject({ code: 'not-authorised', refusal })
})

test.each([
  ['plain', { privateKey: PRIVATE_KEY }],
  ['encrypted', { privateKey: ENCRYPTED_PRIVATE_KEY, passphrase: PASSPHRASE }],
])('signs with a private key, %s', async (_, key) => {
  const gateway = await startGateway((response) => sendReport(response))
  const client = new CounterfoilClient({ endpoint: gateway.endpoint, login: RSA_LOGIN, ...key })
  const { body } = await client.report(REQUEST)
  expect(await text(body)).toBe(CSV)
  expect(gateway.received).toMatchObject([{ login: RSA_LOGIN }])
})

test('accepts a report without rows, and a format other than CSV, whose rows only the gateway counts', async () => {
  const pdf = { contentType: 'application/pdf', rows: '17' }
  let shape = {}
  const client = connect(await startGateway((response) => sendReport(response, '"Id"\r\n', shape)))
  for (const [next, rows] of [
    [{ rows: '0' }, 0],
    [pdf, 17],
  ] as const) {
    shape = next
    const { body, completed } = await client.report(REQUEST)
    await text(body)
    expect(await completed).toMatchObject({ rows })
  }
})

test('recognises a refusal with status 200', async () => {
  const gateway = await startGateway(() => {})
  const client = new CounterfoilClient({
    endpoint: gateway.endpoint,
    login: LOGIN,
    controlKey: 'wrong',
  })
  await expect(client.report(REQUEST)).rejects.toMatchObject({
    name: 'CounterfoilError',
    code: 'not-authorised',
    requestId: 'request-1',
    refusal: expect.stringMatching(/^You are not authorised[^]*\nsignature: /),
  })
})

test.each<[string, Handler]>([
  [
    'with status 403',
    (r) => void r.writeHead(403, { 'Content-Type': 'text/plain' }).end('You are not authorised.'),
  ],
  [
    'with the Content-Disposition of a report',
    (response) => {
      response.setHeader('Content-Disposition', 'attachment; filename="x.csv"')
      refuse(response, '')
    },
  ],
  ['without a media type', (response) => void response.end('You are not authorised.')],
])('recognises a refusal %s', async (_, handle) => {
  const client = connect(await startGateway(handle))
  await expect(client.report(REQUEST)).rejects.toMatchObject({ code: 'not-authorised' })
})

const PROBLEM = {
  type: 'urn:counterfoil:invalid-field',
  title: 'A field is not what it should be',
  status: 422,
  code: 'invalid-field',
  detail: 'dateFrom: expected a date',
  requestId: 'request-1',
  errors: [{ pointer: '/inputReportParameters/0/value', expected: 'a date' }],
}

test('returns a problem with its faults', async () => {
  const client = connect(
    await startGateway((response) => {
      response.writeHead(422, { 'Content-Type': 'application/problem+json' })
      response.end(JSON.stringify(PROBLEM))
    }),
  )
  await expect(client.report(REQUEST)).rejects.toMatchObject({
    code: 'report-refused',
    message: PROBLEM.detail,
    problem: PROBLEM,
    requestId: 'request-1',
  })
})

test.each([
  ['seconds', 503, '7', 7],
  ['seconds, for a login whose share is used up', 429, '7', 7],
  ['anything else', 503, 'tomorrow', undefined],
])('returns when to retry after %s', async (_, status, header, seconds) => {
  const busy: Handler = (response) => {
    response.writeHead(status, { 'Retry-After': header }).end()
  }
  const client = connect(await startGateway(busy))
  await expect(client.report(REQUEST)).rejects.toMatchObject({
    code: 'busy',
    retryAfterSeconds: seconds,
  })
})

test('never follows a redirect, and says where it points', async () => {
  const target = await startGateway((response) => sendReport(response))
  const client = connect(
    await startGateway((response) => {
      response.writeHead(307, { Location: target.endpoint }).end()
    }),
  )
  await expect(client.report(REQUEST)).rejects.toMatchObject({
    code: 'unexpected-body',
    message: expect.stringContaining(target.endpoint),
  })
  expect(target.received).toEqual([])
})

test.each<[string, number, Record<string, string>, string]>([
  ['a web page', 200, { 'Content-Type': 'text/html' }, '<!DOCTYPE html>'],
  ['a text that is no refusal', 200, { 'Content-Type': 'text/plain' }, 'Hello'],
  ['an empty CSV', 200, { 'Content-Type': 'text/csv' }, ''],
  ['a proxy that fails', 502, { 'Content-Type': 'text/html' }, 'Bad gateway'],
  ['a problem that is none', 400, { 'Content-Type': 'application/problem+json' }, '{"title":1}'],
  ['a broken problem', 400, { 'Content-Type': 'application/problem+json' }, '{'],
  ['a broken type', 200, { 'Content-Type': '/' }, 'x'],
  ['nothing', 204, {}, ''],
  ['too long a text', 200, { 'Content-Type': 'text/plain' }, 'x'.repeat(16 * 1024 * 1024 + 1)],
])('does not accept %s as a report', async (_, status, headers, body) => {
  const gateway = await startGateway((response) => {
    response.writeHead(status, headers).end(body)
  })
  const client = connect(gateway)
  await expect(client.report(REQUEST)).rejects.toMatchObject({ code: 'unexpected-body' })
})

test('fails if the connection breaks before the answer', async () => {
  const client = connect(await startGateway((response) => void response.socket?.destroy()))
  await expect(client.report(REQUEST)).rejects.toMatchObject({ code: 'network-error' })
})

test('fails if nothing listens', async () => {
  const gateway = await startGateway(() => {})
  await gateway.close()
  const endpoint = gateway.endpoint.replace('127.0.0.1', 'localhost')
  const client = new CounterfoilClient({ endpoint, login: LOGIN, controlKey: CONTROL_KEY })
  await expect(client.report(REQUEST)).rejects.toMatchObject({
    code: 'network-error',
    message: expect.stringContaining('ECONNREFUSED'),
  })
})

const cutAfter = (csv: string): Handler => {
  return async (response) => {
    beginReport(response)
    if (csv) response.write(csv)
    await sleep(20)
    response.socket?.destroy()
  }
}

test.each<[string, Handler, ErrorCode]>([
  ['cut before the first byte', cutAfter(''), 'truncated'],
  ['cut in the middle', cutAfter(CSV.slice(0, 20)), 'truncated'],
  ['cut before the trailers', cutAfter(CSV), 'truncated'],
  [
    'without trailers',
    (r) => sendReport(r, CSV, { digest: undefined, rows: undefined }),
    'truncated',
  ],
  [
    'with a length instead of trailers',
    (response) => {
      const disposition = 'attachment; filename="x.csv"'
      const headers = {
        'Content-Disposition': disposition,
        'Content-Length': Buffer.byteLength(CSV),
      }
      response.writeHead(200, { 'Content-Type': 'text/csv', ...headers }).end(CSV)
    },
    'truncated',
  ],
  ['without a row count', (r) => sendReport(r, CSV, { rows: undefined }), 'truncated'],
  [
    'with a digest that cannot be read',
    (r) => sendReport(r, CSV, { digest: 'sha-256=abc' }),
    'truncated',
  ],
  ['with a malformed row count', (r) => sendReport(r, CSV, { rows: '3.0' }), 'truncated'],
  [
    'with a wrong digest',
    (r) => sendReport(r, CSV, { digest: `sha-256=:${'A'.repeat(43)}=:` }),
    'digest-mismatch',
  ],
  ['with a row too few', (r) => sendReport(r, CSV, { rows: '4' }), 'digest-mismatch'],
])('fails the body of a report %s', async (_, handle, code) => {
  const client = connect(await startGateway(handle))
  const { body, completed } = await client.report(REQUEST)
  const expected = { code, requestId: 'request-1' }
  await expect(text(body)).rejects.toMatchObject(expected)
  await expect(completed).rejects.toMatchObject(expected)
})

test.each([
  ['an empty control key', { controlKey: '' }],
  ['a variable that is not set', { controlKey: undefined as unknown as string }],
  ['a malformed private key', { privateKey: 'none' }],
  ['a private key without its passphrase', { privateKey: ENCRYPTED_PRIVATE_KEY }],
  ['a malformed endpoint', { controlKey: CONTROL_KEY, endpoint: 'gateway' }],
  ['an empty login', { controlKey: CONTROL_KEY, login: '' }],
])('refuses %s before it sends anything', async (_, options) => {
  const request = async () => {
    const endpoint = 'https://gateway.example/'
    return await new CounterfoilClient({ endpoint, login: LOGIN, ...options }).report(REQUEST)
  }
  const error: unknown = await request().catch((thrown: unknown) => thrown)
  expect(error instanceof CounterfoilError).toBe(true)
  expect(error).toMatchObject({ code: 'invalid-settings' })
})
