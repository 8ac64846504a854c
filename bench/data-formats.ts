import { STREAMING_SETTINGS } from '../packages/engine/src/dialect/settings.ts'
import { typed } from '../packages/engine/src/dialect/typed-columns.ts'
import { openBenchGateway } from './bench-gateway.ts'
import { selectOf } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import { readWithCurl } from './read-with-curl.ts'
import { readFromEngine } from './read-from-engine.ts'
import { takeTurns } from './rounds.ts'

const ROWS = 1_000_000
const ROUNDS = 5
const REPORT = { reportIdentifier: 'transactions-list' } as const

/** The formats, and the format in which the engine writes the same columns itself. */
const FORMATS = [
  { reportFormat: 'JSONL', format: 'JSONEachRow' },
  { reportFormat: 'PARQUET', format: 'Parquet' },
] as const

/**
 * Compares the complete ledger in each format over HTTP to another process, ordered, with digest and row count, with
 * the same columns that curl reads from the engine itself.
 */
export async function measureDataFormats(): Promise<readonly Comparison[]> {
  const bench = await openBenchGateway(ROWS)
  const { engine, gateway, operators } = bench
  const asked = { reportUrl: gateway.reportUrl, operator: operators[0] }
  const comparisons: Comparison[] = []
  try {
    for (const { reportFormat, format } of FORMATS) {
      const request = { ...REPORT, reportFormat }
      const query = selectOf(request, (columns) => {
        return columns.map(({ name, kind, sql }) => `${typed(kind, sql)} AS ${name}`)
      })
      const readItself = async (settings: typeof STREAMING_SETTINGS | object): Promise<number> => {
        return rate(await readFromEngine(engine, { ...query, format }, { ...settings }))
      }
      const overHttp = async () => rate((await readWithCurl(asked, request)).totalMs)
      const name = `${reportFormat} over HTTP, ${ROWS.toLocaleString('en')} rows`
      comparisons.push(
        {
          name,
          unit: 'rows/s',
          referenceName: `the engine over HTTP, FORMAT ${format}, same settings`,
          ...(await takeTurns(ROUNDS, overHttp, () => readItself(STREAMING_SETTINGS))),
          atLeast: 0.8,
        },
        {
          name,
          unit: 'rows/s',
          referenceName: `the engine over HTTP, FORMAT ${format}, the engine's own settings`,
          ...(await takeTurns(ROUNDS, overHttp, () => readItself({}))),
        },
      )
    }
    return comparisons
  } finally {
    await gateway.close()
  }
}

function rate(ms: number): number {
  return (ROWS * 1000) / ms
}
