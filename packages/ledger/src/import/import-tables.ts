import * as z from 'zod'
import { type EngineQuery, type Queries, readNumber, readRows } from '@counterfoil/engine'
import { LEDGER_TABLES, type LedgerColumns, type LedgerTable } from '../model/model.ts'
import { rawColumn, type RowCheck, selectLayers } from './check/check-columns.ts'
import { identifier } from './source/stage-file.ts'
import { rulesOf } from './table-rules.ts'

/** Every table of an import is named import_*, and the import drops all of them at the end. */
export const IMPORT_TABLES =
  "FROM system.tables WHERE database = currentDatabase() AND startsWith(name, 'import_')"
const tableRow = z.object({ name: z.string() })

/** Drops all tables of an import, or only those of one engine. */
export async function dropImportTables(engine: Queries, kind?: 'MaterializedView'): Promise<void> {
  const ofKind = kind === undefined ? '' : `AND engine = '${kind}'`
  // Views first: the engine does not drop a table while a view reads it.
  const sql = `SELECT name ${IMPORT_TABLES} ${ofKind} ORDER BY engine != 'MaterializedView', name`
  const names = (await readRows(engine, tableRow, sql)).map(({ name }) => name)
  if (names.length > 0) await engine.execute(`DROP TABLE ${names.map(identifier).join(', ')} SYNC`)
}

/** Counts rows. `from` is SQL: a table, and maybe a condition. */
export async function countRows(
  engine: Queries,
  from: string,
  parameters: EngineQuery['parameters'] = {},
): Promise<number> {
  return await readNumber(engine, { sql: `SELECT count() AS value FROM ${from}`, parameters })
}

/** SQL over a row: its id, a hash of its constant columns, its version, and a hash of its content. */
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

/** SQL that creates a table like one of the ledger's, for rows of an import on their way to the ledger. */
export function stagingTable(
  name: string,
  table: LedgerTable,
  importId: number,
): readonly [create: string, change: string] {
  return [
    `CREATE TABLE ${name} AS ${table}`,
    // Versions must stay separate until the refused ones are known, so the engine merges only on request. Such a merge
    // also syncs to disk what the ledger takes.
    `ALTER TABLE ${name} MODIFY COLUMN import_id UInt32 MATERIALIZED ${importId}, MODIFY SETTING
      max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1,
      parts_to_delay_insert = 1000000, parts_to_throw_insert = 1000000, max_parts_in_total = 1000000,
      min_rows_to_fsync_after_merge = 1, fsync_part_directory = 1`,
  ]
}

/** Settings of an INSERT of many rows. With its defaults, the engine would hold a million of them in memory. */
export const BULK_SETTINGS = {
  max_threads: 2,
  max_insert_threads: 1,
  min_insert_block_size_rows: 131_072,
  max_partitions_per_insert_block: 0,
  // A refused version must not replace another version.
  optimize_on_insert: 0,
} as const

// Texts of rows, for the sums of skipped ones.
const SUMMED = ['transaction_type', 'status', 'currency', 'amount', 'net_amount']

/** SQL: the rows of `import_checked`. `rows` is SQL of rows with their origin, and `columns` as texts. */
export function checkedRows(
  table: LedgerTable,
  columns: ReadonlySet<string>,
  { layers, values, isCut }: RowCheck,
  rows: string,
): string {
  const summed = SUMMED.map((name) => (columns.has(name) ? `ifNull(${rawColumn(name)}, '')` : "''"))
  return `SELECT line, lines, skip, refuse, ${summed.join(', ')},
    ifNull(value_${rulesOf(table).id}, ''), faults, cards, ${isCut},
    skip = '' AND refuse = '' AND empty(cards) AND NOT has(faults, 1), ${values.join(',\n')}
  FROM (${selectLayers(`(${rows})`, layers)})`
}

/**
 * Creates the tables of an import. Checked rows are inserted into `import_checked` ({@link checkedRows}). From there,
 * good rows go to `import_valid`, which has the columns of the ledger's table. `import_rows` records every row: where it
 * came from, why it is skipped or refused, and its identity ({@link identityOf}). Of other rows, no value stays but the
 * id, and what the sums of skipped rows need. `import_refused` lists the refused rows with their reasons.
 */
export async function createImportTables(
  engine: Queries,
  table: LedgerTable,
  { reasons }: RowCheck,
  { importId, isSync }: { readonly importId: number; readonly isSync: boolean },
): Promise<void> {
  const ledger: LedgerColumns = LEDGER_TABLES[table]
  const names = Object.keys(ledger)
  const { key, version, content } = identityOf(table, isSync)
  const summed = SUMMED.map(rawColumn)
  const origin = `line UInt64, lines Array(UInt64), skip LowCardinality(String), refuse String,
    ${summed.map((name) => `${name} String`).join(', ')}, id String,
    faults Array(UInt8), cards Array(String), is_cut UInt8, is_good UInt8`
  const typed = names.map((name) => `${name} ${ledger[name]?.type}`)
  const [create, change] = stagingTable('import_valid', table, importId)
  const created = [
    create,
    `CREATE TABLE import_checked (${origin}, ${typed.join(', ')}) ENGINE = Null`,
    `CREATE TABLE import_rows (${origin}, key UInt128, version Int64, content UInt128)
    ENGINE = MergeTree ORDER BY id`,
    `CREATE TABLE import_verdicts (line UInt64, id String, key UInt128, version Int64,
      reason LowCardinality(String), verdict LowCardinality(String), is_held UInt8, is_moved UInt8, is_id_taken UInt8)
    ENGINE = MergeTree ORDER BY id`,
    `CREATE TABLE import_broken (rule LowCardinality(String), id String, version Int64)
    ENGINE = MergeTree ORDER BY id`,
  ]
  const views = [
    `CREATE MATERIALIZED VIEW import_stage TO import_valid AS
    SELECT ${names.join(', ')} FROM import_checked WHERE is_good`,
    `CREATE MATERIALIZED VIEW import_note TO import_rows AS
    SELECT line, lines, skip, refuse, id, if(is_good, [], faults) AS faults, cards, is_cut, is_good,
      ${summed.map((name) => `if(skip = '', '', ${name}) AS ${name}`).join(', ')},
      ${key} AS key, ${version} AS version, ${content} AS content
    FROM import_checked`,
    `CREATE VIEW import_refused AS
    SELECT line, if(refuse = '', ${reasons}, [refuse]) AS reasons, id FROM import_rows WHERE skip = '' AND NOT is_good
    UNION ALL
    SELECT line, splitByString('; ', toString(reason)), id FROM import_verdicts WHERE verdict = 'refused'`,
  ]
  // One statement is faster than several.
  await engine.execute(created.join('\nPARALLEL WITH '))
  await engine.execute(change)
  await engine.execute(views.join('\nPARALLEL WITH '))
}
