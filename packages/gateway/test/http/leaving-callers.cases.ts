import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Answer, ask, LIST, open, parameters } from '../kit/ask.ts'
import { countQueries, type RunningGateway, untilRunning } from '../kit/running-gateway.ts'

/** Much longer than ending a query takes, and much shorter than any of these queries. */
export const ENDED_MS = 5_000
export const LONG_SORT = { reportIdentifier: 'long-sort', ...parameters({ times: '2000' }) }
export const LONG_AGGREGATION = {
  reportIdentifier: 'long-aggregation',
  ...parameters({ times: '200' }),
}
export const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }

/** Leaves a report before its first byte. Returns how long its query goes on, in milliseconds. */
export async function leaveBeforeFirstByte(
  gateway: RunningGateway,
  request: typeof LONG_SORT,
): Promise<number> {
  const leaving = new AbortController()
  const { operator } = gateway.sandbox.logins
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

/** Leaves a report after some milliseconds, and expects that the next report equals `complete`. */
export async function expectUnmixedAfter(
  gateway: RunningGateway,
  request: typeof LONG_SORT,
  delayMs: number,
  complete: Answer,
): Promise<void> {
  const { operator, merchant } = gateway.sandbox.logins
  const leaving = new AbortController()
  const opened = open(gateway, operator, request, { signal: leaving.signal })
  await sleep(delayMs)
  leaving.abort()
  // A reader that leaves after the head gets an answer, which this test ignores.
  await opened.catch(() => {})
  const next = await ask(gateway, merchant, LIST)
  expect(next.bytes.equals(complete.bytes)).toBe(true)
  expect(next.trailers).toEqual(complete.trailers)
}
