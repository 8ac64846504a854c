import { join } from 'node:path'
import * as z from 'zod'
import { openDatabase, type DatabaseSettings } from '../../../databases/src/index.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { LedgerChanges } from '../../../ledger/src/changes/ledger-changes.ts'
import { parseSource } from '../../../ledger/src/import/source/source.ts'
import { listSyncs } from '../../../ledger/src/sync/sync-records.ts'
import {
  syncSource,
  type SyncOptions,
  type SyncResult,
} from '../../../ledger/src/sync/sync-source.ts'
import { ledgerAccess } from '../kit/import-kit.ts'
import { openScratchLedger } from '../kit/scratch-ledger.ts'

/** A payment of the operator: an amount in cents, and times with a zone. */
export const PAYMENTS = `
CREATE TABLE payments (
  id bigint PRIMARY KEY, merchant text NOT NULL, cents bigint NOT NULL, currency text NOT NULL,
  state text NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
  note text DEFAULT E'"two"\\nlines')`

/** The file of a source of payments. */
export const SOURCE = `-- database:
--   name: shop
--   key: id
--   changed: updated_at
--   created: created_at
--   query: |
--     SELECT * FROM payments
SELECT _line, id AS transaction_id, 'sale' AS transaction_type, state AS status, created_at, updated_at,
  minor(cents, currency) AS amount, currency, merchant AS merchant_id
FROM file`

/** The head of a source of payments. */
const HEAD = {
  name: 'shop',
  key: 'id',
  changed: 'updated_at',
  created: 'created_at',
  query: 'SELECT * FROM payments',
}

const SELECT = `SELECT _line, if(state = 'hidden', 'hidden', '') AS _skip, concat('p-', id) AS transaction_id,
  'sale' AS transaction_type, state AS status, created_at, updated_at, minor(cents, currency) AS amount, currency,
  merchant AS merchant_id FROM file`

const paymentRow = z.object({
  id: z.string(),
  merchant: z.string(),
  amount: z.string(),
  status: z.string(),
})

/** A payment as the ledger has it. */
export type LedgerPayment = Readonly<z.output<typeof paymentRow>>

/** Opens a ledger for syncs. */
export async function openSyncKit(settings: Omit<DatabaseSettings, 'title'>) {
  const scratch = await openScratchLedger()
  const { engine, folder } = scratch
  const ledger = ledgerAccess(engine, new LedgerChanges())
  const sync = async (
    head: Readonly<Record<string, unknown>> = {},
    change: Partial<SyncOptions> & { readonly select?: string; readonly file?: string } = {},
  ): Promise<SyncResult> => {
    const members = Object.entries({ ...HEAD, ...head }).flatMap(([name, value]) => {
      return value === undefined ? [] : `--   ${name}: ${JSON.stringify(value)}\n`
    })
    const { select = SELECT, file = 'payments.sql', ...options } = change
    const text = `-- database:\n${members.join('')}${select}`
    const { database, ...source } = parseSource(text, join(folder, file))
    if (database === undefined) throw new Error('expected a database')
    return await syncSource(ledger, {
      source: { ...source, database },
      openDatabase: async () =>
        await openDatabase({ ...settings, title: 'the database shop' }, engine),
      ...options,
    })
  }
  const payments = async (): Promise<readonly LedgerPayment[]> => {
    const sql = `SELECT transaction_id AS id, merchant_id AS merchant, toString(amount) AS amount, status
      FROM transactions FINAL ORDER BY id`
    return await readRows(engine, paymentRow, sql)
  }
  const times = async (): Promise<readonly string[]> => {
    const sql =
      'SELECT toString(created_at) AS time FROM transactions FINAL ORDER BY transaction_id'
    const rows = await readRows(engine, z.object({ time: z.string() }), sql)
    return rows.map(({ time }) => time)
  }
  return {
    engine,
    sync,
    payments,
    times,
    records: () => listSyncs(engine),
    close: () => scratch.close(),
  }
}
