import { rmSync } from 'node:fs'
import * as z from 'zod'
import { type Queries, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import type { LedgerChanges } from '../ledger/ledger-changes.ts'
import type { LedgerTable } from '../ledger/model.ts'
import { dropNames, isNamedTable, prepareNames } from '../ledger/names.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { dropImportTables } from './import-tables.ts'

// The journal is on disk before the first partition moves. It lists the partitions to attach, and for each the number
// of the newest block in the ledger's table. A block with a higher number can only be the attached part, because
// nothing else writes meanwhile.
const JOURNAL = `
CREATE TABLE import_journal (ledger_table String, partition_id String, last_block Int64)
ENGINE = MergeTree ORDER BY partition_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

const FILL_JOURNAL = `
INSERT INTO import_journal
SELECT {table:String}, partition_id, maxIf(max_block_number, table = {table:String})
FROM system.parts
WHERE active AND rows > 0 AND database = currentDatabase() AND table IN ('import_staging', {table:String})
GROUP BY partition_id HAVING countIf(table = 'import_staging') > 0`

const partitionRow = z.object({ partition_id: z.string(), total: z.coerce.number() })
const journalRow = z.object({
  ledger_table: z.string(),
  partition_id: z.string(),
  is_attached: z.number(),
})
const mergedRow = z.object({ total: z.coerce.number(), surplus: z.coerce.number() })
const tableRow = z.object({ name: z.string() })

const STAGING_PARTS =
  "FROM system.parts WHERE active AND rows > 0 AND database = currentDatabase() AND table = 'import_staging'"

/** The imports of a ledger. One import runs at a time. */
export interface Imports {
  /**
   * Waits until no import runs, and removes or completes what a dead process left behind. An abort of `signal` ends the
   * waiting. Until the end of an import, `changedSince` shows no newer changes. A snapshot only keeps imports away.
   */
  begin(signal?: AbortSignal, purpose?: 'import' | 'snapshot'): Promise<void>
  /**
   * Writes the rows of `import_staging` into the ledger. If the process dies before the journal is written, the ledger
   * has none of them. If it dies later, the next start writes the rest.
   */
  commit(table: LedgerTable): Promise<void>
  /** Completes the import if its journal was written, and removes it otherwise. */
  end(): Promise<void>
}

/** The ledger that imports change. */
export interface ImportedLedger {
  readonly engine: Queries
  /** Reports that run meanwhile see all of an import or nothing of it. */
  readonly changes: LedgerChanges
  /** The folder for temporary files of imports. */
  readonly folder: string
}

/** Makes the imports of a ledger that this process has open. */
export function createImports(ledger: ImportedLedger): Imports {
  const { engine, changes } = ledger
  let last: Promise<void> = Promise.resolve()
  let endLast = (): void => {}
  let closeWrite = (): void => {}
  return {
    begin: async (signal = new AbortController().signal, purpose = 'import') => {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      try {
        await unlessAborted(before, signal)
        await recoverImports(ledger)
        // The rows of an import that could not end are in the ledger now.
        closeWrite()
        closeWrite = purpose === 'import' ? changes.openWrite() : (): void => {}
      } catch (error) {
        // The next import may begin after the one before.
        void before.then(resolve)
        throw error
      }
      endLast = resolve
    },
    commit: async (table) => {
      await engine.execute(JOURNAL)
      await changes.write(async () => {
        await engine.execute(FILL_JOURNAL, { table })
        await attach(ledger, table)
      })
      await engine.execute('DROP TABLE import_journal SYNC')
    },
    end: async () => {
      try {
        await recoverImports(ledger)
        closeWrite()
      } finally {
        endLast()
      }
    },
  }
}

/** Merges each partition of `import_staging` into one part, which the engine attaches completely or not at all. */
export async function mergeStaging(
  engine: Queries,
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

/**
 * Finishes an interrupted import: completes it if its journal was written, and removes it otherwise. Call this whenever
 * a ledger is opened, before anything else reads or writes it.
 */
export async function recoverImports(ledger: ImportedLedger): Promise<void> {
  const { engine, changes, folder } = ledger
  const journals = await readRows(engine, tableRow, {
    sql: "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = 'import_journal'",
    parameters: {},
  })
  if (journals.length > 0) {
    await changes.write(async () => await rollForward(ledger))
    await engine.execute('DROP TABLE import_journal SYNC')
  }
  await dropImportTables(engine)
  rmSync(folder, { recursive: true, force: true })
}

/** Attaches the partitions of the journal that the ledger does not have yet. */
async function rollForward(ledger: ImportedLedger): Promise<void> {
  const { engine } = ledger
  const journal = await readRows(engine, journalRow, {
    sql: `SELECT ledger_table, partition_id, newest_block > last_block AS is_attached
    FROM import_journal LEFT JOIN (
      SELECT table AS ledger_table, partition_id, max(max_block_number) AS newest_block
      FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, partition_id
    ) AS parts USING (ledger_table, partition_id)`,
    parameters: {},
  })
  const [first] = journal
  if (first === undefined) return
  for (const { partition_id: partition } of journal.filter((entry) => entry.is_attached)) {
    await engine.execute(`ALTER TABLE import_staging DROP PARTITION ID '${partition}'`)
  }
  await attach(ledger, first.ledger_table)
}

/** Attaches all partitions of `import_staging`. The engine shows all of them to queries at the same moment. */
async function attach({ engine, changes }: ImportedLedger, table: string): Promise<void> {
  const next = isNamedTable(table) ? await prepareNames(engine, table) : undefined
  const former = await changes.change(async () => {
    await engine.execute(`ALTER TABLE ${table} ATTACH PARTITION ALL FROM import_staging`)
    return await next?.show()
  })
  if (former === undefined) return
  // Running reports still read the former dictionary. If dropping it fails, the next start drops it.
  void changes
    .readersLeft()
    .then(async () => await dropNames(engine, former))
    .catch(() => {})
}
