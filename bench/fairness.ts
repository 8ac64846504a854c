import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPLETE_LEDGER, oneDayReader, signedHeaders } from './ask.ts'
import { type Comparison, limited, median, percentile, timed } from './compare.ts'
import { type BenchGateway, withGateway } from './gateway.ts'

const ROWS = 5_000_000
/** Large reports that one login requests at once. */
const LARGE = 64
const ROUNDS = 3
const ROUND_MS = 10_000
/** How many times longer 99 of 100 small reports may take beside the large ones. */
const TIMES_MAX = 3

/** Small reports of 20 logins, alone and beside one login with 64 large reports, which it reads or leaves unread. */
export async function measureFairness(): Promise<readonly Comparison[]> {
  return await withGateway({ rows: ROWS }, async (gateway) => {
    const readers = gateway.merchants.map((merchant) => oneDayReader(gateway, merchant))
    await p99(readers)
    const comparisons: Comparison[] = []
    for (const how of ['unread', 'read'] as const) {
      const alone: number[] = []
      const beside: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        alone.push(await p99(readers))
        const end = askForLarge(gateway, how)
        await sleep(1000)
        beside.push(await p99(readers))
        end()
        await sleep(1000)
      }
      const name = `20 logins' small reports beside 64 ${how} ones of another: p99`
      comparisons.push(limited(name, 'ms', median(beside), 'alone', median(alone), TIMES_MAX))
    }
    return comparisons
  })
}

/** The time within which 99 of 100 small reports are complete. The gateway may refuse none of them. */
async function p99(readers: readonly (() => Promise<void>)[]): Promise<number> {
  const endsAt = performance.now() + ROUND_MS
  const times: number[] = []
  const repeat = async (read: () => Promise<void>): Promise<void> => {
    while (performance.now() < endsAt) times.push(await timed(read))
  }
  await Promise.all(readers.map(repeat))
  return percentile(times, 0.99)
}

/** Keeps `LARGE` reports of one login running. The returned function ends them. */
function askForLarge({ reportUrl, operators }: BenchGateway, how: 'read' | 'unread') {
  const over = new AbortController()
  const { signal } = over
  const ended = once(signal, 'abort')
  const ask = async (): Promise<void> => {
    const headers = await signedHeaders(reportUrl, operators[0])
    const body = JSON.stringify(COMPLETE_LEDGER)
    const answer = await fetch(reportUrl, { method: 'POST', headers, body, signal })
    if (how === 'unread' && answer.ok) await ended
    for await (const _ of answer.body ?? []);
  }
  const keepAsking = async (): Promise<void> => {
    while (!signal.aborted) {
      // The gateway may refuse a report or cut it, and the end of the round does.
      await ask().catch(() => {})
      await sleep(100)
    }
  }
  for (let index = 0; index < LARGE; index += 1) void keepAsking()
  return () => over.abort()
}
