import type { Engine } from '../../../engine/src/engine/engine.ts'

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
  const data = rows.map((row) => ({
    transaction_id: String(row.id),
    order_id: String(row.id),
    client_order_id: row.orderId ?? `own-${row.id}`,
    transaction_type: 'sale',
    status: 'approved',
    created_at: row.createdAt,
    updated_at: row.createdAt,
    row_version: row.version ?? 1,
    amount: row.amount ?? '1.5',
    currency: 'EUR',
    gate_id: '1',
    company_id: '1',
    project_id: '1',
    endpoint_id: '1',
    merchant_id: row.merchant ?? '1',
    processor_id: '1',
    manager_id: row.manager ?? '1',
    order_description: row.description === undefined ? 'own' : row.description,
  }))
  const columns = Object.keys(data[0] ?? {}).join(', ')
  const lines = data.map((row) => JSON.stringify(row)).join('\n')
  await engine.execute(`INSERT INTO transactions (${columns}) FORMAT JSONEachRow\n${lines}`)
}
