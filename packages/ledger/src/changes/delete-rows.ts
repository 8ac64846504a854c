import { literal, type Queries, readNumber } from '@counterfoil/engine'
import type { LedgerTable } from '../model/model.ts'

/** The rows to delete: those of a merchant, or those before a day. */
export type DeletedRows = { readonly merchant: string } | { readonly before: string }

/** A table with rows that an import replaced, and the ledger's table of its rows. */
export interface ReplacedRows {
  readonly name: string
  readonly table: LedgerTable
}

/** The rows of one table to delete. */
interface Deletion {
  readonly table: LedgerTable
  readonly condition: string
}

/** How many rows of a table match. */
export interface DeletedCount {
  readonly table: LedgerTable
  readonly rows: number
}

/** Counts the rows to delete. Several versions of a transaction count once. */
export async function countRowsToDelete(
  engine: Queries,
  chosen: DeletedRows,
): Promise<readonly DeletedCount[]> {
  const counts: DeletedCount[] = []
  for (const { table, condition } of deletionsOf(chosen)) {
    const sql = `SELECT count() AS value FROM ${table} FINAL WHERE ${condition}`
    counts.push({ table, rows: await readNumber(engine, sql, new AbortController().signal) })
  }
  return counts
}

/**
 * Returns the statements that delete rows. They may run twice.
 *
 * @param replaced the tables with rows that imports replaced, which lose them too
 */
export function deleteStatements(
  chosen: DeletedRows,
  replaced: readonly ReplacedRows[],
): readonly string[] {
  const deletions = deletionsOf(chosen).flatMap(({ table, condition }) => {
    const kept = replaced.filter((one) => one.table === table).map(({ name }) => name)
    // Not a lightweight DELETE: the engine refuses it for a table with projections.
    return [table, ...kept].map((name) => {
      return `ALTER TABLE ${name} DELETE WHERE ${condition} SETTINGS mutations_sync = 1`
    })
  })
  return [...deletions, 'SYSTEM RELOAD DICTIONARIES']
}

function deletionsOf(chosen: DeletedRows): readonly Deletion[] {
  if ('before' in chosen) {
    return [
      {
        table: 'transactions',
        condition: `created_at < toDateTime64('${chosen.before}', 3, 'UTC')`,
      },
      { table: 'statements', condition: `business_day < toDate32('${chosen.before}')` },
    ]
  }
  const condition = `merchant_id = ${literal(chosen.merchant)}`
  return [
    { table: 'transactions', condition },
    { table: 'statements', condition },
    // Before the projects, because it reads them.
    {
      table: 'endpoints',
      condition: `project_id IN (SELECT project_id FROM projects WHERE ${condition})`,
    },
    { table: 'projects', condition },
    { table: 'merchants', condition },
  ]
}
