import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { GatewayError, LIMITS, readText } from '@counterfoil/common'
import type { SourceDatabase } from '@counterfoil/databases'
import type { Bounds, JudgeOptions } from '../import/compare-with-ledger.ts'
import { stageLookups } from '../import/import-files.ts'
import { type LedgerAccess, whileImporting } from '../import/imports.ts'
import { type JudgedRows, judgeRows, prepareTaken } from '../import/judge-rows.ts'
import { recordOf } from '../import/import-records.ts'
import type { DatabaseHead, Source } from '../import/source/source.ts'
import { STAGED } from '../import/source/source-query.ts'
import { type ChangesToRead, stageChanges } from './stage-changes.ts'
import { listSyncs, type SyncRecord, writeSync } from './sync-records.ts'
import {
  compareStaged,
  countSyncRefused,
  listVanished,
  refuseElsewhere,
  rememberRows,
  vanishStatements,
} from './synced-rows.ts'

/** A source that reads a database. */
export type DatabaseSource = Source & { readonly database: DatabaseHead }

/** The input of a sync. */
export interface SyncOptions extends Omit<JudgeOptions, 'version'> {
  readonly source: DatabaseSource
  /** Opens the database. The engine reads files of an object store. */
  readonly openDatabase: (engine: Queries) => Promise<SourceDatabase>
  /** Whether to compare every row, and not only changes and the last days. */
  readonly isWhole?: boolean
  /** Whether the sync may delete more rows of the ledger than `LIMITS.syncDeletionsMax`. */
  readonly mayDeleteMany?: boolean
  readonly signal?: AbortSignal
}

/** What a sync changed. Undefined members: no row of the database had changed. */
export interface SyncResult {
  readonly judged: JudgedRows | undefined
  /** The keys of the lines that the result names. */
  readonly keys: ReadonlyMap<number, string>
  /** Rows of the ledger that the database does not have any more. */
  readonly deleted: number
  /** All rows of the database that are refused. */
  readonly refused: number
}

const keyRow = z.object({ line: z.coerce.number(), key: z.string() })
const changeRow = z.object({ newest: z.string() })
const CHANGE = "parseDateTime64BestEffortOrNull(_changed, 6, 'UTC')"
const DAY_MS = 86_400_000
const NO_SYNC = {
  syncedAt: undefined,
  definition: '',
  newestChange: '',
  taken: 0,
  deleted: 0,
  refused: 0,
  error: '',
}

/**
 * Brings the rows of a database into the ledger: new and changed ones, and the deletion of those that are gone. If it
 * fails, the ledger stays as it was, and its record says why.
 *
 * @throws {GatewayError} `ledger` if the database cannot be read, `config` if the source is wrong
 */
export async function syncSource(ledger: LedgerAccess, options: SyncOptions): Promise<SyncResult> {
  const { engine } = ledger
  const { source, signal } = options
  const { name, table } = source
  const sync = async (): Promise<SyncResult> => {
    const last = (await listSyncs(engine)).find((one) => one.source === name)
    try {
      return await takeChanges(ledger, options, last)
    } catch (error) {
      signal?.throwIfAborted()
      await writeSync(engine, { ...NO_SYNC, source: name, table, ...last, error: reasonOf(error) })
      throw error
    }
  }
  return await whileImporting(ledger, sync, signal)
}

async function takeChanges(
  { engine, imports }: LedgerAccess,
  options: SyncOptions,
  last: SyncRecord | undefined,
): Promise<SyncResult> {
  const { source, isWhole = false, mayDeleteMany = false, now = Date.now } = options
  const { table, name } = source
  const beganAt = now()
  const definition = definitionOf(source)
  const isNew = last?.definition !== definition
  const { columns, days } = await readDatabase(engine, options, {
    from: await firstChange(engine, source, last?.newestChange),
    fromDay: isNew ? undefined : isWhole ? '' : dayBefore(beganAt, source.database.comparedDays),
  })
  const newestChange = await readNewestChange(engine, last?.newestChange)
  const syncedAt = new Date(beganAt).toISOString()
  const record = { ...NO_SYNC, source: name, table, syncedAt, definition, newestChange }
  const changed = await compareStaged(engine, name, days, isNew)
  if (changed === 0) {
    const refused = last?.refused ?? 0
    await writeSync(engine, { ...record, refused })
    return { judged: undefined, keys: new Map(), deleted: 0, refused }
  }
  await stageLookups(engine, source)
  const judgeAgain = async (ids: Bounds) => await refuseElsewhere(engine, source, ids)
  const judging = { ...options, version: beganAt, judgeAgain }
  const judged = await judgeRows(engine, judging, columns)
  const { closedBefore } = options
  const { deleted, moved, closed } = await listVanished(engine, name, table, closedBefore)
  if (closed > 0) {
    const message = `the database lacks ${closed} rows of days that are closed, or moved them`
    throw new GatewayError('ledger', `${source.path}: ${message}. Use --into-closed`)
  }
  if (deleted + moved > LIMITS.syncDeletionsMax && !mayDeleteMany) {
    const advice = `If that is right, run "counterfoil-gateway sync ${source.path} --delete-many"`
    throw new GatewayError(
      'ledger',
      `${source.path}: the database lacks ${deleted} rows that the ledger has from it, and moved ${moved}. ${advice}`,
    )
  }
  const keys = await readKeys(engine, judged)
  await prepareTaken(engine, judging, judged)
  const { id, taken } = judged
  if (taken + deleted > 0) {
    const statements = deleted + moved > 0 ? vanishStatements(table, id) : []
    await imports.commit(recordOf(options, judged, []), statements)
  }
  await rememberRows(engine, name)
  const allRefused = await countSyncRefused(engine, name)
  await writeSync(engine, { ...record, taken, deleted, refused: allRefused })
  return { judged, keys, deleted, refused: allRefused }
}

