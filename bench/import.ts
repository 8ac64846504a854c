import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../packages/databases/src/index.ts'
import type { Engine } from '../packages/engine/src/engine/engine.ts'
import { openOwnEngine } from '../packages/engine/src/own-server/own-engine.ts'
import { ledgerAccess, ownSource } from '../packages/gateway/test/kit/import-kit.ts'
import { importFiles } from '../packages/ledger/src/import/import-files.ts'
import { parseSource } from '../packages/ledger/src/import/source/source.ts'
import { migrateLedger } from '../packages/ledger/src/model/migrate-ledger.ts'
import { REPORT_COLUMNS } from '../packages/ledger/src/model/names.ts'
import { syncSource } from '../packages/ledger/src/sync/sync-source.ts'
import { engineUrl } from './ask.ts'
import { compare, type Comparison, limited, timed } from './compare.ts'
import { withPostgres } from './postgres.ts'

const ROWS = 500_000
const ROUNDS = 3
const SYNCED = 1_000_000
const CHANGED = 100_000

/** A month of an acquirer's settlement file, in columns of the ledger. */
const FILE = `SELECT concat('tx_', toString(number * 7919 % 500009)) AS transaction_id,
  concat('ORD-', toString(number)) AS client_order_id,
  if(number % 20 = 0, 'chargeback', 'sale') AS transaction_type,
  'approved' AS status,
  toDateTime64('2026-10-01 00:00:00', 3, 'UTC') + toIntervalMillisecond(number * 5000) AS created_at,
  created_at + toIntervalSecond(1) AS updated_at,
  1 AS row_version,
  toDecimal64(number % 90000, 2) / 100 + 1 AS amount,
  ['EUR', 'USD', 'GBP'][number % 3 + 1] AS currency,
  amount AS settlement_amount,
  currency AS settlement_currency,
  1 AS fx_rate,
  toDecimal64('0.30', 2) AS gateway_fee,
  if(number % 20 = 0, -1, 1) * amount - gateway_fee AS net_amount,
  concat('m-', toString(number % 200)) AS merchant_id,
  'card' AS payment_method,
  ['visa', 'mastercard'][number % 2 + 1] AS card_brand,
  '41111111' AS bin,
  leftPad(toString(number % 10000), 4, '0') AS last4,
  concat('buyer', toString(number % 5000), '@example.com') AS email,
  concat('Order ', toString(number)) AS order_description
  FROM numbers(${ROWS})`

const PAYMENTS = `CREATE TABLE payments AS SELECT 'pay_' || id AS id, 'm-' || id % 200 AS merchant, id % 90000 AS cents,
  'EUR' AS currency, 'approved' AS state, timestamptz '2026-01-01' + id * interval '25 seconds' AS created_at,
  timestamptz '2026-01-01' + id * interval '25 seconds' AS updated_at FROM generate_series(1, ${SYNCED}) AS id;
  CREATE INDEX ON payments (updated_at); CREATE INDEX ON payments (created_at); ANALYZE payments`

const SOURCE = `-- database: { name: bench, key: id, changed: updated_at, created: created_at, query: SELECT * FROM payments }
SELECT _line, id AS transaction_id, 'sale' AS transaction_type, state AS status, created_at, updated_at,
  minor(cents, currency) AS amount, currency, merchant AS merchant_id FROM file`

/** Compares an import of CSV with an INSERT of the same file, which checks nothing. */
export async function measureImport(): Promise<readonly Comparison[]> {
  return await withLedger(async (engine, folder) => {
    const file = join(folder, 'transactions.csv')
    const server = engineUrl(await engine.ownServer?.())
    const answer = await fetch(server, { method: 'POST', body: `${FILE} FORMAT CSVWithNames` })
    await writeFile(file, answer.body ?? '')
    const imported = async () => {
      const options = { source: ownSource(), files: [file], dataDir: folder }
      const { taken } = await importFiles(ledgerAccess(engine), options)
      if (taken !== ROWS) throw new Error(`expected ${ROWS} rows, got ${taken}`)
    }
    const inserted = async () => {
      const body = createReadStream(file, { highWaterMark: 1024 * 1024 })
      await engine.insert({ sql: 'INSERT INTO transactions FORMAT CSVWithNames', body })
    }
    const intoEmpty = async (fill: () => Promise<void>): Promise<number> => {
      await engine.execute('TRUNCATE TABLE transactions')
      return (ROWS * 1000) / (await timed(fill))
    }
    const compared = {
      name: 'import of CSV',
      unit: 'rows/s',
      referenceName: 'an INSERT of the same file, without checks',
      atLeast: 0.5,
    }
    const rates = [() => intoEmpty(imported), () => intoEmpty(inserted)] as const
    return [await compare(compared, ROUNDS, ...rates)]
  })
}

/** Compares a sync with reading just the rows that changed. */
export async function measureSync(): Promise<readonly Comparison[]> {
  return await withPostgres(async ({ client, url, passwordFile }) => {
    return await withLedger(async (engine) => {
      const open = async () =>
        await openDatabase({ title: 'the database bench', url, passwordFile })
      await client.query(PAYMENTS)
      const { database, ...source } = parseSource(SOURCE, 'bench.sql')
      if (database === undefined) throw new Error('expected a database')
      const options = { source: { ...source, database }, openDatabase: open }
      const sync = async () => await syncSource(ledgerAccess(engine), options)
      await sync()
      await client.query(`UPDATE payments SET cents = cents + 1, updated_at = now()
        WHERE created_at > (SELECT max(created_at) FROM payments) - ${CHANGED} * interval '25 seconds'`)
      const reading = await timed(async () => {
        const opened = await open()
        const changed = "SELECT * FROM payments WHERE updated_at > '2026-11-02'"
        for await (const _ of opened.read(changed));
        await opened.close()
      })
      const synced = await timed(async () => {
        const { judged } = await sync()
        if (judged?.taken !== CHANGED) throw new Error(`expected changes, got ${judged?.taken}`)
      })
      const name = 'a sync of 100,000 changed rows of 1,000,000'
      return [limited(name, 'ms', synced, 'reading just these', reading, 2)]
    })
  })
}

/** Opens an engine with an empty ledger, runs work with it, and removes the ledger. */
async function withLedger<T>(work: (engine: Engine, folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const engine = await openOwnEngine({
    directory: join(folder, 'ledger'),
    querySeconds: 600,
    queryBytesMax: 2 ** 30,
    engineBytesMax: 2 ** 31,
    reportColumns: REPORT_COLUMNS,
  })
  try {
    await migrateLedger(engine)
    return await work(engine, folder)
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}
