import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import type { Engine } from '../packages/engine/src/engine/engine.ts'
import { MERCHANT_ID, openBenchGateway } from './bench-gateway.ts'
import { planOf } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import { takeTurns } from './rounds.ts'

const ROWS = 5_000_000
const AT_ONCE = 4
const ROUNDS = 7
const ROUND_MS = 3000
/** A merchant's day. */
export const SMALL_REPORT: ReportRequest = {
  reportIdentifier: 'transactions-list',
  inputReportParameters: [
    { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-03-10' },
    { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-03-11' },
  ],
}

/**
 * Measures reports of one merchant's day, four at once. Another process requests them over HTTP; the gateway verifies
 * each signature and stores each nonce on disk. The reference runs the same query four times at once on the engine.
 */
export async function measureSmallReports(): Promise<readonly Comparison[]> {
  const { gateway, engine, merchants } = await openBenchGateway(ROWS)
  const load = fork(join(import.meta.dirname, 'load.ts'))
  const logins = Array.from({ length: AT_ONCE }, () => merchants[0])
  const order = { reportUrl: gateway.reportUrl, logins, request: SMALL_REPORT }
  try {
    const overHttp = () => reportsPerSecond(load, { ...order, ms: ROUND_MS })
    return [
      {
        name: `small reports, ${AT_ONCE} at once`,
        unit: 'reports/s',
        referenceName: 'the bare query on the engine',
        ...(await takeTurns(ROUNDS, overHttp, () => queriesPerSecond(engine))),
        atLeast: 1,
      },
    ]
  } finally {
    load.disconnect()
    await gateway.close()
  }
}

async function reportsPerSecond(load: ChildProcess, order: LoadOrder): Promise<number> {
  const { times, ms } = await askFor(load, order)
  return (times.length * 1000) / ms
}

/**
 * Lets another process request reports.
 *
 * @throws if a report is incomplete
 */
export async function askFor(load: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  load.send(order)
  const [result]: LoadResult[] = await once(load, 'message')
  if (!result) throw new Error('expected a result')
  if (result.failure !== undefined) throw new Error(`expected whole reports, got ${result.failure}`)
  return result
}

async function queriesPerSecond(engine: Engine): Promise<number> {
  const query = planOf(SMALL_REPORT, `merchant_id IN ('${MERCHANT_ID}')`)
  const { signal } = new AbortController()
  const startedAt = performance.now()
  let queries = 0
  const run = async (): Promise<void> => {
    while (performance.now() - startedAt < ROUND_MS) {
      for await (const _ of await engine.stream(query, signal));
      queries += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
  return (queries * 1000) / (performance.now() - startedAt)
}
