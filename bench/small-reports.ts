import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { Session } from 'chdb'
import type { EngineQuery } from '../packages/gateway/src/engine/engine.ts'
import { MERCHANT_ID, openBenchGateway } from './bench-gateway.ts'
import { planOf } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import { takeTurns } from './rounds.ts'
import { settingsClause, STREAMING_SETTINGS } from '../packages/gateway/src/clickhouse/settings.ts'

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
 * each signature and stores each nonce on disk. The reference is four sessions of the bare engine that run the same
 * query.
 */
export async function measureSmallReports(): Promise<readonly Comparison[]> {
  const { gateway, merchants, ledger } = await openBenchGateway(ROWS)
  const load = fork(join(import.meta.dirname, 'load.ts'))
  const sessions = Array.from({ length: AT_ONCE }, () => new Session(ledger))
  const logins = Array.from({ length: AT_ONCE }, () => merchants[0])
  const order = { reportUrl: gateway.reportUrl, logins, request: SMALL_REPORT }
  try {
    const overHttp = () => reportsPerSecond(load, { ...order, ms: ROUND_MS })
    const name = `small reports, ${AT_ONCE} at once`
    const unit = 'reports/s'
    return [
      {
        name,
        unit,
        referenceName: 'the bare engine, the same query streamed',
        ...(await takeTurns(ROUNDS, overHttp, () => queryWith(sessions, readStream))),
        atLeast: 1,
      },
      {
        name,
        unit,
        referenceName: 'the bare engine, the same query at once',
        ...(await takeTurns(ROUNDS, overHttp, () => queryWith(sessions, readBuffered))),
      },
    ]
  } finally {
    load.disconnect()
    for (const session of sessions) session.close()
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

type Read = (
  session: Session,
  sql: string,
  query: Pick<EngineQuery, 'parameters' | 'format'>,
) => Promise<void>

const readStream: Read = async (session, sql, { parameters, format }) => {
  for await (const chunk of session.queryStreamBind(sql, parameters, { format })) chunk.raw()
}

const readBuffered: Read = async (session, sql, { parameters, format }) => {
  ;(await session.queryBindAsync(sql, parameters, { format })).bytes()
}

async function queryWith(sessions: readonly Session[], read: Read): Promise<number> {
  const { sql, parameters, settings, format } = planOf(
    SMALL_REPORT,
    `merchant_id IN (${MERCHANT_ID})`,
  )
  const query = `${sql} ${settingsClause({ ...STREAMING_SETTINGS, ...settings })}`
  const startedAt = performance.now()
  let queries = 0
  const run = async (session: Session): Promise<void> => {
    while (performance.now() - startedAt < ROUND_MS) {
      await read(session, query, { parameters, format })
      queries += 1
    }
  }
  await Promise.all(sessions.map(run))
  return (queries * 1000) / (performance.now() - startedAt)
}
