import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Engine } from '../packages/engine/src/engine/engine.ts'
import { openOwnEngine } from '../packages/engine/src/own-server/own-engine.ts'
import { ledgerAccess, ownSource } from '../packages/gateway/test/kit/import-kit.ts'
import { importFiles } from '../packages/ledger/src/import/import-files.ts'
import { migrateLedger } from '../packages/ledger/src/model/migrate-ledger.ts'
import { REPORT_COLUMNS } from '../packages/ledger/src/model/names.ts'
import type { Comparison } from './comparison.ts'
import { takeTurns } from './rounds.ts'

const ROWS = 500_000
const ROUNDS = 3

/** A month of an acquirer's settlement file, in columns of the ledger. */
const FILE: Readonly<Record<string, string>> = {
  transaction_id: "concat('tx_', toString(number * 7919 % 500009))",
  client_order_id: "concat('ORD-', toString(number))",
  transaction_type: "if(number % 20 = 0, 'chargeback', 'sale')",
  status: "'approved'",
  created_at:
    "toDateTime64('2026-10-01 00:00:00', 3, 'UTC') + toIntervalMillisecond(number * 5000)",
  updated_at:
    "toDateTime64('2026-10-01 00:00:01', 3, 'UTC') + toIntervalMillisecond(number * 5000)",
  row_version: '1',
  amount: 'toDecimal64(number % 90000, 2) / 100 + 1',
  currency: "['EUR', 'USD', 'GBP'][number % 3 + 1]",
  settlement_amount: 'toDecimal64(number % 90000, 2) / 100 + 1',
  settlement_currency: "['EUR', 'USD', 'GBP'][number % 3 + 1]",
  fx_rate: '1',
  gateway_fee: "toDecimal64('0.30', 2)",
  net_amount:
    "if(number % 20 = 0, -1, 1) * (toDecimal64(number % 90000, 2) / 100 + 1) - toDecimal64('0.30', 2)",
  merchant_id: "concat('m-', toString(number % 200))",
  payment_method: "'card'",
  card_brand: "['visa', 'mastercard'][number % 2 + 1]",
  bin: "'41111111'",
  last4: "leftPad(toString(number % 10000), 4, '0')",
  email: "concat('buyer', toString(number % 5000), '@example.com')",
  order_description: "concat('Order ', toString(number))",
}
const COLUMNS = Object.keys(FILE).join(', ')

/** Compares an import of CSV with an INSERT of the same file, which checks nothing. */
export async function measureImport(): Promise<readonly Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const engine = await openOwnEngine({
    directory: join(folder, 'ledger'),
    querySeconds: 600,
    queryBytesMax: 2 ** 30,
    engineBytesMax: 2 ** 31,
    reportColumns: REPORT_COLUMNS,
  })
  const file = join(folder, 'transactions.csv')
  try {
    await migrateLedger(engine)
    await writeFile(engine, file)
    const imports = async (): Promise<void> => {
      const options = { source: ownSource(), files: [file], dataDir: folder }
      const { taken } = await importFiles(ledgerAccess(engine), options)
      if (taken !== ROWS) throw new Error(`expected ${ROWS} rows, got ${taken}`)
    }
    const inserts = async (): Promise<void> => await insert(engine, file)
    return [
      {
        name: 'import of CSV',
        unit: 'rows/s',
        referenceName: 'an INSERT of the same file, without checks',
        ...(await takeTurns(
          ROUNDS,
          () => intoEmpty(engine, imports),
          () => intoEmpty(engine, inserts),
        )),
        atLeast: 0.5,
      },
    ]
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}

async function writeFile(engine: Engine, path: string): Promise<void> {
  const values = Object.entries(FILE).map(([name, sql]) => `${sql} AS ${name}`)
  const query = {
    sql: `SELECT ${values.join(', ')} FROM numbers(${ROWS})`,
    parameters: {},
    settings: {},
    role: 'owner',
    format: 'CSV',
  } as const
  const chunks = await engine.stream(query, new AbortController().signal)
  await pipeline(async function* () {
    yield `${COLUMNS.replaceAll(' ', '')}\n`
    for await (const { bytes } of chunks) yield bytes
  }, createWriteStream(path))
  if (statSync(path).size === 0) throw new Error('expected a file')
}

async function insert(engine: Engine, file: string): Promise<void> {
  await engine.insert({
    sql: `INSERT INTO transactions (${COLUMNS}) FORMAT CSVWithNames`,
    body: createReadStream(file, { highWaterMark: 1024 * 1024 }),
  })
}

/** Fills an empty ledger, and returns the rows per second. */
async function intoEmpty(engine: Engine, fill: () => Promise<void>): Promise<number> {
  await engine.execute('TRUNCATE TABLE transactions')
  const startedAt = performance.now()
  await fill()
  return (ROWS * 1000) / (performance.now() - startedAt)
}
