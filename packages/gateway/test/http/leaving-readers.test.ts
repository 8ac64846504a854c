import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, LIST, open, parameters } from '../kit/ask.ts'
import { countQueries, type RunningGateway, serve, untilRunning } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** Much longer than ending a query takes, and much shorter than any of these queries. */
const ENDED_MS = 5_000
const LONG_SORT = { reportIdentifier: 'long-sort', ...parameters({ times: '2000' }) }
const LONG_AGGREGATION = { reportIdentifier: 'long-aggregation', ...parameters({ times: '200' }) }
const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }

const { sandbox, gateway } = await serveSandbox()

test.each([
  ['sort', LONG_SORT],
  ['aggregation', LONG_AGGREGATION],
])(
  'frees the engine when a reader leaves before the first byte of a long %s',
  async (_, request) => {
    const leaving = new AbortController()
    const { operator } = sandbox.logins
    const opened = open(gateway, operator, request, { signal: leaving.signal })
    await untilRunning(gateway.engine, 1)
    // After this time the query is running.
    await sleep(300)
    expect(await countQueries(gateway.engine)).toBe(1)
    leaving.abort()
    await expect(opened).rejects.toThrow('aborted')
    expect(await untilRunning(gateway.engine, 0)).toBeLessThan(ENDED_MS)
    await expect
      .poll(() => gateway.lines().at(-1))
      .toMatchObject({ outcome: 'aborted', login: 'operator' })
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

describe('on a gateway with one session', () => {
  let narrow: RunningGateway
  beforeAll(async () => {
    narrow = await serve(sandbox, { engine: { sessions: 1 } })
  })
  afterAll(async () => await narrow.close())

  test('mixes nothing into the next report, whenever a reader leaves', async () => {
    const { operator, merchant } = sandbox.logins
    const complete = await ask(narrow, merchant)
    for (let delayMs = 0; delayMs < 120; delayMs += 6) {
      const leaving = new AbortController()
      const request = delayMs % 4 === 0 ? LONG_SORT : WIDE
      const opened = open(narrow, operator, request, { signal: leaving.signal })
      await sleep(delayMs)
      leaving.abort()
      // A reader that leaves after the head gets an answer, which this test ignores.
      await opened.catch(() => {})
      const next = await ask(narrow, merchant, LIST)
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
