import { rmSync } from 'node:fs'
import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { GatewayError, unlessAborted } from '@counterfoil/common'
import type { LedgerChanges } from '../changes/ledger-changes.ts'
import { dropNames, isNamedTable, prepareNames, reloadNames } from '../model/names.ts'
import { type ImportRecord, keepRecord, listEmptyImport, writeRecord } from './import-records.ts'
import { dropImportTables, IMPORT_TABLES } from './import-tables.ts'
import { isServerFree, lockServer, type ServerLock } from './server-lock.ts'

// The journal is on disk before the first partition moves. It lists the partitions to attach, and for each the number
// of the newest block in the ledger's table. A block with a higher number can only be the attached part, because
// nothing else writes meanwhile.
const JOURNAL = `
CREATE TABLE import_journal (ledger_table String, partition_id String, last_block Int64, statements Array(String))
ENGINE = MergeTree ORDER BY partition_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

// On a server, other gateways may have read the ledger since the rows were staged, with later cursors.
const STAMP =
  'ALTER TABLE import_staging UPDATE loaded_at = now64(3) WHERE 1 SETTINGS mutations_sync = 1'

// Statements that change the ledger without staged rows. They run again if the process dies between them.
const CHANGES = `
CREATE TABLE import_changes (place UInt32, statement String)
ENGINE = MergeTree ORDER BY place
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

const FILL_JOURNAL = `
INSERT INTO import_journal
SELECT {table:String}, partition_id, maxIf(max_block_number, table = {table:String}), {statements:Array(String)}
FROM system.parts
WHERE active AND rows > 0 AND database = currentDatabase() AND table IN ('import_staging', {table:String})
GROUP BY partition_id HAVING countIf(table = 'import_staging') > 0`

const partitionRow = z.object({ partition_id: z.string(), total: z.coerce.number() })
const journalRow = z.object({
  ledger_table: z.string(),
  partition_id: z.string(),
  is_attached: z.number(),
  statements: z.array(z.string()),
})
const mergedRow = z.object({ total: z.coerce.number(), surplus: z.coerce.number() })
const tableRow = z.object({ name: z.string() })
const changeRow = z.object({ statement: z.string() })

const STAGING_PARTS =
  "FROM system.parts WHERE active AND rows > 0 AND database = currentDatabase() AND table = 'import_staging'"

/** The imports of a ledger. One import runs at a time. */
export interface Imports {
  /**
   * Waits until no import runs, and removes or completes what a dead process left behind. An abort of `signal` ends the
   * waiting.
   */
  begin(signal?: AbortSignal): Promise<void>
  /**
   * Writes the rows of `import_staging` into the ledger. If the process dies before the journal is written, the ledger
   * has none of them. If it dies later, the next start writes the rest.
   *
   * @param statements statements that may run twice. Reports see their changes together with the new rows.
   */
  commit(record: ImportRecord, statements?: readonly string[]): Promise<void>
  /**
   * Changes the ledger by statements that may run twice. Reports that begin meanwhile wait. If the process dies, the
   * next start runs the statements again.
   */
  change(statements: readonly string[]): Promise<void>
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
  /** Whether other processes may import into this ledger, because it is on a server. */
  readonly isShared: boolean
}

