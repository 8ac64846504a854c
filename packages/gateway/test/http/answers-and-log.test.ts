import { createHash } from 'node:crypto'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { ask, LIST, parameters, signRequest } from '../kit/ask.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** A mark for every part of a request that the gateway must not log. */
const MARKED = 'Sesame-4716'

const { sandbox, gateway } = await serveSandbox([1000])
const { operator } = sandbox.logins

const DECOMPRESS = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  ...('zstdDecompressSync' in zlib && { zstd: zlib.zstdDecompressSync }),
}

test.each(Object.entries(DECOMPRESS))(
  'sends a report in %s, whose digest is that of the sent bytes (RFC 9530)',
  async (coding, decompress) => {
    const plain = await ask(gateway, operator)
    const headers = { 'Accept-Encoding': coding }
    const answer = await ask(gateway, operator, LIST, { headers })
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' })
    expect(decompress(answer.bytes).equals(plain.bytes)).toBe(true)
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 3)
    const digest = createHash('sha256').update(answer.bytes).digest('base64')
    expect(answer.trailers).toEqual({
      ...plain.trailers,
      'repr-digest': `sha-256=:${digest}:`,
    })
    const sent = gateway.lines().at(-1)
    expect(sent).toMatchObject({ outcome: 'report', bytes: answer.bytes.length })
  },
)

test('logs every request as one line of JSON with the documented fields', async () => {
  const before = gateway.lines().length
  const { merchant } = sandbox.logins
  const answers = [
    await ask(gateway, merchant),
    await ask(gateway, merchant, { reportIdentifier: 'none' }),
    await ask(gateway, merchant, LIST, { login: 'nobody' }),
    await ask(gateway, merchant, LIST, { url: `http://127.0.0.1:${gateway.port}/nothing?a=1` }),
    await ask(gateway, merchant, '', {
      method: 'GET',
      url: `http://127.0.0.1:${gateway.port}/livez`,
    }),
  ]
  const lines = gateway.lines().slice(before)
  const always = {
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    durationMs: expect.any(Number),
    msg: 'request',
  }
  const [report, problem, refusal, notFound, health] = answers.map((answer) => ({
    ...always,
    requestId: answer.headers['counterfoil-request-id'],
    method: 'POST',
    path: '/ui/services/v2/rpt-engine',
    status: answer.status,
  }))
  const key = {
    keyId: expect.any(String),
    fingerprint: expect.stringMatching(/^SHA256:/),
  }
  expect(lines).toEqual([
    {
      ...report,
      ...key,
      outcome: 'report',
      login: 'merchant',
      report: 'transactions-list',
      format: 'CSV',
      rows: Number(answers[0]?.trailers['counterfoil-rows']),
      bytes: answers[0]?.bytes.length,
      firstByteMs: expect.any(Number),
    },
    { ...problem, ...key, outcome: 'problem', code: 'unknown-report', login: 'merchant' },
    { ...refusal, outcome: 'refusal', code: 'consumer-unknown', step: 'consumer', login: 'nobody' },
    { ...notFound, path: '/nothing', outcome: 'problem', code: 'not-found' },
    { ...health, method: 'GET', path: '/livez', outcome: 'reply' },
  ])
})

test('logs nothing of a header, a query or a body, whatever the outcome', async () => {
  const { merchant } = sandbox.logins
  const bodies = [
    `{"reportIdentifier": "${MARKED}`,
    `{"${MARKED}": }`,
    MARKED,
    { [MARKED]: 1 },
    { ...LIST, reportName: MARKED },
    { ...LIST, reportFormat: MARKED },
    { reportIdentifier: MARKED },
    { ...LIST, ...parameters({ dateFrom: MARKED }) },
    { ...LIST, ...parameters({ [MARKED]: 'x' }) },
    { ...LIST, filters: { [MARKED]: [] } },
    { ...LIST, filters: { currencies: [MARKED] } },
  ]
  for (const body of bodies) {
    for (const contentType of ['application/json', 'application/x-www-form-urlencoded']) {
      await ask(gateway, merchant, body, { contentType })
      await ask(gateway, merchant, body, { contentType, sentQuery: `?${MARKED}` })
    }
  }
  await ask(gateway, merchant, LIST, { query: `?${MARKED}=1` })
  await ask(gateway, merchant, LIST, { headers: { Authorization: `OAuth ${MARKED}="x"` } })
  await ask(gateway, merchant, LIST, { headers: { 'Content-Type': MARKED, Cookie: MARKED } })
  const connection = await connectRaw(gateway.port)
  connection.write(`POST / ${MARKED}\r\n\r\n`)
  await connection.received
  const badPath = await connectRaw(gateway.port)
  const host = `Host: 127.0.0.1:${gateway.port}`
  badPath.write(`POST /gate/1%?cvv2=${MARKED} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`)
  expect((await badPath.received).toString()).toContain('404 Not Found')
  const broken = await signRequest(gateway, merchant, { reportIdentifier: MARKED })
  const half = await connectRaw(gateway.port)
  half.write(bytesOf(broken).subarray(0, -5))
  half.socket.end()
  await half.received
  expect(gateway.log()).not.toContain(MARKED)
})
