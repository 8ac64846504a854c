import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STREAMING_SETTINGS } from '../packages/engine/src/dialect/settings.ts'
import { clusterOf, startClickHouse, USER } from '../packages/gateway/test/kit/clickhouse-server.ts'
import { COMPLETE_LEDGER, engineQuery, readFromEngine, readWithCurl } from './ask.ts'
import { compare, type Comparison } from './compare.ts'
import { withGateway } from './gateway.ts'

const ROWS = 5_000_000
const SERVER_ROWS = 1_000_000
const ROUNDS = 5

/**
 * Compares the complete ledger as CSV over HTTP to another process, ordered, with digest and row count, with the same
 * columns that curl reads from the engine itself: with the settings that keep the memory small, and with its own.
 */
export async function measureThroughput(): Promise<readonly Comparison[]> {
  return await withGateway({ rows: ROWS }, async (gateway) => {
    const query = engineQuery(COMPLETE_LEDGER)
    const overHttp = async () => {
      const { totalMs } = await readWithCurl(gateway, gateway.operators[0], COMPLETE_LEDGER)
      return (ROWS * 1000) / totalMs
    }
    const fromEngine = async (settings: typeof STREAMING_SETTINGS | undefined) => {
      return (ROWS * 1000) / (await readFromEngine(gateway.ownServer, query, settings))
    }
    const compared = { name: `CSV over HTTP, ${ROWS.toLocaleString('en')} rows`, unit: 'rows/s' }
    return [
      await compare(
        { ...compared, referenceName: 'the engine over HTTP, same settings', atLeast: 0.9 },
        ROUNDS,
        overHttp,
        () => fromEngine(STREAMING_SETTINGS),
      ),
      await compare(
        { ...compared, referenceName: "the engine over HTTP, the engine's own settings" },
        ROUNDS,
        overHttp,
        () => fromEngine(undefined),
      ),
    ]
  })
}

/** Compares a gateway in front of a ClickHouse server with curl, which reads the same columns from the server itself. */
export async function measureServers(): Promise<readonly Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const server = await startClickHouse()
  try {
    const cluster = clusterOf(folder, server)
    return await withGateway({ rows: SERVER_ROWS, cluster }, async (gateway) => {
      const compared = {
        name: 'CSV from a ClickHouse server',
        unit: 'rows/s',
        referenceName: 'curl, the same columns from the server itself',
        atLeast: 0.95,
      }
      const throughGateway = async () => {
        const { totalMs } = await readWithCurl(gateway, gateway.operators[0], COMPLETE_LEDGER)
        return (SERVER_ROWS * 1000) / totalMs
      }
      const itself = async () => {
        const address = { url: server.url, login: USER }
        const query = engineQuery(COMPLETE_LEDGER)
        return (SERVER_ROWS * 1000) / (await readFromEngine(address, query, STREAMING_SETTINGS))
      }
      return [await compare(compared, ROUNDS, throughGateway, itself)]
    })
  } finally {
    await server.remove()
    rmSync(folder, { recursive: true })
  }
}
