import * as z from 'zod'
import { type Queries, readNumber, readRows } from '@counterfoil/engine'
import { GatewayError, unlessAborted } from '@counterfoil/common'
import type { LedgerChanges } from '../changes/ledger-changes.ts'
import { dropNames, isNamedTable, prepareNames, RELOAD_NAMES } from '../model/names.ts'
import { dropOldReplaced, type ImportRecord, recordStatements } from './import-records.ts'
import { dropImportTables, IMPORT_TABLES } from './import-tables.ts'
import { isServerFree, lockServer, type ServerLock } from './server-lock.ts'

// The journal: the statements that change the ledger. It is on disk before the first statement runs. If the process dies
// before the last one ends, all of them run again. So each of them may run twice: a row that is there twice counts once.
const JOURNAL = `
CREATE TABLE import_changes (place UInt32, statement String)
ENGINE = MergeTree ORDER BY place
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

// On a server, other gateways may have read the ledger since the rows were staged, with later cursors.
const STAMP =
  'ALTER TABLE import_staging UPDATE loaded_at = now64(3) WHERE 1 SETTINGS mutations_sync = 1'

const partitionRow = z.object({ partition_id: z.string(), total: z.coerce.number() })
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
   * Writes the rows of `import_staging` into the ledger, and the record into the list of imports. If the process dies
   * before the journal is written, the ledger has none of them. If it dies later, the next start writes them.
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
  /** Whether other processes may import into this ledger, because it is on a server. */
  readonly isShared: boolean
}

/** A ledger that takes imports: in this process, or in a running gateway. */
export interface LedgerAccess {
  readonly engine: Queries
  readonly imports: Imports
}

/**
 * Runs work while nothing else is imported. If it fails after the journal is written, its end completes it. If that
 * fails too, the next start completes it.
 */
export async function whileImporting<T>(
  { imports }: LedgerAccess,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  await imports.begin(signal)
  try {
    return await work()
  } finally {
    await imports.end()
  }
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
    await engine.execute(JOURNAL)
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
      const { table, taken } = record
      const isNamed = taken > 0 && isNamedTable(table)
      // A server's dictionaries keep their names, because other gateways read them.
      const names = isNamed && !ledger.isShared ? await prepareNames(engine, table) : undefined
      await change([
        ...(ledger.isShared && table === 'transactions' && taken > 0 ? [STAMP] : []),
        // The engine shows all partitions to queries at the same moment.
        ...(taken > 0 ? [`ALTER TABLE ${table} ATTACH PARTITION ALL FROM import_staging`] : []),
        ...(names?.statements ?? (isNamed ? [RELOAD_NAMES] : [])),
        ...statements,
        ...recordStatements(record),
      ])
      await dropOldReplaced(engine)
      if (names?.former !== undefined) dropLater(ledger, names.former)
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
  const sql = `SELECT partition_id, sum(rows) AS total ${STAGING_PARTS} GROUP BY partition_id ORDER BY partition_id`
  const partitions = await readRows(engine, partitionRow, sql)
  // A merge keeps one version of a transaction, so there may be more rows before it than will be written.
  const unmerged = partitions.reduce((sum, { total }) => sum + total, 0)
  let done = 0
  for (const { partition_id: partition, total } of partitions) {
    await engine.execute(`OPTIMIZE TABLE import_staging PARTITION ID '${partition}' FINAL
      SETTINGS optimize_throw_if_noop = 1`)
    done += total
    onProgress(Math.round((expected * done) / unmerged))
  }
  const merged = await readNumber(engine, `SELECT sum(rows) AS value ${STAGING_PARTS}`)
  if (merged !== expected) {
    const message = `expected ${expected} rows to be ready for the ledger, got ${merged}`
    throw new GatewayError('ledger', message)
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
  const left = await readNumber(ledger.engine, `SELECT count() AS value ${IMPORT_TABLES}`)
  if (left === 0 || !(await isServerFree(ledger.engine, signal))) return
  const lock = await lockServer(ledger.engine, signal)
  await recover(ledger).finally(() => lock.release())
}

async function recover(ledger: ImportedLedger): Promise<void> {
  const { engine } = ledger
  const journals = `SELECT count() AS value ${IMPORT_TABLES} AND name = 'import_changes'`
  if ((await readNumber(engine, journals)) > 0) await runChanges(ledger)
  await dropImportTables(engine)
}

async function runChanges({ engine, changes }: ImportedLedger): Promise<void> {
  const sql = 'SELECT statement FROM import_changes ORDER BY place'
  const statements = (await readRows(engine, changeRow, sql)).map(({ statement }) => statement)
  await changes.write(async () => {
    // No report needs to wait for the stamps.
    if (statements.includes(STAMP)) await engine.execute(STAMP)
    await changes.change(async () => {
      for (const one of statements.filter((text) => text !== STAMP)) await engine.execute(one)
    })
  })
  await engine.execute('DROP TABLE import_changes SYNC')
}

/** Drops a dictionary when no running report reads it any more. If that fails, the next start drops it. */
function dropLater({ engine, changes }: ImportedLedger, dictionary: string): void {
  void changes
    .readersLeft()
    .then(async () => await dropNames(engine, dictionary))
    .catch(() => {})
}
