// @module-tag long

import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { ask, LIST, open, parameters, problemIn } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

/** Far more rows than the engine computes ahead of a reader. */
const ROWS = 80_000
/** The size of a row of the report large-row in CSV, unless it is the large one. */
const ROW_BYTES = 504
const HEADER_BYTES = '"Filling"\r\n'.length

// An engine has the limits of the process's first session, so each test has its own process.
const sandbox = await useSandbox(ROWS)
let gateway: ChildGateway
afterEach(async () => {
  gateway.kill('SIGTERM')
  const { code } = await gateway.ended
  if (code !== 0) throw new Error(`expected the gateway to end with 0, got ${code}`)
})

/** Requests for a report with one large row, the first or the last. */
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

/** The length of an answer. A complete answer would be too long to print. */
async function lengthOf(answer: IncomingMessage): Promise<number> {
  return (await buffer(answer)).length
}

describe('a report', () => {
  test('that takes longer than the limit is cut off', async () => {
    gateway = await serveInChild(sandbox, { engine: { querySeconds: 1 } })
    const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
    const answer = await open(gateway, sandbox.logins.operator, wide)
    expect(answer.statusCode).toBe(200)
    await sleep(1_200)
    await expect(lengthOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(answer.trailers).toEqual({})
  })

  test('that needs more memory than one query may use is cut off, or refused before its first byte', async () => {
    gateway = await serveInChild(sandbox, { engine: { queryMemoryMax: '128MiB' } })
    const { operator } = sandbox.logins
    const { first, last } = await largeRows()
    const complete = await ask(gateway, operator, last('1000000'))
    expect(complete.trailers['counterfoil-rows']).toBe(String(ROWS))
    expect(complete.bytes.length).toBe(HEADER_BYTES + (ROWS - 1) * ROW_BYTES + 1_000_004)
    const late = await open(gateway, operator, last('300000000'))
    expect(late.statusCode).toBe(200)
    await expect(lengthOf(late)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(late.trailers).toEqual({})
    const early = problemIn(await ask(gateway, operator, first('300000000')))
    expect(early).toMatchObject({ code: 'engine-limit', status: 500 })
  })

  test('that needs more memory than all queries may use is refused for now, and others are completed', async () => {
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
