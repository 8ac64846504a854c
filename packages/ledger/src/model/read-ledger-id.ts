import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'

const idRow = z.object({ id: z.string() })

/** Reads the id of an embedded ledger: a random one, which the engine made with the table. Copies of a ledger share it. */
export async function readLedgerId(engine: Queries): Promise<string | undefined> {
  const [row] = await readRows(engine, idRow, {
    sql: `SELECT right(toString(uuid), 12) AS id FROM system.tables
WHERE database = currentDatabase() AND name = 'transactions'`,
    parameters: {},
  })
  return row?.id
}
