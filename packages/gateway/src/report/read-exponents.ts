import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'

const currencySchema = z.object({ currency: z.string(), exponent: z.number() })

/** Reads how many fraction digits each currency of the ledger has. */
export async function readExponents(
  engine: Pick<Queries, 'stream'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const sql = 'SELECT currency, exponent FROM currencies FINAL ORDER BY currency'
  const rows = await readRows(engine, currencySchema, { sql, parameters: {} }, signal)
  return new Map(rows.map(({ currency, exponent }) => [currency, exponent]))
}
