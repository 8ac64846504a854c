import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { Client } from 'pg'
import QueryStream from 'pg-query-stream'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'
import { createPostgres } from '../packages/gateway/test/kit/postgres-process.ts'
import { COMPLETE_LEDGER, engineUrl, readWithCurl } from './ask.ts'
import { compare, type Comparison, timed } from './compare.ts'
import { type BenchGateway, withGateway } from './gateway.ts'

const ROWS = 5_000_000
/** The time of a row does not depend on their number, so PostgreSQL gets only a part of the rows. */
const POSTGRES_ROWS = 300_000
const ROUNDS = 3
const USER = 'bench'
const DATABASE = 'postgres'

/** The columns of the ledger that the report reads. */
const COLUMNS = {
  transaction_id: 'text',
  client_order_id: 'text',
  merchant_id: 'text',
  created_at: 'timestamp(3)',
  amount: 'numeric',
  currency: 'text',
  transaction_type: 'text',
  order_description: 'text',
}

/** The report's columns in its order. PostgreSQL formats and joins, as a report written for it would. */
const REPORT = `
SELECT m.name AS "Merchant_Name", t.transaction_id AS "Transaction_id", t.client_order_id AS "Merchant_OID",
  to_char(t.created_at, 'YYYY-MM-DD HH24:MI:SS') AS "Created_date", round(t.amount, 3)::text AS "Amount",
  t.currency AS "Currency", t.transaction_type AS "Transaction_type", t.order_description AS "Order_description",
  to_char(now(), 'DD.MM.YYYY') AS "Date_of_report"
FROM transactions t JOIN merchants m USING (merchant_id)
ORDER BY t.merchant_id, t.created_at, t.transaction_id`

/** A PostgreSQL server, with a connection to it. */
export interface BenchPostgres {
  readonly client: Client
  readonly url: string
  readonly passwordFile: string
  readonly folder: string
}

/** Starts a PostgreSQL server, runs work with it, and removes the server. */
export async function withPostgres<T>(work: (postgres: BenchPostgres) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, USER, { mode: 0o600 })
  const port = await freePort()
  const server = await createPostgres(folder, { port, user: USER, password: USER })
  await server.start()
  const url = `postgresql://${USER}@127.0.0.1:${port}/${DATABASE}`
  const login = { host: '127.0.0.1', port, user: USER, password: USER, database: DATABASE }
  const client = new Client(login)
  try {
    await client.connect()
    return await work({ client, url, passwordFile, folder })
  } finally {
    await client.end()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Compares the gateway with the usual way: a PostgreSQL cursor and a CSV writer in JavaScript, per row. */
export async function measurePostgres(): Promise<readonly Comparison[]> {
  return await withPostgres(async (postgres) => {
    return await withGateway({ rows: ROWS }, async (gateway) => {
      await fill(postgres, gateway)
      const compared = {
        name: 'CSV over HTTP, per row',
        unit: 'rows/s',
        referenceName: 'PostgreSQL cursor into csv-stringify',
        atLeast: 8,
      }
      const overHttp = async () => {
        const { totalMs } = await readWithCurl(gateway, gateway.operators[0], COMPLETE_LEDGER)
        return (ROWS * 1000) / totalMs
      }
      const fromPostgres = async () => {
        return (POSTGRES_ROWS * 1000) / (await timed(() => writeCsv(postgres.client)))
      }
      return [await compare(compared, ROUNDS, overHttp, fromPostgres)]
    })
  })
}

/** Copies the first rows of the ledger to PostgreSQL, and creates the index for their order. */
async function fill({ client, url }: BenchPostgres, { ownServer }: BenchGateway): Promise<void> {
  const definitions = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`)
  await client.query(`CREATE TABLE transactions (${definitions.join(', ')});
    CREATE TABLE merchants (merchant_id text PRIMARY KEY, name text)`)
  const copy = async (table: string, select: string): Promise<void> => {
    const target = [new URL(url).host, DATABASE, table, USER, USER].map((text) => `'${text}'`)
    const body = `INSERT INTO FUNCTION postgresql(${target.join(', ')}) ${select}`
    const answer = await fetch(engineUrl(ownServer), { method: 'POST', body })
    if (!answer.ok) throw new Error(await answer.text())
  }
  await copy('merchants', 'SELECT merchant_id, name FROM merchants FINAL')
  const columns = Object.keys(COLUMNS).join(', ')
  await copy('transactions', `SELECT ${columns} FROM transactions LIMIT ${POSTGRES_ROWS}`)
  await client.query(
    'CREATE UNIQUE INDEX ON transactions (merchant_id, created_at, transaction_id)',
  )
  await client.query('ANALYZE')
}

async function writeCsv(client: Client): Promise<void> {
  let bytes = 0
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      bytes += chunk.length
      done()
    },
  })
  await pipeline(
    client.query(new QueryStream(REPORT, [], { batchSize: 1000 })),
    stringify({ header: true, quoted: true, record_delimiter: 'windows' }),
    sink,
  )
  if (bytes < POSTGRES_ROWS * 100) throw new Error(`expected all rows, got ${bytes} bytes`)
}
