import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.ts'
import { ask, LIST, open, parameters, problemIn } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

/** Far more than the engine makes ahead of a reader. */
const ROWS = 80_000
/** A row of the report large-row, the usual one, as bytes of CSV. */
const ROW_BYTES = 504
const HEADER_BYTES = '"Filling"\r\n'.length

// A process's engine has the limits that its first session was opened with, so each of these is in its own.
let sandbox: Sandbox
let gateway: ChildGateway
beforeAll(async () => {
  sandbox = await makeSandbox(ROWS)
})
afterEach(async () => {
  gateway.kill('SIGTERM')
  const { code } = await gateway.ended
  if (code !== 0) throw new Error(`expected the gateway to end with 0, got ${code}`)
})
afterAll(() => sandbox.remove())

/** Requests for a report of which one row is so large: the first, or the last. */
async function largeRows() {
  const outputReportParameters = ['Transaction_id']
  const { text } = await ask(gateway, sandbox.logins.operator, { ...LIST, outputReportParameters })
  const ids = text.split('\r\n').slice(1, -1)
  const large = (id = '') => {
    return (size: string) => ({
      reportIdentifier: 'large-row',
      ...parameters({ id: id.slice(1, -1), size }),
    })
  }
  return { first: large(ids[0]), last: large(ids.at(-1)) }
}

/** How long an answer is; an answer itself would be too long to print, where it comes whole after all. */
async function lengthOf(answer: IncomingMessage): Promise<number> {
  return (await buffer(answer)).length
}

describe('a report', () => {
  test('that has begun and takes longer than one may is cut', async () => {
    gateway = await serveInChild(sandbox, { engine: { querySeconds: 1 } })
    const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
    const answer = await open(gateway, sandbox.logins.operator, wide)
    expect(answer.statusCode).toBe(200)
    await sleep(1_200)
    await expect(lengthOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(answer.trailers).toEqual({})
  })

  test('that has begun and needs more memory than one may is cut, and refused before', async () => {
    gateway = await serveInChild(sandbox, { engine: { queryMemoryMax: '128MiB' } })
    const { operator } = sandbox.logins
    const { first, last } = await largeRows()
    const whole = await ask(gateway, operator, last('1000000'))
    expect(whole.trailers['counterfoil-rows']).toBe(String(ROWS))
    expect(whole.bytes.length).toBe(HEADER_BYTES + (ROWS - 1) * ROW_BYTES + 1_000_004)
    const late = await open(gateway, operator, last('300000000'))
    expect(late.statusCode).toBe(200)
    await expect(lengthOf(late)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(late.trailers).toEqual({})
    const early = problemIn(await ask(gateway, operator, first('300000000')))
    expect(early).toMatchObject({ code: 'engine-limit', status: 500 })
  })

  test('that needs more memory than all together may have is told to wait, and others come whole', async () => {
    const engine = { memoryMax: '600MiB', queryMemoryMax: '4GiB' }
    gateway = await serveInChild(sandbox, { engine })
    const { operator } = sandbox.logins
    const { first } = await largeRows()
    const answer = await ask(gateway, operator, first('1000000000'))
    expect(problemIn(answer)).toMatchObject({ code: 'engine-busy', status: 503 })
    expect(answer.headers['retry-after']).toBe(String(LIMITS.retryAfterSeconds))
    const other = await ask(gateway, operator, first('1000000'))
    expect(other.bytes.length).toBe(HEADER_BYTES + (ROWS - 1) * ROW_BYTES + 1_000_004)
  })
})

test('as many sessions as there can be run as many reports at once', async () => {
  gateway = await serveInChild(sandbox, { engine: { sessions: 24, queueLength: 0 } })
  // One login alone may not have more than half, nor the last quarter beside a large report of its own.
  const logins = await Promise.all(
    Array.from({ length: 24 }, (_, index) => sandbox.addLogin(`all-${index}`, 'operator', [])),
  )
  const answers = await Promise.all(logins.map((login) => ask(gateway, login, LIST)))
  for (const { trailers } of answers) expect(trailers['counterfoil-rows']).toBe(String(ROWS))
})
