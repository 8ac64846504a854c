import type { Engine } from '../../../engine/src/engine/engine.ts'
import { FILTERED_COLUMNS } from './filtered-columns.ts'

/** A row of any table: values by column. */
export type LedgerRow = Readonly<Record<string, unknown>>

/** Every table with rows of one owner. Filters have the names of their tables. */
const TABLES = Object.keys(FILTERED_COLUMNS)
  .filter((name) => name !== 'currencies')
  .concat('transactions', 'statements')

/** Makes a row for every table: a thing with an id, and with the same id for everything to which it belongs. */
export function rowOf(id: string, change: LedgerRow = {}): LedgerRow {
  const at = '2026-10-01 10:00:00.000'
  return {
    ...Object.fromEntries(Object.values(FILTERED_COLUMNS).map((column) => [column, id])),
    name: `Shop ${id}`,
    timezone: 'UTC',
    country: 'DE',
    currency: 'EUR',
    transaction_id: id,
    order_id: id,
    client_order_id: `own-${id}`,
    transaction_type: 'sale',
    status: 'approved',
    created_at: at,
    updated_at: at,
    row_version: 1,
    amount: 5,
    statement_id: id,
    business_day: '2026-10-01',
    payable: 5,
    closing: 5,
    ...change,
  }
}

/** Inserts rows into tables. The engine skips values that are in no column of the table. */
export async function insertInto(
  engine: Engine,
  rows: readonly LedgerRow[],
  tables: readonly string[] = TABLES,
): Promise<void> {
  const lines = rows.map((row) => JSON.stringify(row)).join('\n')
  for (const table of tables) {
    await engine.execute(`INSERT INTO ${table} SETTINGS input_format_skip_unknown_fields = 1
      FORMAT JSONEachRow ${lines}`)
  }
}

/** A transaction to insert. Columns that are not here get fixed values. */
export interface NewRow {
  readonly id: bigint
  /** UTC: `2026-03-29 01:00:00.000`. */
  readonly createdAt: string
  readonly version?: number
  readonly merchant?: string
  readonly manager?: string
  readonly orderId?: string
  readonly description?: string | null
  readonly amount?: string
}

/** Inserts transactions into the ledger. */
export async function insertRows(engine: Engine, rows: readonly NewRow[]): Promise<void> {
  const data = rows.map(({ id, createdAt, merchant = '1', manager = '1', ...row }) => {
    return rowOf('1', {
      transaction_id: String(id),
      order_id: String(id),
      client_order_id: row.orderId ?? `own-${id}`,
      created_at: createdAt,
      updated_at: createdAt,
      row_version: row.version ?? 1,
      amount: row.amount ?? '1.5',
      merchant_id: merchant,
      manager_id: manager,
      reseller_id: null,
      statement_id: null,
      order_description: row.description === undefined ? 'own' : row.description,
    })
  })
  await insertInto(engine, data, ['transactions'])
}
