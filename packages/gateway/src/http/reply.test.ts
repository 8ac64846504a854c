import { once } from 'node:events'
import { createServer, request as requestHttp, type Server, type ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import type { ReportStream, ReportTotals } from '../outcome/outcome.ts'
import { problemReply, replyTo, sendReport } from './reply.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Answers one request on a real server. Resolves when the headers of the answer arrive. */
async function answerWith(handle: (response: ServerResponse) => void) {
  server = createServer((_, response) => handle(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sent = requestHttp({ host: '127.0.0.1', port, agent: false }).end()
  const [answer] = await once(sent, 'response')
  return answer
}

const TOTALS: ReportTotals = { rows: 2, replaced: 0, sha256: `${'A'.repeat(43)}=` }

function reportOf(body: ReportStream['body'], fileName = 'may.csv'): ReportStream {
  const [timezone, newestRow] = ['UTC', '2026-10-31T22:10:59Z']
  const contentType = 'text/csv; charset=UTF-8'
  const onEnd = () => {}
  return { kind: 'report', contentType, fileName, timezone, newestRow, onEnd, body }
}

test('streams a report, and sends its totals after it', async () => {
  async function* body(): ReportStream['body'] {
    // The first chunk lies in Node's pool of buffers, the second has its own memory.
    yield Buffer.from('"a"\r\n')
    yield new TextEncoder().encode('"1"\r\n"2"\r\n')
    return TOTALS
  }
  let sent: ReturnType<typeof sendReport> | undefined
  const answer = await answerWith((response) => {
    sent = sendReport(response, reportOf(body(), 'май.csv'))
  })
  expect(await text(answer)).toBe('"a"\r\n"1"\r\n"2"\r\n')
  expect(answer.headers['content-disposition']).toContain("filename*=UTF-8''%D0%BC%D0%B0%D0%B9.csv")
  expect(answer.trailers).toEqual({
    'repr-digest': `sha-256=:${TOTALS.sha256}:`,
    'counterfoil-rows': '2',
    'counterfoil-replaced': '0',
  })
  expect(await sent).toEqual({ totals: TOTALS, bytes: 15 })
})

test('sends chunks of any size completely and in order', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.nat(20_000), fc.nat(200_000)), {
    minLength: 1,
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(sizes, async (all) => {
      async function* body(): ReportStream['body'] {
        for (const [index, size] of all.entries()) {
          if (size % 3 === 0) await new Promise(setImmediate)
          yield new Uint8Array(size).fill(index)
        }
        return TOTALS
      }
      const answer = await answerWith((response) => {
        void sendReport(response, reportOf(body()))
      })
      const bytes = await buffer(answer)
      const expected = Buffer.concat(all.map((size, index) => Buffer.alloc(size, index)))
      expect(bytes.equals(expected)).toBe(true)
      expect(answer.trailers).toHaveProperty('counterfoil-rows')
      server?.close()
    }),
    { numRuns: 40 },
  )
})

test('destroys the connection when a report breaks, and ends the source', async () => {
  let ended = false
  const head = Promise.withResolvers<void>()
  async function* body(): ReportStream['body'] {
    try {
      yield new Uint8Array(100_000)
      await head.promise
      throw new Error('broken')
    } finally {
      ended = true
    }
  }
  let sent: ReturnType<typeof sendReport> | undefined
  const answer = await answerWith((response) => {
    sent = sendReport(response, reportOf(body()))
  })
  head.resolve()
  await expect(sent).rejects.toThrow('broken')
  await expect(text(answer)).rejects.toThrow('aborted')
  expect(ended).toBe(true)
})

test.each(['resets', 'ends'])(
  'ends the source when a reader that takes nothing %s',
  async (how) => {
    let ended = false
    async function* body(): ReportStream['body'] {
      try {
        for (;;) yield new Uint8Array(100_000)
      } finally {
        ended = true
      }
    }
    let sent: ReturnType<typeof sendReport> | undefined
    const answer = await answerWith((response) => {
      sent = sendReport(response, reportOf(body()))
    })
    await new Promise((later) => setTimeout(later, 100))
    if (how === 'resets') answer.socket.resetAndDestroy()
    else answer.destroy()
    expect(await sent).toEqual({ bytes: expect.any(Number) })
    expect(ended).toBe(true)
  },
)

test('keeps few chunks in memory for a reader that takes nothing', async () => {
  const CHUNK = 100_000
  let yieldedBytes = 0
  async function* body(): ReportStream['body'] {
    for (; yieldedBytes < 60_000_000; yieldedBytes += CHUNK) yield new Uint8Array(CHUNK)
    return TOTALS
  }
  const answer = await answerWith((response) => {
    void sendReport(response, reportOf(body()))
  })
  const { socket } = answer
  let before = -1
  while (before !== yieldedBytes) {
    before = yieldedBytes
    await new Promise((later) => setTimeout(later, 200))
  }
  // The kernel buffers a few MB at the two ends of the connection.
  const kept = yieldedBytes - socket.bytesRead
  expect(kept).toBeGreaterThanOrEqual(LIMITS.unsentBytesMax)
  expect(kept).toBeLessThan(LIMITS.unsentBytesMax + 20_000_000)
  expect((await buffer(answer)).length).toBe(60_000_000)
  expect(answer.trailers).toHaveProperty('counterfoil-rows')
})

test('lists all faults in a problem, and adds Retry-After if the gateway is busy', () => {
  const faults = [{ pointer: '/a', expected: 'b' }]
  const {
    status,
    headers,
    text: body,
  } = problemReply(
    new GatewayError('invalid-field', 'expected b', { faults, cause: new Error('SECRET') }),
    'r-1',
  )
  expect([status, headers['Content-Type']]).toEqual([422, 'application/problem+json'])
  expect(headers).not.toHaveProperty('Retry-After')
  expect(JSON.parse(body)).toEqual({
    type: 'urn:counterfoil:problem:invalid-field',
    title: 'A field of the report request is not valid',
    status: 422,
    code: 'invalid-field',
    detail: 'expected b',
    requestId: 'r-1',
    errors: faults,
  })
  for (const code of [
    'engine-busy',
    'gateway-busy',
    'shutting-down',
    'too-many-reports',
  ] as const) {
    const busy = problemReply(new GatewayError(code, 'later'), 'r-1')
    expect([busy.status, busy.headers['Retry-After']]).toEqual([
      code === 'too-many-reports' ? 429 : 503,
      '5',
    ])
  }
})

test.each(['store', 'config', 'credentials', 'ledger'] as const)(
  'hides the details of an operator’s error: %s',
  (code) => {
    const { status, text: body } = problemReply(new GatewayError(code, 'SECRET'), 'r-1')
    expect(status).toBe(500)
    expect(JSON.parse(body)).toMatchObject({
      code: 'internal-error',
      detail: 'The gateway failed',
    })
    expect(body).not.toContain('SECRET')
  },
)

test('answers a refusal with the status of its path', () => {
  const refusal = {
    kind: 'refusal',
    message: 'You are not authorised\n',
    step: 'header',
    code: 'header-missing',
    claimedLogin: undefined,
  } as const
  for (const status of [200, 403]) {
    expect(replyTo(refusal, 'r-1', status)).toMatchObject({
      status,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
      text: refusal.message,
    })
  }
})
