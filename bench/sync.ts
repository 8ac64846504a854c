import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openDatabase } from '../packages/databases/src/index.ts'
import { openOwnEngine } from '../packages/engine/src/own-server/own-engine.ts'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'
import { ledgerAccess } from '../packages/gateway/test/kit/import-kit.ts'
import { createPostgres } from '../packages/gateway/test/kit/postgres-process.ts'
import { parseSource } from '../packages/ledger/src/import/source/source.ts'
import { migrateLedger } from '../packages/ledger/src/model/migrate-ledger.ts'
import { REPORT_COLUMNS } from '../packages/ledger/src/model/names.ts'
import { syncSource } from '../packages/ledger/src/sync/sync-source.ts'
import { type Comparison, limited } from './comparison.ts'

const ROWS = 1_000_000
const CHANGED = 100_000

const PAYMENTS = `CREATE TABLE payments AS SELECT 'pay_' || id AS id, 'm-' || id % 200 AS merchant, id % 90000 AS cents,
  'EUR' AS currency, 'approved' AS state, timestamptz '2026-01-01' + id * interval '25 seconds' AS created_at,
  timestamptz '2026-01-01' + id * interval '25 seconds' AS updated_at FROM generate_series(1, ${ROWS}) AS id;
  CREATE INDEX ON payments (updated_at); CREATE INDEX ON payments (created_at); ANALYZE payments`

const SOURCE = `-- database: { name: bench, key: id, changed: updated_at, created: created_at, query: SELECT * FROM payments }
SELECT _line, id AS transaction_id, 'sale' AS transaction_type, state AS status, created_at, updated_at,
  minor(cents, currency) AS amount, currency, merchant AS merchant_id FROM file`

/** Compares a sync with reading just the rows that changed. */
export async function measureSync(): Promise<readonly Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const port = await freePort()
  const server = await createPostgres(folder, { port, user: 'bench', password: 'bench' })
  await server.start()
  const login = { host: '127.0.0.1', port, user: 'bench', database: 'postgres' }
  const client = new Client({ ...login, password: 'bench' })
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'bench', { mode: 0o600 })
  const url = `postgresql://bench@127.0.0.1:${port}/postgres`
  const open = async () =>
    await openDatabase({ title: 'the database bench', url, isSecured: false, passwordFile })
  const engine = await openOwnEngine({
    directory: join(folder, 'ledger'),
    querySeconds: 600,
    queryBytesMax: 2 ** 30,
    engineBytesMax: 2 ** 31,
    reportColumns: REPORT_COLUMNS,
  })
  try {
    await client.connect()
    await client.query(PAYMENTS)
    await migrateLedger(engine)
    const { database, ...source } = parseSource(SOURCE, 'bench.sql')
    if (database === undefined) throw new Error('expected a database')
    const sync = async () => {
      return await syncSource(ledgerAccess(engine), {
        source: { ...source, database },
        openDatabase: open,
      })
    }
    await sync()
    await client.query(`UPDATE payments SET cents = cents + 1, updated_at = now()
      WHERE created_at > (SELECT max(created_at) FROM payments) - ${CHANGED} * interval '25 seconds'`)
    const reading = await msOf(async () => {
      const opened = await open()
      const changed = "SELECT * FROM payments WHERE updated_at > '2026-11-02'"
      for await (const _ of opened.read(changed));
      await opened.close()
    })
    const changed = await msOf(async () => {
      const { judged } = await sync()
      if (judged?.taken !== CHANGED) throw new Error(`expected changes, got ${judged?.taken}`)
    })
    return [
      limited(
        'a sync of 100,000 changed rows of 1,000,000',
        'ms',
        changed,
        'reading just these',
        reading,
        2,
      ),
    ]
  } finally {
    await engine.close()
    await client.end()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
