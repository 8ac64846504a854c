// @module-tag long

import { Agent, request as requestHttp } from 'node:http'
import { once } from 'node:events'
import { buffer, json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { open, parameters, read, signRequest } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { expectNoSecret } from '../kit/running-gateway.ts'
import { USUAL_ROWS } from '../kit/sandbox.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
const LONG = { reportIdentifier: 'long-aggregation', ...parameters({ times: '200' }) }
const CLEAN = { code: 0, signal: null }

const sandbox = await useSandbox()
let gateway: ChildGateway
afterEach(async () => {
  gateway.kill('SIGKILL')
  await gateway.ended
  if (gateway.stderr() !== '') throw new Error(`expected no errors, got ${gateway.stderr()}`)
  expectNoSecret(gateway.stdout(), sandbox)
})

/** Sends SIGTERM to the gateway, and waits until it logs that it stops. */
async function stop(): Promise<void> {
  gateway.kill('SIGTERM')
  await gateway.line(/"stopping"/)
}

test('an idle gateway ends at once, also with a keep-alive connection and an incomplete request', async () => {
  gateway = await serveInChild(sandbox)
  const agent = new Agent({ keepAlive: true })
  const sent = requestHttp(`http://127.0.0.1:${gateway.port}/livez`, { agent }).end()
  const [answer] = await once(sent, 'response')
  expect(await json(answer)).toEqual({ status: 'ok' })
  const connection = await connectRaw(gateway.port)
  connection.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\nhalf',
  )
  await once(connection.socket, 'data')
  const startedAt = performance.now()
  await stop()
  expect(await gateway.ended).toEqual(CLEAN)
  expect(performance.now() - startedAt).toBeLessThan(25_000)
  await connection.received
  agent.destroy()
})

test('the gateway cuts off a stalled reader after the time to drain', async () => {
  gateway = await serveInChild(sandbox, { drainSeconds: 0.3 })
  const answers = await Promise.all(
    [1, 2, 3].map(() => open(gateway, sandbox.logins.operator, WIDE)),
  )
  await stop()
  expect(await gateway.ended).toEqual(CLEAN)
  for (const answer of answers) await expect(buffer(answer)).rejects.toThrow('aborted')
})

test('the gateway ends a report that has not begun after the time to drain', async () => {
  gateway = await serveInChild(sandbox, { drainSeconds: 0.3, engine: { sessions: 1 } })
  const { operator } = sandbox.logins
  const reports = [LONG, LONG, LONG].map(async (request) => {
    const { status } = await read(await open(gateway, operator, request))
    return `answered with ${status}`
  })
  const settled = Promise.all(reports.map((report) => report.catch(() => 'cut off')))
  // Nothing shows that a query runs. The requests have been sent, and that is all the test knows.
  await sleep(500)
  await stop()
  expect(await gateway.ended).toEqual(CLEAN)
  const outcomes = await settled
  expect(outcomes).toContain('cut off')
  for (const outcome of outcomes) expect(['cut off', 'answered with 503']).toContain(outcome)
})

test('a second signal ends the process at once', async () => {
  gateway = await serveInChild(sandbox)
  const answer = await open(gateway, sandbox.logins.operator, WIDE)
  await stop()
  gateway.kill('SIGTERM')
  expect(await gateway.ended).toEqual({ code: null, signal: 'SIGTERM' })
  await expect(buffer(answer)).rejects.toThrow('aborted')
})

test('after SIGINT, running reports are completed, and the gateway refuses new connections, and requests on the open ones', async () => {
  gateway = await serveInChild(sandbox)
  const { operator } = sandbox.logins
  const answer = await open(gateway, operator, WIDE)
  const connection = await connectRaw(gateway.port)
  connection.write(bytesOf(await signRequest(gateway, operator, WIDE)))
  await once(connection.socket, 'data')
  connection.socket.pause()
  gateway.kill('SIGINT')
  await gateway.line(/"stopping"/)
  const url = `http://127.0.0.1:${gateway.port}/livez`
  // Connections that wait in the queue of new connections are closed.
  await vi.waitFor(async () => {
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })
  connection.write(bytesOf(await signRequest(gateway, operator, WIDE)))
  connection.socket.resume()
  const { bytes, trailers } = await read(answer)
  expect(trailers).toMatchObject({ 'counterfoil-rows': String(USUAL_ROWS) })
  expect(bytes.length).toBeGreaterThan(USUAL_ROWS * 4000)
  const received = (await connection.received).toString('latin1')
  const second = received.slice(received.indexOf(`Counterfoil-Rows: ${USUAL_ROWS}\r\n`))
  expect(second).toContain('HTTP/1.1 503 Service Unavailable\r\n')
  expect(second).toContain('"code":"shutting-down"')
  expect(second).toMatch(/retry-after: \d+\r\n/i)
  expect(await gateway.ended).toEqual(CLEAN)
})
