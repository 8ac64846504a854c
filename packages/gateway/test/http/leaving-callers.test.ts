// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, LIST, open, parameters, signRequest } from '../kit/ask.ts'
import { countQueries, type RunningGateway, serve, untilRunning } from '../kit/running-gateway.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox()

/** Much longer than ending a query takes, and much shorter than any of these queries. */
const ENDED_MS = 5_000
const LONG_SORT = { reportIdentifier: 'long-sort', ...parameters({ times: '2000' }) }
const LONG_AGGREGATION = { reportIdentifier: 'long-aggregation', ...parameters({ times: '200' }) }
const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }

/** Leaves a report before its first byte. Returns how long its query goes on, in milliseconds. */
async function leaveBeforeFirstByte(request: typeof LONG_SORT): Promise<number> {
  const leaving = new AbortController()
  const { operator } = sandbox.logins
  const opened = open(gateway, operator, request, { signal: leaving.signal })
  await untilRunning(gateway.engine, 1)
  // After this time the query is running.
  await sleep(300)
  expect(await countQueries(gateway.engine)).toBe(1)
  leaving.abort()
  await expect(opened).rejects.toThrow('aborted')
  const endedMs = await untilRunning(gateway.engine, 0)
  await expect
    .poll(() => gateway.lines().at(-1))
    .toMatchObject({ outcome: 'aborted', login: 'operator' })
  return endedMs
}

test.each([LONG_SORT, LONG_AGGREGATION])(
  'frees the engine when a reader leaves before the first byte of $reportIdentifier',
  async (request) => {
    expect(await leaveBeforeFirstByte(request)).toBeLessThan(ENDED_MS)
  },
)

test('ends the query when a reader leaves in the middle', async () => {
  const answer = await open(gateway, sandbox.logins.operator, WIDE)
  for await (const _ of answer) break
  expect(await untilRunning(gateway.engine, 0)).toBeLessThan(ENDED_MS)
})

test('keeps the query of a reader that stops reading, and few of its rows in memory', async () => {
  const answer = await open(gateway, sandbox.logins.operator, WIDE)
  await sleep(300)
  expect(await countQueries(gateway.engine)).toBe(1)
  expect(answer.readableLength).toBeLessThan(1_000_000)
  answer.destroy()
  expect(await untilRunning(gateway.engine, 0)).toBeLessThan(ENDED_MS)
})

test.each([
  ['garbage', 'GARBAGE\r\n\r\n', 400],
  ['too many headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`, 431],
])(
  'closes a connection that sent %s, although the caller never ends it',
  async (_, bytes, status) => {
    // The caller never ends its own half of the connection, and the gateway must not wait for it.
    const port = gateway.port
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString())).on('error', () => {})
    socket.write(bytes)
    await once(socket, 'end')
    expect(received).toContain(`HTTP/1.1 ${status} `)
    // After the gateway has closed the connection, one of these writes gets a reset.
    const gone = new Promise((resolve) => socket.on('close', () => resolve('gone')))
    const writing = setInterval(() => socket.write('x'), 100)
    expect(await Promise.race([gone, sleep(60_000)])).toBe('gone')
    clearInterval(writing)
  },
)

test('cuts off a report if garbage follows its request, and puts no other answer into it', async () => {
  const connection = await connectRaw(gateway.port)
  connection.write(bytesOf(await signRequest(gateway, sandbox.logins.operator, WIDE)))
  await once(connection.socket, 'data')
  connection.socket.pause()
  connection.write('GARBAGE\r\n\r\n')
  await sleep(200)
  connection.socket.resume()
  const received = (await connection.received).toString('latin1')
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(received.split('HTTP/1.1 ')).toHaveLength(2)
  expect(received.endsWith('\r\n0\r\n\r\n')).toBe(false)
})

describe('on a gateway with one session', () => {
  let narrow: RunningGateway
  beforeAll(async () => void (narrow = await serve(sandbox, { engine: { sessions: 1 } })))
  afterAll(async () => await narrow.close())

  test('mixes nothing into the next report, whenever a reader leaves', async () => {
    const complete = await ask(narrow, sandbox.logins.merchant)
    for (let delayMs = 0; delayMs < 120; delayMs += 6) {
      const leaving = new AbortController()
      const request = delayMs % 4 === 0 ? LONG_SORT : WIDE
      const opened = open(narrow, sandbox.logins.operator, request, { signal: leaving.signal })
      await sleep(delayMs)
      leaving.abort()
      // A reader that leaves after the head gets an answer, which this test ignores.
      await opened.catch(() => {})
      const next = await ask(narrow, sandbox.logins.merchant)
      expect(next.bytes.equals(complete.bytes)).toBe(true)
      expect(next.trailers).toEqual(complete.trailers)
    }
    expect(await untilRunning(gateway.engine, 0)).toBeLessThan(ENDED_MS)
  })

  test('does not run the report of a reader that leaves the queue', async () => {
    const { operator } = sandbox.logins
    const first = await open(narrow, operator, WIDE)
    const leaving = new AbortController()
    const queued = open(narrow, operator, LIST, { signal: leaving.signal })
    await sleep(100)
    leaving.abort()
    await expect(queued).rejects.toThrow('aborted')
    first.destroy()
    expect((await ask(narrow, operator)).status).toBe(200)
    expect(await untilRunning(gateway.engine, 0)).toBeLessThan(ENDED_MS)
  })
})
