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
  const columns = {
    transaction_id: 'String',
    order_id: 'String',
    client_order_id: 'String',
    transaction_type: 'String',
    status: 'String',
    created_at: "DateTime64(3, 'UTC')",
    updated_at: "DateTime64(3, 'UTC')",
    row_version: 'Int64',
    amount: 'Decimal(20, 4)',
    currency: 'String',
    gate_id: 'String',
    company_id: 'String',
    project_id: 'String',
    endpoint_id: 'String',
    merchant_id: 'String',
    processor_id: 'String',
    manager_id: 'String',
    order_description: 'Nullable(String)',
  }
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
  const structure = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  await engine.execute(
    `INSERT INTO transactions (${Object.keys(columns).join(', ')})
    SELECT * FROM format(JSONEachRow, {structure:String}, {data:String})`,
    { structure: structure.join(', '), data: data.map((row) => JSON.stringify(row)).join('\n') },
  )
}
