import { openBenchGateway } from './bench-gateway.ts'
import { columnsOf } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import { readWithCurl } from './read-with-curl.ts'
import { readFromEngine } from './read-from-engine.ts'
import { takeTurns } from './rounds.ts'
import { STREAMING_SETTINGS } from '../packages/engine/src/dialect/settings.ts'

const ROWS = 5_000_000
const ROUNDS = 5
const REQUEST = { reportIdentifier: 'transactions-list' } as const

/**
 * Compares the complete ledger as CSV over HTTP to another process, ordered, with digest and row count, with the same
 * columns that curl reads from the engine itself: with the settings that keep the memory small, and with its own.
 */
export async function measureThroughput(): Promise<readonly Comparison[]> {
  const bench = await openBenchGateway(ROWS)
  try {
    const query = columnsOf(REQUEST)
    const asked = { reportUrl: bench.gateway.reportUrl, operator: bench.operators[0] }
    const overHttp = async (): Promise<number> => rate((await readWithCurl(asked, REQUEST)).totalMs)
    const server = await bench.engine.ownServer?.()
    if (!server) throw new Error("expected the gateway's own ClickHouse")
    const small = async () => rate(await readFromEngine(server, query, STREAMING_SETTINGS))
    const own = async () => rate(await readFromEngine(server, query, {}))
    const unit = 'rows/s'
    const name = `CSV over HTTP, ${ROWS.toLocaleString('en')} rows`
    return [
      {
        name,
        unit,
        referenceName: 'the engine over HTTP, same settings',
        ...(await takeTurns(ROUNDS, overHttp, small)),
        atLeast: 0.9,
      },
      {
        name,
        unit,
        referenceName: "the engine over HTTP, the engine's own settings",
        ...(await takeTurns(ROUNDS, overHttp, own)),
      },
    ]
  } finally {
    await bench.gateway.close()
  }
}

function rate(ms: number): number {
  return (ROWS * 1000) / ms
}
