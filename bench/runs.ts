import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { EngineChunk, EngineQuery } from '../packages/gateway/src/engine/engine.ts'
import { createLog } from '../packages/gateway/src/observe/log.ts'
import { RunRecorder } from '../packages/gateway/src/runs/run-recorder.ts'
import type { Run } from '@counterfoil/protocol'
import { openSqliteStore } from '../packages/gateway/src/store/sqlite-store.ts'
import { type BenchGateway, openBenchGateway } from './bench-gateway.ts'
import { planOf, planWithTotals } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import type { DownloadOrder, DownloadResult } from './download-report.ts'
import { readWithCurl } from './read-with-curl.ts'
import { takeTurns } from './rounds.ts'
import { withFolder } from './with-folder.ts'

const ROWS = 1_000_000
const ROUNDS = 5
const RECORDS = 5_000
const REPORT = { reportIdentifier: 'transactions-list' } as const

/**
 * Measures what the record of a run costs: the control totals beside a report of the complete ledger, and the record
 * itself beside a small report. Measures the client's download too.
 */
export async function measureRuns(): Promise<readonly Comparison[]> {
  const bench = await openBenchGateway(ROWS)
  try {
    return [await compareTotals(bench), await compareRecords(bench), await compareDownloads(bench)]
  } finally {
    await bench.gateway.close()
  }
}

/** The processor time of a report in the engine with its digest, with and without control totals. */
async function compareTotals({ engine }: BenchGateway): Promise<Comparison> {
  const cpuMs = async (
    query: EngineQuery,
    read: (chunks: AsyncIterable<EngineChunk>) => AsyncIterable<EngineChunk>,
  ): Promise<number> => {
    const before = process.cpuUsage()
    const digest = createHash('sha256')
    const chunks = await engine.stream(query, new AbortController().signal)
    for await (const { bytes } of read(chunks)) digest.update(bytes)
    digest.digest()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const withTotals = async (): Promise<number> => {
    const { query, controlTotals } = planWithTotals(REPORT)
    const ms = await cpuMs(query, (chunks) => controlTotals.read(chunks))
    if (!controlTotals.totals()?.length) throw new Error('expected control totals')
    return ms
  }
  return {
    name: `control totals of ${ROWS.toLocaleString('en')} rows`,
    unit: 'ms of processor time',
    referenceName: 'the report alone',
    ...(await takeTurns(ROUNDS, withTotals, () => cpuMs(planOf(REPORT), (chunks) => chunks))),
    atMost: 1.15,
  }
}

/** The processor time of a record, and that of a report of one merchant's day over HTTP. */
async function compareRecords(bench: BenchGateway): Promise<Comparison> {
  const { gateway, operators } = bench
  const asked = { reportUrl: gateway.reportUrl, operator: operators[0] }
  const day = {
    ...REPORT,
    inputReportParameters: [
      { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-03-10' },
      { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-03-11' },
    ],
  } as const
  const cpuMsOf = async (work: () => Promise<void>, times: number): Promise<number> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / times
  }
  const records = () => withFolder((folder) => cpuMsOf(() => writeRecords(folder), RECORDS))
  const report = async (): Promise<void> => void (await readWithCurl(asked, day))
  return {
    name: 'the record of a run',
    unit: 'ms of processor time',
    referenceName: 'a small report',
    ...(await takeTurns(ROUNDS, records, () => cpuMsOf(report, 1))),
    atMost: 0.03,
  }
}

async function writeRecords(folder: string): Promise<void> {
  const store = openSqliteStore(join(folder, 'store.sqlite'))
  const log = createLog({ level: 'silent', destination: process.stderr })
  const retention = { keptMs: 86_400_000, perLoginMax: RECORDS }
  const recorder = new RunRecorder({ store: store.runs, log, now: Date.now, retention })
  for (let index = 0; index < RECORDS; index += 1) {
    const runId = `run-${index}`
    recorder.begin(runId, 'bench')(recordOf(runId))
  }
  while ((await store.runs.find(`run-${RECORDS - 1}`)) === undefined) {
    await recorder.recorded(`run-${RECORDS - 1}`, undefined, new AbortController().signal)
  }
  await recorder.close()
  await store.close()
}

/** A record of the usual size. */
function recordOf(runId: string): Run {
  const now = new Date().toISOString()
  const totals = ['EUR', 'USD', 'JPY', 'GBP', 'BRL'].map((currency) => {
    return { column: 'Amount', currency, amounts: 120, sum: '123456.780' }
  })
  const filters = {
    gates: [],
    companies: [],
    projects: [],
    endpoints: [],
    merchants: [],
    processors: [],
    managers: [],
    resellers: [],
    currencies: [],
  }
  return {
    runId,
    login: 'bench',
    reportIdentifier: REPORT.reportIdentifier,
    reportName: REPORT.reportIdentifier,
    outcome: 'complete',
    startedAt: now,
    endedAt: now,
    durationMs: 12,
    request: { ...REPORT, reportFormat: 'CSV', reportEncode: 'UTF-8', filters },
    parameters: { dateFrom: '2026-03-10 00:00:00.000', dateTo: '2026-03-11 00:00:00.000' },
    timezone: 'UTC',
    scope: { role: 'merchant', sees: ['10'] },
    file: {
      name: 'transactions-list.csv',
      contentType: 'text/csv; charset=UTF-8',
      rows: 21,
      bytes: 2981,
      replaced: 0,
      sha256: 'OXCZ7ze9nLfVYSqFJm4H8tJ+j4OUgNRZP8aSWJgKkK0=',
    },
    controlTotals: totals,
    schemaHash: '0f5e4ee8c2b8c1d5',
    newestRow: now,
    cursor: now,
  }
}

/** The speed of the client's download, with digest and row count, against curl, which checks nothing. */
async function compareDownloads({ gateway, operators }: BenchGateway): Promise<Comparison> {
  const asked = { reportUrl: gateway.reportUrl, operator: operators[0] }
  const client = fork(join(import.meta.dirname, 'download-report.ts'))
  const download = async (): Promise<number> => {
    const order: DownloadOrder = { ...asked, request: REPORT }
    client.send(order)
    const [result]: DownloadResult[] = await once(client, 'message')
    if (!result) throw new Error('expected a result')
    return (ROWS * 1000) / result.ms
  }
  const curl = async () => {
    return await withFolder(async (folder) => {
      const read = await readWithCurl(asked, REPORT, {}, join(folder, 'report.csv'))
      return (ROWS * 1000) / read.totalMs
    })
  }
  try {
    return {
      name: `download() of ${ROWS.toLocaleString('en')} rows, checked`,
      unit: 'rows/s',
      referenceName: 'curl, the same report',
      ...(await takeTurns(ROUNDS, download, curl)),
      atLeast: 0.9,
    }
  } finally {
    client.disconnect()
  }
}