/** Makes the imports of a ledger that this process has open. */
export function createImports(ledger: ImportedLedger): Imports {
  const { engine, changes } = ledger
  let last: Promise<void> = Promise.resolve()
  let endLast = (): void => {}
  let closeWrite = (): void => {}
  let lock: ServerLock | undefined
  const unlock = (): void => {
    lock?.release()
    lock = undefined
  }
  const change: Imports['change'] = async (statements) => {
    lock?.requireHeld()
    const places = statements.map((_, at) => at)
    await engine.execute(CHANGES)
    await engine.execute(
      `INSERT INTO import_changes SELECT row.1, row.2
      FROM (SELECT arrayJoin(arrayZip({places:Array(UInt32)}, {statements:Array(String)})) AS row)`,
      { places, statements },
    )
    await runChanges(ledger)
  }
  return {
    begin: async (signal = new AbortController().signal) => {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      try {
        await unlessAborted(before, signal)
        if (ledger.isShared) lock = await lockServer(engine, signal)
        await recover(ledger)
        // The rows of an import that could not end are in the ledger now.
        closeWrite()
        // Until the end, `changedSince` shows no newer changes.
        closeWrite = changes.openWrite()
      } catch (error) {
        unlock()
        // The next import may begin after the one before.
        void before.then(resolve)
        throw error
      }
      endLast = resolve
    },
    commit: async (record, statements = []) => {
      if (record.taken === 0) {
        if (statements.length > 0) await change(statements)
        await listEmptyImport(engine, record)
        return
      }
      const { table } = record
      lock?.requireHeld()
      await writeRecord(engine, record)
      await engine.execute(JOURNAL)
      await changes.write(async () => {
        await engine.execute(FILL_JOURNAL, { table, statements })
        await attach(ledger, table, statements)
      })
      await finish(engine)
    },
    change,
    end: async () => {
      try {
        await recover(ledger)
        closeWrite()
      } finally {
        unlock()
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
 * a ledger is opened, before anything else reads or writes it. On a server, it leaves the import of a process that
 * still runs alone.
 */
export async function recoverImports(ledger: ImportedLedger): Promise<void> {
  const { signal } = new AbortController()
  if (!ledger.isShared) return await recover(ledger)
  const left = await readRows(ledger.engine, tableRow, {
    sql: `SELECT name ${IMPORT_TABLES} LIMIT 1`,
    parameters: {},
  })
  if (left.length === 0 || !(await isServerFree(ledger.engine, signal))) return
  const lock = await lockServer(ledger.engine, signal)
  await recover(ledger).finally(() => lock.release())
}

/** Finishes an interrupted import, which no other process works on. */
async function recover(ledger: ImportedLedger): Promise<void> {
  const { engine, changes, folder } = ledger
  const journals = await readRows(engine, tableRow, {
    sql: `SELECT name ${IMPORT_TABLES} AND name IN ('import_journal', 'import_changes')`,
    parameters: {},
  })
  const has = (journal: string): boolean => journals.some(({ name }) => name === journal)
  if (has('import_changes')) await runChanges(ledger)
  if (has('import_journal')) {
    await changes.write(async () => await rollForward(ledger))
    await finish(engine)
  }
  await dropImportTables(engine)
  rmSync(folder, { recursive: true, force: true })
}

/** Runs the statements of `import_changes`. */
async function runChanges({ engine, changes }: ImportedLedger): Promise<void> {
  const statements = await readRows(engine, changeRow, {
    sql: 'SELECT statement FROM import_changes ORDER BY place',
    parameters: {},
  })
  await changes.write(async () => {
    await changes.change(async () => {
      for (const { statement } of statements) await engine.execute(statement)
    })
  })
  await engine.execute('DROP TABLE import_changes SYNC')
}

/** Ends an import whose rows are in the ledger. */
async function finish(engine: Queries): Promise<void> {
  await keepRecord(engine)
  await engine.execute('DROP TABLE import_journal SYNC')
}

/** Attaches the partitions of the journal that the ledger does not have yet. */
async function rollForward(ledger: ImportedLedger): Promise<void> {
  const { engine } = ledger
  const journal = await readRows(engine, journalRow, {
    sql: `SELECT ledger_table, partition_id, newest_block > last_block AS is_attached, statements
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
  await attach(ledger, first.ledger_table, first.statements)
}

/** Attaches all partitions of `import_staging`. The engine shows all of them to queries at the same moment. */
async function attach(
  { engine, changes, isShared }: ImportedLedger,
  table: string,
  statements: readonly string[],
): Promise<void> {
  if (isShared && table === 'transactions') await engine.execute(STAMP)
  const isNamed = isNamedTable(table)
  const next = isNamed && !isShared ? await prepareNames(engine, table) : undefined
  const former = await changes.change(async () => {
    await engine.execute(`ALTER TABLE ${table} ATTACH PARTITION ALL FROM import_staging`)
    const shown = await next?.show()
    for (const statement of statements) await engine.execute(statement)
    return shown
  })
  // A server's dictionaries keep their names, because other gateways read them.
  if (isNamed && isShared) await reloadNames(engine)
  if (former === undefined) return
  // Running reports still read the former dictionary. If dropping it fails, the next start drops it.
  void changes
    .readersLeft()
    .then(async () => await dropNames(engine, former))
    .catch(() => {})
}
