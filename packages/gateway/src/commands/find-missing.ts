import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { ROLE_COLUMNS } from '@counterfoil/ledger'
import type { Login } from '@counterfoil/store'

/** The ledger table for the ids of `--sees`, by role. */
const SEEN_TABLES = { merchant: 'merchants', reseller: 'resellers', manager: 'managers' } as const

/** The ids that a login of a role sees. */
export interface SeenIds {
  readonly role: 'merchant' | 'reseller' | 'manager'
  readonly ids: readonly string[]
}

/** The ids that the ledger lacks. Each id is in at most one list. */
export interface Missing {
  readonly withoutTransactions: readonly string[]
  /** Ids that have transactions but no name. */
  readonly withoutName: readonly string[]
}

const idRow = z.object({ id: z.string(), has_transactions: z.number(), has_name: z.number() })

/** Returns the ids that a login sees, or `undefined` for an operator, who sees everything. */
export function seenIdsOf({ role, sees }: Login): SeenIds | undefined {
  return role === 'operator' ? undefined : { role, ids: [...sees] }
}

/** Finds the ids that have no transactions, or no name, in the ledger. */
export async function findMissing(engine: Queries, { role, ids }: SeenIds): Promise<Missing> {
  const column = ROLE_COLUMNS[role]
  const rows = await readRows(engine, idRow, {
    sql: `SELECT id,
      id IN (SELECT ${column} FROM transactions WHERE ${column} IN {ids:Array(String)}) AS has_transactions,
      id IN (SELECT ${column} FROM ${SEEN_TABLES[role]} FINAL) AS has_name
    FROM (SELECT arrayJoin({ids:Array(String)}) AS id) ORDER BY length(id), id`,
    parameters: { ids },
  })
  const idsOf = (chosen: typeof rows): string[] => chosen.map(({ id }) => id)
  return {
    withoutTransactions: idsOf(rows.filter((row) => !row.has_transactions)),
    withoutName: idsOf(rows.filter((row) => row.has_transactions && !row.has_name)),
  }
}
