// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { ask, LIST, open, parameters, problemIn, signRequest } from '../kit/ask.ts'
import { connectRaw, type RawConnection } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { serve } from '../kit/running-gateway.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const MIB = 1024 * 1024

const { sandbox, gateway } = await serveSandbox([1000])

const reportPath = () => new URL(gateway.reportUrl).pathname

function headOf(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ Host: `127.0.0.1:${gateway.port}`, ...headers })
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** Sends the head of a request without its body. Returns the response. */
async function sendHead(path: string, contentType: string, bytes: number): Promise<string> {
  const connection = await connectRaw(gateway.port)
  connection.write(headOf(path, { 'Content-Type': contentType, 'Content-Length': bytes }))
  return (await connection.received).toString()
}

describe('refuses before the body arrives', () => {
  test.each<[string, () => string, string, number, number]>([
    ['an unknown path', () => '/nowhere', JSON_TYPE, MIB, 404],
    ['a body that is too large for a report', reportPath, JSON_TYPE, MIB + 1, 413],
    ['a body for the catalogue', () => `${reportPath()}/catalogue`, JSON_TYPE, 2_000, 413],
    ['a form that is too large for a payout', () => '/gate/api/v4/payout/1', FORM, MIB, 413],
    ['a method', () => '/.well-known/counterfoil', JSON_TYPE, MIB, 405],
  ])('%s', async (_, path, contentType, bytes, status) => {
    const answer = await sendHead(path(), contentType, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toContain('\r\nConnection: close\r\n')
  })
})

test('takes a body in one-byte chunks, with work in proportion to its bytes', async () => {
  const request = await signRequest(gateway, sandbox.logins.merchant, LIST)
  const connection = await connectRaw(gateway.port)
  const headers = { ...request.headers, 'Transfer-Encoding': 'chunked', Connection: 'close' }
  const before = process.cpuUsage()
  const body = Array.from(request.body, (byte) => `1\r\n${String.fromCodePoint(byte)}\r\n`).join('')
  // The signature covers no JSON body, so that spaces before it change nothing.
  const padding = '1\r\n \r\n'.repeat(100_000)
  connection.write(`${headOf(reportPath(), headers)}${padding}${body}0\r\n\r\n`)
  expect((await connection.received).toString()).toContain('\r\nCounterfoil-Rows: ')
  const { user, system } = process.cpuUsage(before)
  // This includes the time of the test itself.
  expect((user + system) / 1e6).toBeLessThan(3)
})

test('frees the memory of the body of a refused request', async () => {
  const large = JSON.stringify(LIST).padEnd(MIB - 100)
  const share = LIMITS.bodiesBytesMax / MIB
  for (let count = 0; count <= share; count += 1) {
    const refused = await ask(gateway, sandbox.logins.merchant, large, { login: 'nobody' })
    expect(refused.text).toMatch(/^You are not authorised/)
  }
})

describe('large bodies that never end', () => {
  const held: RawConnection[] = []
  const COUNT = (2 * LIMITS.bodiesBytesMax) / MIB
  let answers: string[]

  beforeAll(async () => {
    const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': MIB }
    for (let index = 0; index < COUNT; index += 1) {
      const connection = await connectRaw(gateway.port)
      connection.socket.on('error', () => {})
      connection.write(headOf(reportPath(), headers))
      connection.write(Buffer.alloc(MIB - 10, ' '))
      held.push(connection)
    }
    // The gateway refuses at least half of them. It waits for the others until the test ends them.
    answers = []
    for (const { received } of held) void received.then((bytes) => answers.push(String(bytes)))
    await vi.waitUntil(() => answers.length >= COUNT / 2, { timeout: 30_000 })
  })

  test('are refused when the memory for bodies is used up', () => {
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 503 /)
      expect(answer).toContain('"code":"gateway-busy"')
      expect(answer).toContain(`\r\nRetry-After: ${LIMITS.retryAfterSeconds}\r\n`)
    }
  })

  test.each([
    [12_000, 9_000],
    [9_000, 8_500],
    [16_384, 8_200],
  ])('do not block a body of %i bytes that arrives in two pieces', async (bytes, first) => {
    const body = JSON.stringify(LIST).padEnd(bytes)
    const request = await signRequest(gateway, sandbox.logins.merchant, body)
    const connection = await connectRaw(gateway.port)
    const headers = { ...request.headers, 'Content-Length': bytes, Connection: 'close' }
    connection.write(headOf(reportPath(), headers) + body.slice(0, first))
    await sleep(50)
    connection.write(body.slice(first))
    expect((await connection.received).toString()).toContain('\r\nCounterfoil-Rows: ')
  })

  test('do not block an ordinary request', async () => {
    const { trailers } = await ask(gateway, sandbox.logins.merchant)
    expect(trailers).toHaveProperty('repr-digest')
  })

  test('free their memory when they end', async () => {
    const large = JSON.stringify(LIST) + ' '.repeat(MIB / 2)
    const refused = await ask(gateway, sandbox.logins.merchant, large)
    expect(problemIn(refused)).toMatchObject({ code: 'gateway-busy', status: 503 })
    for (const { socket } of held) socket.destroy()
    await expect
      .poll(async () => (await ask(gateway, sandbox.logins.merchant, large)).status)
      .toBe(200)
  })
})

test('frees the memory of a body before its report waits for a place', async () => {
  const narrow = await serve(sandbox, {
    engine: { sessions: 1, queueLength: 200, queueWaitSeconds: 300 },
  })
  const { operator } = sandbox.logins
  const day = { ...LIST, ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-02' }) }
  const large = JSON.stringify(day).padEnd(MIB - 100)
  const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '100000' }) }
  const running = await open(narrow, operator, wide)
  // Each request has its own login, because a login reads one large body at a time.
  const logins = await Promise.all(
    Array.from({ length: (2 * LIMITS.bodiesBytesMax) / MIB }, (_, index) => {
      return sandbox.addLogin(`large-${index}`, 'merchant', ['1'])
    }),
  )
  const waiting = logins.map((login) => ask(narrow, login, large))
  await sleep(3_000)
  running.destroy()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await narrow.close()
})
