import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { Client } from 'pg'
import QueryStream from 'pg-query-stream'
import * as z from 'zod'
import { type Engine, readRows } from '../packages/engine/src/engine/engine.ts'
import { createPostgres } from '../packages/gateway/test/kit/postgres-process.ts'
import { openBenchGateway } from './bench-gateway.ts'
import type { Comparison } from './comparison.ts'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'
import { readWithCurl } from './read-with-curl.ts'
import { takeTurns } from './rounds.ts'

const ROWS = 5_000_000
/** The time of a row does not depend on their number, so PostgreSQL gets only a part of the rows. */
const POSTGRES_ROWS = 300_000
const ROUNDS = 3

/** The same columns in the same order. PostgreSQL formats and joins, as a report written for it would. */
const REPORT = `
SELECT m.name AS "Merchant_Name", t.transaction_id::text AS "Transaction_id", t.client_order_id AS "Merchant_OID",
  to_char(t.created_at, 'YYYY-MM-DD HH24:MI:SS') AS "Created_date", round(t.amount, 3)::text AS "Amount",
  t.currency AS "Currency", t.transaction_type AS "Transaction_type", t.order_description AS "Order_description",
  to_char(now(), 'DD.MM.YYYY') AS "Date_of_report"
FROM transactions t JOIN merchants m USING (merchant_id)
ORDER BY t.merchant_id, t.created_at, t.transaction_id`

/** Compares the gateway with the usual way: a PostgreSQL cursor and a CSV writer in JavaScript, per row. */
export async function measurePostgres(): Promise<readonly Comparison[]> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const port = await freePort()
  const server = await createPostgres(directory, { port, user: 'bench', password: 'bench' })
  await server.start()
  const bench = await openBenchGateway(ROWS)
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'bench',
    password: 'bench',
    database: 'postgres',
  })
  try {
    await client.connect()
    await fill(client, bench.engine, port)
    const asked = { reportUrl: bench.gateway.reportUrl, operator: bench.operators[0] }
    const overHttp = async (): Promise<number> => {
      const { totalMs } = await readWithCurl(asked, { reportIdentifier: 'transactions-list' })
      return (ROWS * 1000) / totalMs
    }
    return [
      {
        name: 'CSV over HTTP, per row',
        unit: 'rows/s',
        referenceName: 'PostgreSQL cursor into csv-stringify',
        ...(await takeTurns(ROUNDS, overHttp, () => writeCsv(client))),
        atLeast: 8,
      },
    ]
  } finally {
    await client.end()
    await server.stop()
    await bench.gateway.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Copies the first rows of the ledger, with all columns, to PostgreSQL, and creates the index for their order. */
async function fill(client: Client, engine: Engine, port: number): Promise<void> {
  const columns = await readRows(engine, z.object({ name: z.string(), type: z.string() }), {
    sql: `SELECT name, type FROM system.columns
      WHERE table = 'transactions' AND default_kind != 'ALIAS' ORDER BY position`,
    parameters: {},
  })
  const definitions = columns.map(({ name, type }) => `${name} ${postgresType(type)}`)
  await client.query(`CREATE TABLE transactions (${definitions.join(', ')})`)
  await client.query('CREATE TABLE merchants (merchant_id text PRIMARY KEY, name text)')
  const into = (table: string) => {
    return `INSERT INTO FUNCTION postgresql('127.0.0.1:${port}', 'postgres', '${table}', 'bench', 'bench')`
  }
  await engine.execute(`${into('merchants')} SELECT merchant_id, name FROM merchants FINAL`)
  await engine.execute(`${into('transactions')} SELECT * FROM transactions LIMIT ${POSTGRES_ROWS}`)
  await client.query(
    'CREATE UNIQUE INDEX ON transactions (merchant_id, created_at, transaction_id)',
  )
  await client.query('ANALYZE')
}

function postgresType(type: string): string {
  const bare = type.replaceAll(/LowCardinality\(|Nullable\(/g, '')
  const known = { Int64: 'bigint', Int32: 'integer', DateTime64: 'timestamp(3)', Date32: 'date' }
  const match = Object.entries(known).find(([name]) => bare.startsWith(name))
  return match?.[1] ?? (bare.startsWith('Decimal') ? 'numeric' : 'text')
}

async function writeCsv(client: Client): Promise<number> {
  let bytes = 0
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      bytes += chunk.length
      done()
    },
  })
  const startedAt = performance.now()
  await pipeline(
    client.query(new QueryStream(REPORT, [], { batchSize: 1000 })),
    stringify({ header: true, quoted: true, record_delimiter: 'windows' }),
    sink,
  )
  if (bytes < POSTGRES_ROWS * 100) throw new Error(`expected a whole report, got ${bytes} bytes`)
  return (POSTGRES_ROWS * 1000) / (performance.now() - startedAt)
}
