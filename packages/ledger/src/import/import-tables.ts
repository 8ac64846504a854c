import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { LEDGER_TABLES, type LedgerColumns, type LedgerTable } from '../model/model.ts'
import { rawColumn, type RowCheck } from './check/check-columns.ts'
import { selectLayers } from './check/select-layers.ts'
import { rulesOf } from './table-rules.ts'

/** Every table of an import is named import_*, and the import drops all of them at the end. */
export const IMPORT_TABLES =
  "FROM system.tables WHERE database = currentDatabase() AND startsWith(name, 'import_')"
const tableRow = z.object({ name: z.string() })

/**
 * Creates the tables of an import. The engine checks the texts that are inserted into `import_raw`. Good rows go to
 * `import_valid`, which has the columns of the ledger's table, and to `import_lines`, which records where each row
 * came from. Other rows go to `import_refused` without their values, or to `import_skipped` if the source skips them.
 */
export async function createImportTables(engine: Queries, tables: ImportTables): Promise<void> {
  for (const statement of importTables(tables)) await engine.execute(statement)
}

interface ImportTables {
  readonly table: LedgerTable
  /** The columns of the source's SELECT. */
  readonly columns: ReadonlySet<string>
  readonly check: RowCheck
  readonly importId: number
  /** See {@link identityOf}. */
  readonly isSync: boolean
}

/** Drops all tables of an import, or only those of one engine. */
export async function dropImportTables(engine: Queries, kind?: 'MaterializedView'): Promise<void> {
  const ofKind = kind === undefined ? '' : `AND engine = '${kind}'`
  // Views first: the engine does not drop a table while a view reads it.
  const sql = `SELECT name ${IMPORT_TABLES} ${ofKind} ORDER BY engine != 'MaterializedView', name`
  for (const { name } of await readRows(engine, tableRow, { sql, parameters: {} })) {
    await engine.execute('DROP TABLE {name:Identifier} SYNC', { name })
  }
}

/**
 * SQL over a row: its id, a hash of its constant columns, its version, and a hash of its content.
 *
 * @param isSync whether a sync numbers the versions, so that they are no content
 */
export function identityOf(
  table: LedgerTable,
  isSync: boolean,
): Readonly<Record<'id' | 'key' | 'version' | 'content', string>> {
  const { id, key, version } = rulesOf(table)
  // A hash distinguishes NULL from other values only in a tuple.
  const hash = (columns: readonly string[]) => `xxh3_128(tuple(${columns.join(', ')}))`
  return {
    id,
    key: hash([id, ...key]),
    version: version ?? 'toInt64(0)',
    content: hash(Object.keys(LEDGER_TABLES[table]).filter((name) => !isSync || name !== version)),
  }
}

/**
 * SQL that creates a table like one of the ledger's, for rows on their way to the ledger.
 *
 * @param importId the import that writes the rows
 */
export function stagingTable(
  name: string,
  table: LedgerTable,
  importId: number,
): readonly string[] {
  return [
    `CREATE TABLE ${name} AS ${table}`,
    // Versions must stay separate until the refused ones are known, so the engine merges only on request. Such a merge
    // also syncs to disk what the ledger takes.
    `ALTER TABLE ${name} MODIFY SETTING
      max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1,
      parts_to_delay_insert = 1000000, parts_to_throw_insert = 1000000, max_parts_in_total = 1000000,
      min_rows_to_fsync_after_merge = 1, fsync_part_directory = 1`,
    `ALTER TABLE ${name} MODIFY COLUMN import_id UInt32 MATERIALIZED ${importId}`,
  ]
}