function dayBefore(ms: number, days: number): string {
  return new Date(ms - days * DAY_MS).toISOString().slice(0, 10)
}

/** Tries a source on some rows of its database. Changes nothing. */
export async function trySync(
  ledger: LedgerAccess,
  options: SyncOptions & { readonly sampleRows: number },
) {
  const { engine } = ledger
  return await whileImporting(ledger, async () => {
    const tried = { from: undefined, fromDay: undefined, rowsMax: LIMITS.triedRowsMax }
    const { columns } = await readDatabase(engine, options, tried)
    await stageLookups(engine, options.source)
    const judged = await judgeRows(engine, { ...options, version: Date.now() }, columns)
    return { judged, keys: await readKeys(engine, judged) }
  })
}

async function readDatabase(
  engine: Queries,
  { source, openDatabase, signal }: SyncOptions,
  changes: ChangesToRead,
) {
  const database = await openDatabase(engine)
  const leave = (): void => void database.close()
  signal?.addEventListener('abort', leave)
  try {
    signal?.throwIfAborted()
    return await stageChanges(engine, database, source, changes)
  } finally {
    signal?.removeEventListener('abort', leave)
    await database.close()
  }
}

async function readKeys(
  engine: Queries,
  { skips, leftOut, outdated, rules, reasons, sample }: JudgedRows,
): Promise<SyncResult['keys']> {
  const lines = [
    ...[...skips, ...reasons].map(({ first }) => first),
    ...[outdated, ...rules, ...(leftOut ? [leftOut] : [])].flatMap((some) => some.lines),
    ...sample.map(({ line }) => line),
  ]
  const sql = `SELECT _line AS line, _key AS key FROM ${STAGED}
    WHERE _line IN {lines:Array(UInt64)} AND isNotNull(_key)`
  const rows = await readRows(engine, keyRow, { sql, parameters: { lines } })
  return new Map(rows.map(({ line, key }) => [line, key]))
}

/** The change from which a sync reads: some minutes before the newest one, because later commits may have earlier times. */
async function firstChange(
  engine: Queries,
  { database: { changed, overlapMinutes } }: DatabaseSource,
  newest: string | undefined,
): Promise<string | undefined> {
  if (changed === undefined || !newest) return undefined
  const sql = `SELECT toString(toDateTime64({newest:String}, 6, 'UTC') - toIntervalMinute(${overlapMinutes})) AS newest`
  return (await readRows(engine, changeRow, { sql, parameters: { newest } }))[0]?.newest
}

/** The newest change of the staged rows, or the one before. A time in the future would hide later changes. */
async function readNewestChange(engine: Queries, before = ''): Promise<string> {
  const [found] = await readRows(engine, changeRow, {
    sql: `SELECT greatest({before:String}, ifNull(toString(least(max(${CHANGE}), now64(6, 'UTC'))), '')) AS newest FROM ${STAGED}`,
    parameters: { before },
  })
  return found?.newest ?? before
}

/** A hash of a source and its lookup files. If it changes, every row has to be read again. */
function definitionOf({ text, lookups }: Source): string {
  const hash = createHash('sha256').update(text)
  for (const file of Object.values(lookups)) hash.update(readText(file, 'config'))
  return hash.digest('hex')
}

/** The text of other errors may have values of rows. */
function reasonOf(error: unknown): string {
  return error instanceof GatewayError ? error.message : 'The sync failed. The log has the details'
}
