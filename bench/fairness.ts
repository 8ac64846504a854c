import { type ChildProcess, fork } from 'node:child_process'
import { type ClientRequest, request as post } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReportRequest } from '@counterfoil/protocol'
import { type Comparison, limited } from './comparison.ts'
import type { Serving } from './gateway-process.ts'
import { median } from './rounds.ts'
import { signAs } from './sign-as.ts'
import { askFor, SMALL_REPORT } from './small-reports.ts'
import { withGateway } from './with-gateway.ts'

const ROWS = 5_000_000
const COMPLETE_LEDGER: ReportRequest = { reportIdentifier: 'transactions-list' }
/** Large reports that one login requests at once. */
const LARGE = 64
const ROUNDS = 3
const ROUND_MS = 10_000
/** How many times longer 99 of 100 small reports may take beside the large ones. */
const TIMES_MAX = 3

/** Small reports of 20 logins, alone and beside one login with 64 large reports, which it reads or leaves unread. */
export async function measureFairness(): Promise<readonly Comparison[]> {
  return await withGateway(ROWS, async (_, serving) => {
    const load = fork(join(import.meta.dirname, 'load.ts'))
    try {
      await small(load, serving)
      return [await compare(load, serving, 'unread'), await compare(load, serving, 'read')]
    } finally {
      load.disconnect()
    }
  })
}

async function compare(
  load: ChildProcess,
  serving: Serving,
  how: 'read' | 'unread',
): Promise<Comparison> {
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await small(load, serving))
    const end = askForLarge(serving, how)
    await sleep(1_000)
    beside.push(await small(load, serving))
    end()
    await sleep(1_000)
  }
  const name = `20 logins' small reports beside 64 ${how} ones of another: p99`
  return limited(name, 'ms', median(beside), 'alone', median(alone), TIMES_MAX)
}

/** The time within which 99 of 100 small reports are complete. The gateway may refuse none of them. */
async function small(load: ChildProcess, { reportUrl, merchants }: Serving): Promise<number> {
  const order = { reportUrl, logins: merchants, request: SMALL_REPORT, ms: ROUND_MS }
  const { times } = await askFor(load, order)
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}

/** Keeps `LARGE` reports running. The returned function ends them. */
function askForLarge({ reportUrl, operators: [operator] }: Serving, how: 'read' | 'unread') {
  const open = new Set<ClientRequest>()
  const over = new AbortController()
  const keepAsking = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const headers = {
        Authorization: await signAs(operator, reportUrl),
        'Content-Type': 'application/json',
      }
      const asking = post(reportUrl, { method: 'POST', headers, agent: false })
      open.add(asking)
      await new Promise<void>((resolve) => {
        asking.on('error', () => resolve()).on('close', resolve)
        asking.on('response', (answer) => {
          answer.on('error', () => {})
          if (how === 'read' || answer.statusCode !== 200) answer.resume()
        })
        asking.end(JSON.stringify(COMPLETE_LEDGER))
      })
      open.delete(asking)
      await sleep(100)
    }
  }
  for (let index = 0; index < LARGE; index += 1) void keepAsking()
  return () => {
    over.abort()
    for (const asking of open) asking.destroy()
  }
}
