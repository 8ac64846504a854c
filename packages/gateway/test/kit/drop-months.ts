import * as z from 'zod'
import { type Engine, readRows } from '../../../engine/src/engine/engine.ts'

/** Drops the transactions before a month. Every query opens each part of each month, so fewer months are faster. */
export async function dropMonthsBefore(engine: Engine, month: string): Promise<void> {
  const sql = `SELECT DISTINCT partition_id FROM system.parts
    WHERE active AND database = 'default' AND table = 'transactions' AND partition_id < {month:String}`
  const row = z.object({ partition_id: z.string() })
  const old = await readRows(engine, row, { sql, parameters: { month } })
  const dropped = old.map(({ partition_id }) => `DROP PARTITION ID '${partition_id}'`)
  await engine.execute(`ALTER TABLE transactions ${dropped.join(', ')}`)
}
