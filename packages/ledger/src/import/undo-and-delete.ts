import { literal, type Queries, settingsClause } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import type { LedgerTable } from '../model/model.ts'
import { RELOAD_NAMES } from '../model/names.ts'
import { type LedgerAccess, whileImporting } from './imports.ts'
import { rulesOf } from './table-rules.ts'
import {
  copyRows,
  type ListedImport,
  listImports,
  listReplaced,
  rowsBefore,
  UNDONE_MAX,
  WITH_IMPORT_ID,
} from './import-records.ts'
import { BULK_SETTINGS, countRows } from './import-tables.ts'

const SETTINGS = settingsClause({ ...WITH_IMPORT_ID, ...BULK_SETTINGS })

/**
 * Undoes an import: removes the rows that it wrote, and brings back the rows that it replaced. Reports that begin
 * meanwhile wait.
 *
 * @param closedBefore no row before this day may change: `2026-10-01`
 * @throws {GatewayError} `ledger` without a change, if a later import or deletion has changed one of its rows
 */
export async function undoImport(ledger: LedgerAccess, id: number, closedBefore?: string) {
  const { engine, imports } = ledger
  return await whileImporting(ledger, async () => {
    const record = await requireUndoable(engine, id, closedBefore)
    await imports.change(undoStatements(record))
    await engine.execute(`DROP TABLE IF EXISTS ${rowsBefore(id)} SYNC`)
    return record
  })
}

async function requireUndoable(engine: Queries, id: number, closedBefore: string | undefined) {
  const [record] = await listImports(engine, { id })
  const fault = record
    ? await faultOf(engine, record, closedBefore)
    : 'The ledger has no such import'
  if (record && fault === undefined) return record
  const advice = '"counterfoil-gateway status" lists the newest imports'
  throw new GatewayError('ledger', `Cannot undo import ${id}. ${fault}. ${advice}`)
}

async function faultOf(
  engine: Queries,
  record: ListedImport,
  closedBefore: string | undefined,
): Promise<string | undefined> {
  const { id, table, taken, replaced, files } = record
  if (record.isUndone) return 'It is undone already'
  if (files.length === 0) return 'It is a sync: correct the rows in the database, or the source'
  const rows = `${table} FINAL WHERE import_id = ${id}`
  const changed = taken - (await countRows(engine, rows))
  if (changed !== 0) {
    return `A later import or deletion changed ${changed} of its ${taken} rows. Undo the later imports first, the newest first`
  }
  const { time } = rulesOf(table)
  if (closedBefore !== undefined && time !== undefined) {
    const closed = `${rows} AND ${time} < toDate32('${closedBefore}')`
    if ((await countRows(engine, closed)) > 0) {
      return 'It changed days before ledgerClosedBefore. Use --into-closed'
    }
  }
  const kept = `system.tables WHERE database = currentDatabase() AND name = '${rowsBefore(id)}'`
  if (replaced === 0 || (await countRows(engine, kept)) > 0) return undefined
  return `It replaced ${replaced} rows, and the ledger keeps replaced rows for ${UNDONE_MAX} imports only`
}

/** Statements that may run twice. */
function undoStatements({ id, table, replaced }: ListedImport): readonly string[] {
  // Callers that ask for changes get the rows that are back.
  const stamped = { loaded_at: 'now64(3)' }
  return [
    `ALTER TABLE ${table} DELETE WHERE import_id = ${id} SETTINGS mutations_sync = 1`,
    ...(replaced > 0 ? [`${copyRows(table, table, rowsBefore(id), stamped)} ${SETTINGS}`] : []),
    RELOAD_NAMES,
    `INSERT INTO ledger_imports SELECT * REPLACE (1 AS is_undone)
    FROM ledger_imports FINAL WHERE import_id = ${id}`,
  ]
}

/** The rows to delete: those of a merchant, or those before a day. */
export type DeletedRows = { readonly merchant: string } | { readonly before: string }

/** Counts the rows to delete, by table. Several versions of a transaction count once. */
export async function countRowsToDelete(
  engine: Queries,
  chosen: DeletedRows,
): Promise<ReadonlyMap<LedgerTable, number>> {
  const counts = new Map<LedgerTable, number>()
  for (const [table, condition] of conditionsOf(chosen)) {
    counts.set(table, await countRows(engine, `${table} FINAL WHERE ${condition}`))
  }
  return counts
}

/** Deletes rows of the ledger, and of the rows that imports replaced. Reports that begin meanwhile wait. */
export async function deleteRows(ledger: LedgerAccess, chosen: DeletedRows): Promise<void> {
  await whileImporting(ledger, async () => {
    const replaced = await listReplaced(ledger.engine)
    const deletions = conditionsOf(chosen).flatMap(([table, condition]) => {
      const kept = replaced.filter((one) => one.table === table).map(({ name }) => name)
      // Not a lightweight DELETE: the engine refuses it for a table with projections.
      return [table, ...kept].map((name) => {
        return `ALTER TABLE ${name} DELETE WHERE ${condition} SETTINGS mutations_sync = 1`
      })
    })
    await ledger.imports.change([...deletions, RELOAD_NAMES])
  })
}

/** The tables that lose rows, and SQL that chooses these rows. */
function conditionsOf(chosen: DeletedRows): readonly (readonly [LedgerTable, string])[] {
  if ('before' in chosen) {
    return [
      ['transactions', `created_at < toDateTime64('${chosen.before}', 3, 'UTC')`],
      ['statements', `business_day < toDate32('${chosen.before}')`],
    ]
  }
  const condition = `merchant_id = ${literal(chosen.merchant)}`
  return [
    ['transactions', condition],
    ['statements', condition],
    // Before the projects, because it reads them.
    ['endpoints', `project_id IN (SELECT project_id FROM projects WHERE ${condition})`],
    ['projects', condition],
    ['merchants', condition],
  ]
}