function importTables({
  table,
  columns,
  check,
  importId,
  isSync,
}: ImportTables): readonly string[] {
  const ledger: LedgerColumns = LEDGER_TABLES[table]
  const names = Object.keys(ledger)
  const { id, key, version, content } = identityOf(table, isSync)
  const places = [...columns].map(rawColumn)
  const texts = places.map((place) => `${place} Nullable(String)`)
  const typed = names.map((name) => `${name} ${ledger[name]?.type}`)
  const values = names.map((name) => `${check.values.get(name)} AS ${name}`)
  const checked = selectLayers(
    "(SELECT * FROM import_raw WHERE skip = '' AND refuse = '')",
    check.layers,
  )
  // The reasons are computed for the few refused rows only.
  const refused = selectLayers('(SELECT * FROM import_checked WHERE is_wrong)', check.layers)
  return [
    `CREATE TABLE import_raw (line UInt64, lines Array(UInt64), skip String, refuse String, ${texts.join(', ')}) ENGINE = Null`,
    `CREATE TABLE import_checked (line UInt64, ${[...texts, ...typed].join(', ')}, is_cut UInt8, is_wrong UInt8) ENGINE = Null`,
    `CREATE TABLE import_refused (line UInt64, reasons Array(String), id String)
    ENGINE = MergeTree ORDER BY line`,
    `CREATE TABLE import_lines (line UInt64,
      id String, key UInt128, version Int64, content UInt128, is_cut UInt8)
    ENGINE = MergeTree ORDER BY id`,
    `CREATE TABLE import_verdicts (line UInt64, id String, key UInt128, version Int64,
      reason LowCardinality(String), verdict LowCardinality(String), is_held UInt8, is_moved UInt8, is_id_taken UInt8)
    ENGINE = MergeTree ORDER BY id`,
    `CREATE TABLE import_broken (rule LowCardinality(String), id String, version Int64)
    ENGINE = MergeTree ORDER BY id`,
    `CREATE TABLE import_skipped (line UInt64, skip LowCardinality(String), type String, status String, currency String, amount String, net String)
    ENGINE = MergeTree ORDER BY line`,
    `CREATE TABLE import_selected (selected AggregateFunction(groupBitmap, UInt64)) ENGINE = MergeTree ORDER BY tuple()`,
    ...stagingTable('import_valid', table, importId),
    `CREATE MATERIALIZED VIEW import_stage TO import_valid AS
    SELECT ${names.join(', ')} FROM import_checked WHERE NOT is_wrong`,
    `CREATE MATERIALIZED VIEW import_note TO import_lines AS
    SELECT line, ${id} AS id, ${key} AS key, ${version} AS version, ${content} AS content, is_cut
    FROM import_checked WHERE NOT is_wrong`,
    `CREATE MATERIALIZED VIEW import_refuse TO import_refused AS
    SELECT line, ifNull(value_${id}, '') AS id, ${check.reasons} AS reasons FROM (${refused})`,
    `CREATE MATERIALIZED VIEW import_skip TO import_skipped AS
    SELECT line, skip, ${textOf(columns, 'transaction_type')} AS type, ${textOf(columns, 'status')} AS status,
      ${textOf(columns, 'currency')} AS currency,
      ${textOf(columns, 'amount')} AS amount, ${textOf(columns, 'net_amount')} AS net
    FROM import_raw WHERE skip != ''`,
    `CREATE MATERIALIZED VIEW import_own_refuse TO import_refused AS
    SELECT line, ${textOf(columns, id)} AS id, [refuse] AS reasons FROM import_raw WHERE refuse != '' AND skip = ''`,
    `CREATE MATERIALIZED VIEW import_select TO import_selected AS
    SELECT groupBitmapState(one) AS selected FROM import_raw ARRAY JOIN lines AS one`,
    `CREATE MATERIALIZED VIEW import_check TO import_checked AS
    SELECT line, ${[...places, ...values].join(',\n')}, ${check.isCut} AS is_cut, ${check.isWrong} AS is_wrong
    FROM (${checked})`,
  ]
}

function textOf(columns: ReadonlySet<string>, name: string): string {
  return columns.has(name) ? `ifNull(${rawColumn(name)}, '')` : "''"
}
