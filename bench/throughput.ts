import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineQuery } from '../packages/gateway/src/engine/engine.ts'
import { type BenchGateway, openBenchGateway } from './bench-gateway.ts'
import { columnsOf } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import { readWithCurl } from './read-with-curl.ts'
import { takeTurns } from './rounds.ts'
import { settingsClause, STREAMING_SETTINGS } from '../packages/gateway/src/clickhouse/settings.ts'

const ROWS = 5_000_000
const ROUNDS = 5
const REQUEST = { reportIdentifier: 'transactions-list' } as const

/**
 * Compares the complete ledger as CSV over HTTP to another process, ordered, with digest and row count, with the same
 * columns that the engine writes to a CSV file itself: with the settings that keep the memory small, and with its own.
 */
export async function measureThroughput(): Promise<readonly Comparison[]> {
  const bench = await openBenchGateway(ROWS)
  try {
    const query = columnsOf(REQUEST)
    const asked = { reportUrl: bench.gateway.reportUrl, operator: bench.operators[0] }
    const overHttp = async (): Promise<number> => rate((await readWithCurl(asked, REQUEST)).totalMs)
    const small = () => writeFile(bench, query, STREAMING_SETTINGS)
    const own = () => writeFile(bench, query, {})
    const unit = 'rows/s'
    const name = `CSV over HTTP, ${ROWS.toLocaleString('en')} rows`
    return [
      {
        name,
        unit,
        referenceName: 'INTO OUTFILE, same settings',
        ...(await takeTurns(ROUNDS, overHttp, small)),
        atLeast: 0.9,
      },
      {
        name,
        unit,
        referenceName: "INTO OUTFILE, the engine's own settings",
        ...(await takeTurns(ROUNDS, overHttp, own)),
      },
    ]
  } finally {
    await bench.gateway.close()
  }
}

async function writeFile(
  { engine }: BenchGateway,
  { sql, parameters, settings, format }: EngineQuery,
  engineSettings: EngineQuery['settings'],
): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const file = join(directory, 'report.csv')
  // A query that writes a file must not be read-only.
  const { readonly: _, ...kept } = settings
  const clause = settingsClause({ ...engineSettings, ...kept })
  const startedAt = performance.now()
  await engine.execute(`${sql} INTO OUTFILE '${file}' FORMAT ${format} ${clause}`, parameters)
  const ms = performance.now() - startedAt
  if (statSync(file).size === 0) throw new Error('expected a file of the report')
  rmSync(directory, { recursive: true })
  return rate(ms)
}

function rate(ms: number): number {
  return (ROWS * 1000) / ms
}
