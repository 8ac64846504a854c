import { rmSync } from 'node:fs'
import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { reloadNames } from '../ledger/migrate-ledger.ts'
import type { LedgerTable } from '../ledger/model.ts'
import { dropImportTables } from './import-tables.ts'

// The journal is on disk before the first partition moves. It lists the partitions to attach, and for each the number
// of the newest block in the ledger's table. A block with a higher number can only be the attached part, because
// nothing else writes meanwhile.
const JOURNAL = `
CREATE TABLE import_journal (ledger_table String, partition_id String, last_block Int64)
ENGINE = MergeTree ORDER BY partition_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

const partitionRow = z.object({ partition_id: z.string(), total: z.coerce.number() })
const journalRow = z.object({ ledger_table: z.string(), partition_id: z.string() })
const mergedRow = z.object({ total: z.coerce.number(), surplus: z.coerce.number() })
const tableRow = z.object({ name: z.string() })

const STAGING_PARTS =
  "FROM system.parts WHERE active AND rows > 0 AND database = currentDatabase() AND table = 'import_staging'"

/**
 * Writes the rows of `import_staging` into the ledger. If the process dies before the journal is written, the ledger
 * has none of them. If it dies later, the next start writes the rest (`recoverImports`).
 */
export async function commitImport(
  engine: Engine,
  table: LedgerTable,
  rows: number,
  onProgress: (rows: number) => void,
): Promise<void> {
  await mergeStaging(engine, rows, onProgress)
  await engine.execute(JOURNAL)
  await engine.execute(
    `INSERT INTO import_journal
    SELECT {table:String}, partition_id, maxIf(max_block_number, table = {table:String})
    FROM system.parts
    WHERE active AND rows > 0 AND database = currentDatabase() AND table IN ('import_staging', {table:String})
    GROUP BY partition_id HAVING countIf(table = 'import_staging') > 0`,
    { table },
  )
  await rollForward(engine)
}

/**
 * Finishes an interrupted import: completes it if its journal was written, and removes it otherwise. Call this whenever
 * a ledger is opened, before anything else reads or writes it.
 */
export async function recoverImports(engine: Engine, folder: string): Promise<void> {
  const journals = await readRows(engine, tableRow, {
    sql: "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = 'import_journal'",
    parameters: {},
  })
  if (journals.length > 0) await rollForward(engine)
  await dropImportTables(engine)
  rmSync(folder, { recursive: true, force: true })
}

/** Merges each partition into one part, which the engine attaches completely or not at all. */
async function mergeStaging(
  engine: Engine,
  expected: number,
  onProgress: (rows: number) => void,
): Promise<void> {
  const partitions = await readRows(engine, partitionRow, {
    sql: `SELECT partition_id, sum(rows) AS total ${STAGING_PARTS} GROUP BY partition_id ORDER BY partition_id`,
    parameters: {},
  })
  // A merge keeps one version of a transaction, so there may be more rows before it than will be written.
  const unmerged = partitions.reduce((sum, { total }) => sum + total, 0)
  let done = 0
  for (const { partition_id: partition, total } of partitions) {
    await engine.execute(`OPTIMIZE TABLE import_staging PARTITION ID '${partition}' FINAL`)
    done += total
    onProgress(Math.round((expected * done) / unmerged))
  }
  const [merged] = await readRows(engine, mergedRow, {
    sql: `SELECT sum(rows) AS total, count() - uniqExact(partition_id) AS surplus ${STAGING_PARTS}`,
    parameters: {},
  })
  if (merged?.total !== expected || merged.surplus > 0) {
    const actual = `got ${merged?.total}, and ${merged?.surplus} parts too many`
    throw new GatewayError(
      'ledger',
      `expected ${expected} rows to be ready for the ledger, ${actual}`,
    )
  }
}

/** Attaches the partitions of the journal that the ledger does not have yet, and ends the import. */
async function rollForward(engine: Engine): Promise<void> {
  const missing = await readRows(engine, journalRow, {
    sql: `SELECT ledger_table, partition_id
    FROM import_journal LEFT JOIN (
      SELECT table AS ledger_table, partition_id, max(max_block_number) AS newest_block
      FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, partition_id
    ) AS parts USING (ledger_table, partition_id)
    WHERE newest_block <= last_block ORDER BY partition_id`,
    parameters: {},
  })
  for (const { ledger_table: table, partition_id: partition } of missing) {
    await engine.execute(
      `ALTER TABLE ${table} ATTACH PARTITION ID '${partition}' FROM import_staging`,
    )
  }
  await engine.execute('DROP TABLE import_journal SYNC')
  await reloadNames(engine)
}
