import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import type { Consumer } from '../store/store.ts'

/** The tables of the ledger that `--sees` names, by role. */
const SEEN_TABLES = { merchant: 'merchants', reseller: 'resellers', manager: 'managers' } as const

/** Ids of a role. */
export const seenIdsSchema = z.strictObject({
  role: z.enum(['merchant', 'reseller', 'manager']),
  ids: z.array(z.int().positive()),
})

/** See {@link seenIdsSchema}. */
export type SeenIds = z.infer<typeof seenIdsSchema>

/** The ids that a login sees; none for an operator, who sees everything. */
export function seenIdsOf({ role, sees }: Consumer): SeenIds | undefined {
  return role === 'operator' ? undefined : { role, ids: [...sees] }
}

/** Finds the ids that the ledger does not have. */
export async function findMissing(
  engine: Engine,
  { role, ids }: SeenIds,
): Promise<readonly number[]> {
  const rows = await readRows(engine, z.object({ id: z.number() }), {
    sql: `SELECT arrayJoin({ids:Array(UInt32)}) AS id
    WHERE id NOT IN (SELECT ${role}_id FROM ${SEEN_TABLES[role]} FINAL) ORDER BY id`,
    parameters: { ids },
  })
  return rows.map(({ id }) => id)
}
