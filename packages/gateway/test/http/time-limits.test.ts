// @module-tag long

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { openSqliteStore, storeFile } from '../../../store/src/store/open-store.ts'
import { LIST, open, parameters, signRequest } from '../kit/ask.ts'
import { changeLimits } from '../kit/change-limits.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { USUAL_ROWS } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

// Shorter limits, so that the tests take seconds.
changeLimits({
  headersTimeoutMs: 1_200,
  requestTimeoutMs: 2_000,
  checkConnectionsMs: 50,
  keepAliveTimeoutMs: 1_000,
  stalledReaderMs: 1_500,
  storeBusyTimeoutMs: 1_500,
})

const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '3000' }) }

const { sandbox, gateway } = await serveSandbox()

describe('a request', () => {
  /** Sends a request in two pieces with a pause between them. Returns the answer and the time it took. */
  async function sendInTwo(splitAt: (bytes: Buffer) => number, pauseMs: number) {
    const request = await signRequest(gateway, sandbox.logins.merchant, LIST, {
      headers: { Connection: 'close' },
    })
    const bytes = bytesOf(request)
    const connection = await connectRaw(gateway.port)
    const startedAt = performance.now()
    connection.write(bytes.subarray(0, splitAt(bytes)))
    const paused = sleep(pauseMs).then(() => connection.write(bytes.subarray(splitAt(bytes))))
    const received = (await connection.received).toString('latin1')
    const tookMs = performance.now() - startedAt
    await paused
    return { received, tookMs }
  }
  const inHead = (): number => 20
  const inBody = (bytes: Buffer): number => bytes.length - 5

  test.each([
    ['head', inHead, LIMITS.headersTimeoutMs],
    ['body', inBody, LIMITS.requestTimeoutMs],
  ])('whose %s arrives in time gets its report', async (_, splitAt, limitMs) => {
    const { received } = await sendInTwo(splitAt, limitMs / 3)
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(received).toContain('\r\nCounterfoil-Rows: ')
  })

  test.each([
    ['head', inHead, LIMITS.headersTimeoutMs],
    ['body', inBody, LIMITS.requestTimeoutMs],
  ])('whose %s arrives late gets request-timeout', async (_, splitAt, limitMs) => {
    const { received, tookMs } = await sendInTwo(splitAt, limitMs + 500)
    expect(received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(received).toContain('"code":"request-timeout"')
    expect(tookMs).toBeGreaterThan(limitMs)
    expect(tookMs).toBeLessThan(limitMs + 30_000)
  })
})

test('takes the next request within the keep-alive time, and closes the connection after it', async () => {
  const connection = await connectRaw(gateway.port)
  const visit = async () => {
    connection.write(`GET /livez HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`)
    await once(connection.socket, 'data')
  }
  await visit()
  await sleep(LIMITS.keepAliveTimeoutMs / 3)
  await visit()
  const startedAt = performance.now()
  const received = (await connection.received).toString()
  const tookMs = performance.now() - startedAt
  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  expect(tookMs).toBeGreaterThan(LIMITS.keepAliveTimeoutMs - 50)
  expect(tookMs).toBeLessThan(LIMITS.keepAliveTimeoutMs + 30_000)
})

describe('a reader', () => {
  test('that rests for less than the limit, again and again, gets the complete report', async () => {
    const answer = await open(gateway, sandbox.logins.operator, WIDE)
    let bytes = 0
    let rests = 0
    for await (const chunk of answer) {
      bytes += chunk.length
      if (bytes < rests * 7_000_000) continue
      rests += 1
      await sleep(LIMITS.stalledReaderMs / 3)
    }
    expect(rests).toBeGreaterThan(4)
    expect(bytes).toBeGreaterThan(USUAL_ROWS * 3_000)
    expect(answer.trailers).toMatchObject({ 'counterfoil-rows': String(USUAL_ROWS) })
  })

  test('that rests for longer is cut off, and gets no complete report', async () => {
    const answer = await open(gateway, sandbox.logins.operator, WIDE)
    // Node notices a reader that stops in the middle of a piece after twice the time.
    await sleep(2 * LIMITS.stalledReaderMs + 600)
    const length = buffer(answer).then((bytes) => bytes.length)
    await expect(length).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(answer.trailers).toEqual({})
  })
})

test('a store that another process writes to makes the gateway wait, and fails after the time-out', async () => {
  const file = storeFile(loadConfig(gateway.config))
  const store = openSqliteStore(file)
  /** Locks the store in another process, and spends a nonce meanwhile. */
  const spend = async (nonce: string, heldMs: number) => {
    const program = `
      import { DatabaseSync } from 'node:sqlite'
      const database = new DatabaseSync(process.argv[1])
      database.exec('BEGIN IMMEDIATE')
      console.log('held')
      setTimeout(() => database.exec('COMMIT'), ${heldMs})`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    const spent = await spendNow(nonce).catch((error: unknown) => error)
    await ended
    return spent
  }
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const spendNow = (nonce: string) => {
    return store.spendNonce({ consumerKey: 'merchant', timestampSeconds, nonce }, timestampSeconds)
  }
  expect(await spend('waits', LIMITS.storeBusyTimeoutMs / 3)).toBe('spent')
  expect(await spend('late', 2 * LIMITS.storeBusyTimeoutMs)).toMatchObject({ code: 'store' })
  expect(await spendNow('late')).toBe('spent')
  await store.close()
})
