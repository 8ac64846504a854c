import * as z from 'zod'
import { literal, literals, type Queries, readNumber, readRows } from '@counterfoil/engine'
import type { Source } from './source/source.ts'
import { isLedgerTable, type LedgerTable, storedColumns } from '../model/model.ts'

// The engine writes large numbers as texts, and what is true as 1.
const count = z.coerce.number()
const isSo = z.coerce.boolean()

/** What the ledger keeps of an import that wrote or refused rows. */
export const importRecordSchema = z.object({
  /** The column `import_id` of the rows that the import wrote. */
  id: count,
  table: z.string().refine(isLedgerTable),
  source: z.string(),
  /** The names of the files. A sync has none. */
  files: z.array(z.string()).readonly(),
  taken: count,
  unchanged: count,
  older: count,
  refused: count,
  /** How many rows of the ledger the import replaced. */
  replaced: count,
  /** Whether it was allowed to change closed days. */
  isForced: isSo,
})

/** See {@link importRecordSchema}. */
export type ImportRecord = Readonly<z.output<typeof importRecordSchema>>

const listedImport = importRecordSchema.extend({
  /** When it was imported, in UTC. */
  importedAt: z.string(),
  isUndone: isSo,
})

/** An import in the list of imports. */
export type ListedImport = Readonly<z.output<typeof listedImport>>

/** How many of the newest imports keep the rows that they replaced. */
export const UNDONE_MAX = 20

/** Where an import puts the rows that it replaces. The table gets the name of `rowsBefore` at the end. */
export const REPLACED = 'import_replaced'

export function rowsBefore(id: number): string {
  return `before_import_${id}`
}

export const WITH_IMPORT_ID = { insert_allow_materialized_columns: 1 } as const

/** The start of a statement that copies rows with the import that wrote each, and with `replaced` values as SQL. */
export function copyRows(
  table: LedgerTable,
  to: string,
  from: string,
  replaced: Readonly<Record<string, string>> = {},
): string {
  const columns = Object.keys(storedColumns(table))
  const values = columns.map((name) => replaced[name] ?? name)
  const into = `${to} (${[...columns, 'import_id'].join(', ')})`
  return `INSERT INTO ${into} SELECT ${[...values, 'import_id'].join(', ')} FROM ${from}`
}

export async function nextImportId(engine: Queries): Promise<number> {
  return await readNumber(engine, 'SELECT max(import_id) + 1 AS value FROM ledger_imports')
}

export function recordOf(
  { source, isForced = false }: { readonly source: Source; readonly isForced?: boolean },
  judged: Omit<ImportRecord, 'table' | 'source' | 'files' | 'isForced'>,
  files: readonly string[],
): ImportRecord {
  const { table, name } = source
  return importRecordSchema.parse({ ...judged, table, source: name, files, isForced })
}

/** The statements that add the record of an import to the list of imports, and keep the rows that it replaced. */
export function recordStatements(record: ImportRecord): readonly string[] {
  const { id, table, source, files, taken, unchanged, older, refused, replaced, isForced } = record
  const counts = [taken, unchanged, older, refused, replaced].join(', ')
  return [
    `RENAME TABLE IF EXISTS ${REPLACED} TO ${rowsBefore(id)}`,
    `INSERT INTO ledger_imports SELECT ${id}, now64(3), ${literal(table)}, ${literal(source)},
      CAST(${literals(files)} AS Array(String)), ${counts}, 0, ${isForced ? 1 : 0}`,
  ]
}

const tableRow = z.object({ name: z.string() })

export async function dropOldReplaced(engine: Queries): Promise<void> {
  const old = await readRows(engine, tableRow, {
    sql: `SELECT name FROM system.tables WHERE database = currentDatabase()
      AND toUInt32OrZero(extract(name, '^before_import_(\\d+)$') AS number) > 0
      ORDER BY toUInt32(number) DESC LIMIT 1000 OFFSET {kept:UInt32}`,
    parameters: { kept: UNDONE_MAX },
  })
  for (const { name } of old) await engine.execute(`DROP TABLE ${name} SYNC`)
}

const replacedRow = z.object({ name: z.string(), table: z.string().refine(isLedgerTable) })

export async function listReplaced(engine: Queries) {
  const sql = `SELECT concat('before_import_', toString(import_id)) AS name, ledger_table AS table
    FROM ledger_imports FINAL WHERE name IN (
      SELECT name FROM system.tables WHERE database = currentDatabase()) ORDER BY import_id`
  return await readRows(engine, replacedRow, sql)
}

/** Lists the newest imports, the newest first, or one import. Syncs are listed only if they changed closed days. */
export async function listImports(
  engine: Pick<Queries, 'stream'>,
  which: { readonly most: number } | { readonly id: number },
): Promise<readonly ListedImport[]> {
  const only = 'id' in which ? `import_id = ${which.id}` : 'notEmpty(files) OR is_forced'
  const sql = `SELECT *, import_id AS id, ledger_table AS table, is_undone AS isUndone, is_forced AS isForced,
      formatDateTime(imported_at, '%F %T UTC', 'UTC') AS importedAt
    FROM ledger_imports FINAL WHERE ${only} ORDER BY import_id DESC LIMIT {most:UInt32}`
  return await readRows(engine, listedImport, {
    sql,
    parameters: { most: 'id' in which ? 1 : which.most },
  })
}
