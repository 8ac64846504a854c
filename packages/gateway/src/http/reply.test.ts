import { once } from 'node:events'
import { createServer, request as requestHttp, type Server, type ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import type { ReportStream, ReportTotals } from '../outcome.ts'
import { endUnread, problemReply, replyTo, sendReply, sendReport } from './reply.ts'

let server: Server | undefined
afterEach(() => {
  vi.useRealTimers()
  server?.closeAllConnections()
  server?.close()
})

/** Answers one request on a real server. Resolves when the headers of the answer arrive. */
async function answerWith(
  handle: (response: ServerResponse) => void,
  headers: Readonly<Record<string, string>> = {},
) {
  server = createServer((_, response) => handle(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sent = requestHttp({ host: '127.0.0.1', port, agent: false, headers })
  // A request with a length has no body, so it never ends.
  if (headers['Content-Length'] === undefined) sent.end()
  else sent.flushHeaders()
  const [answer] = await once(sent, 'response')
  return answer
}

const TOTALS: ReportTotals = { rows: 2, replaced: 0, sha256: `${'A'.repeat(43)}=` }

function reportOf(body: ReportStream['body'], fileName = 'may.csv'): ReportStream {
  const [timezone, newestRow] = ['UTC', '2026-10-31T22:10:59Z']
  const contentType = 'text/csv; charset=UTF-8'
  const controlTotals = () => []
  const onEnd = () => {}
  return { kind: 'report', contentType, fileName, timezone, newestRow, controlTotals, onEnd, body }
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
    sent = sendReport(response, reportOf(body(), 'май.csv'), { ofAll: 0 })
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
        void sendReport(response, reportOf(body()), { ofAll: 0 })
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
    sent = sendReport(response, reportOf(body()), { ofAll: 0 })
  })
  head.resolve()
  await expect(sent).rejects.toThrow('broken')
  await expect(text(answer)).rejects.toThrow('aborted')
  expect(ended).toBe(true)
})

test('cuts off a reader that takes nothing for too long, and ends the source', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let yielded = 0
  let ended = false
  async function* body(): ReportStream['body'] {
    try {
      for (;;) {
        yielded += 1
        yield Buffer.alloc(1024 * 1024)
      }
    } finally {
      ended = true
    }
  }
  let sent: ReturnType<typeof sendReport> | undefined
  const answer = await answerWith((response) => {
    sent = sendReport(response, reportOf(body()), { ofAll: 0 })
  })
  let before = -1
  while (before !== yielded) {
    before = yielded
    await vi.advanceTimersByTimeAsync(LIMITS.stalledReaderMs / 4)
    for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate)
  }
  await vi.advanceTimersByTimeAsync(LIMITS.stalledReaderMs)
  expect(await sent).toEqual({ bytes: expect.any(Number) })
  expect(ended).toBe(true)
  await expect(text(answer)).rejects.toThrow('aborted')
})

test('keeps few chunks in memory for a reader that takes nothing', async () => {
  const CHUNK = 100_000
  let yieldedBytes = 0
  async function* body(): ReportStream['body'] {
    for (; yieldedBytes < 60_000_000; yieldedBytes += CHUNK) yield new Uint8Array(CHUNK)
    return TOTALS
  }
  const answer = await answerWith((response) => {
    void sendReport(response, reportOf(body()), { ofAll: 0 })
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

test('waits after each chunk for its reader when all reports together have much to send', async () => {
  const unsent = { ofAll: LIMITS.unsentBytesOfAllMax }
  const waiting: number[] = []
  async function* body(): ReportStream['body'] {
    for (let index = 0; index < 50; index += 1) {
      waiting.push(unsent.ofAll - LIMITS.unsentBytesOfAllMax)
      yield new Uint8Array(100_000)
    }
    return TOTALS
  }
  const answer = await answerWith((response) => {
    void sendReport(response, reportOf(body()), unsent)
  })
  expect((await buffer(answer)).length).toBe(5_000_000)
  expect(waiting).toEqual(Array.from({ length: 50 }, () => 0))
})

test('sends a reader at the minimum rate the last bytes too, however many they are', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  async function* body(): ReportStream['body'] {
    yield new Uint8Array(8_000_000)
    return TOTALS
  }
  const answer = await answerWith((response) => {
    endUnread(response)
    void sendReport(response, reportOf(body()), { ofAll: 0 })
  })
  // Longer than the time-out for the rest of a reply, shorter than the minimum rate allows for these bytes.
  await vi.advanceTimersByTimeAsync(2 * LIMITS.replyTimeoutMs)
  expect((await buffer(answer)).length).toBe(8_000_000)
  expect(answer.trailers).toHaveProperty('counterfoil-rows')
})

test('closes the connection of a caller that does not read its reply', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let closed: Promise<unknown> | undefined
  const answer = await answerWith((response) => {
    endUnread(response)
    closed = once(response, 'close')
    response.end('x'.repeat(50_000_000))
  })
  await vi.advanceTimersByTimeAsync(LIMITS.replyTimeoutMs - 1)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await closed
  await expect(text(answer)).rejects.toThrow('aborted')
})

describe('a long reply', () => {
  // More than the system keeps for a connection.
  const LONG = Buffer.alloc(50_000_000, 'long ')

  /** Sends the reply to a request that has arrived, or that has a body which never ends. */
  async function sendLong(headers: Readonly<Record<string, string>>) {
    let response: ServerResponse | undefined
    let sent: Promise<void> | undefined
    const answer = await answerWith((own) => {
      response = own
      sent = sendReply(own.req, own, { status: 200, headers: {}, text: LONG })
    }, headers)
    if (!response) throw new Error('expected a response')
    return { answer, response, sent }
  }

  test.each([
    ['a request', {}],
    ['a request whose body never ends', { 'Content-Length': '2' }],
  ])('to %s waits in memory by the piece until the caller reads it', async (_, headers) => {
    const { answer, response, sent } = await sendLong(headers)
    for (let turns = 0; turns < 500; turns += 1) {
      expect(response.writableLength).toBeLessThan(2 * LIMITS.replyPieceBytes)
      await new Promise(setImmediate)
    }
    expect(LONG.equals(await buffer(answer))).toBe(true)
    await sent
  })

  test('closes the connection of a caller that does not read it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { answer, sent } = await sendLong({})
    await vi.advanceTimersByTimeAsync(LIMITS.replyTimeoutMs)
    await sent
    expect(vi.getTimerCount()).toBe(0)
    await expect(text(answer)).rejects.toThrow('aborted')
  })
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
