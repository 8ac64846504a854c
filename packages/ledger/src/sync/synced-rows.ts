import { literal, type Queries } from '@counterfoil/engine'
import type { LedgerTable } from '../model/model.ts'
import { RELOAD_NAMES } from '../model/names.ts'
import { type Bounds, isInRange, reasonsOf } from '../import/compare-with-ledger.ts'
import type { Source } from '../import/source/source.ts'
import { countRows } from '../import/import-tables.ts'
import { rulesOf } from '../import/table-rules.ts'
import { STAGED } from '../import/source/source-query.ts'

// The table `synced_rows` remembers what a sync saw. It may be behind the ledger, if a process died: the next sync then
// reads these days again. A row that was refused has the hash 0, which no row of a database has, so it is read again.

export const HELD_ROWS =
  '(SELECT day, key, hash, ids FROM synced_rows FINAL WHERE source = {source:String}) AS held WHERE 1'

export const STAGED_ROWS = `(SELECT ifNull(_day, '') AS day, assumeNotNull(_key) AS key,
  toUInt64OrZero(_hash) AS hash, _line AS line FROM ${STAGED}) AS staged`

// Small blocks of a large table go to the disk while they are sorted or grouped.
const SPILLING = `max_threads = 2, max_bytes_before_external_group_by = 200000000,
  max_bytes_before_external_sort = 200000000, join_algorithm = 'full_sorting_merge'`

/**
 * Compares the staged rows with what the last sync saw, in the table `import_keys`, and drops those that have not
 * changed. Returns how many rows have changed or are gone.
 *
 * @param isNewSource whether the source reads all rows in another way than in the last sync
 */
export async function compareStaged(
  engine: Queries,
  source: string,
  days: readonly string[] | 'all',
  isNewSource: boolean,
): Promise<number> {
  await engine.execute(`CREATE TABLE import_keys (day String, key String, line UInt64, hash UInt64, former Array(String),
    is_staged UInt8, is_changed UInt8) ENGINE = MergeTree ORDER BY line`)
  const ofDays =
    days === 'all'
      ? ''
      : `AND (day IN {days:Array(String)} OR (day, key) IN (SELECT day, key FROM ${STAGED_ROWS}))`
  await engine.execute(
    `INSERT INTO import_keys
    SELECT day, key, max(line) AS line_, max(hash) AS hash_, groupArrayArray(ids), max(is_staged) AS was_staged,
      ${isNewSource ? '1' : 'NOT was_staged OR hash_ != max(held_hash)'}
    FROM (
      SELECT day, key, line, hash, [] AS ids, 0 AS held_hash, 1 AS is_staged FROM ${STAGED_ROWS}
      UNION ALL
      SELECT day, key, 0, 0, ids, hash, 0 FROM ${HELD_ROWS} ${ofDays})
    GROUP BY day, key SETTINGS ${SPILLING}`,
    { source, ...(days !== 'all' && { days }) },
  )
  const same = await countRows(engine, 'import_keys WHERE NOT is_changed')
  if (same > 0) {
    await engine.execute(
      `ALTER TABLE ${STAGED} DELETE WHERE _line IN (SELECT line FROM import_keys WHERE NOT is_changed)
      SETTINGS mutations_sync = 1`,
    )
  }
  return await countRows(engine, 'import_keys WHERE is_changed')
}

/** Refuses rows of a sync that would replace what another row, source or import wrote under the same id. */
export async function refuseElsewhere(
  engine: Queries,
  { name: source, table }: Pick<Source, 'name' | 'table'>,
  bounds: Bounds,
): Promise<void> {
  const isNewId =
    '(line, id) NOT IN (SELECT line, arrayJoin(former) FROM import_keys WHERE is_staged)'
  const suspects = `is_held AND verdict = 'taken' AND ${isInRange('id')} AND ${isNewId}`
  if ((await countRows(engine, `import_verdicts WHERE ${suspects}`, bounds)) === 0) return
  const isOwn = 'source = {source:String} AND key IN (SELECT key FROM import_keys WHERE is_changed)'
  const held = (which: string): string => `SELECT arrayJoin(ids) FROM synced_rows FINAL
    WHERE hasAny(ids, (SELECT groupArray(id) FROM import_verdicts WHERE is_held AND ${isNewId})) AND ${which}`
  // The same row of the database may have stood for the id on another day.
  const [isOther, isOwnId] = [`id IN (${held(`NOT (${isOwn})`)})`, `id IN (${held(isOwn)})`]
  const { otherKey, otherRow } = reasonsOf(table)
  await engine.execute(
    `ALTER TABLE import_verdicts UPDATE verdict = 'refused', is_id_taken = 0,
      reason = if(${isOther}, ${literal(otherRow)}, ${literal(otherKey)})
    WHERE ${suspects} AND (${isOther} OR is_moved AND NOT ${isOwnId})
    SETTINGS mutations_sync = 1`,
    { source, ...bounds },
  )
}

/** SQL: rows of the database that were refused. The ledger keeps what it has of them. */
const REFUSED_LINES = '(SELECT line FROM import_refused)'

/**
 * Lists the ids that no row of the database stands for any more, in the table `import_vanished`: of rows that are gone,
 * that now have other ids, or that the source now skips. Returns how many of them the ledger has, and how many ids have
 * another key.
 *
 * @param closedBefore counts those of closed days, too
 */
export async function listVanished(
  engine: Queries,
  source: string,
  table: LedgerTable,
  closedBefore: string | undefined,
): Promise<{ readonly deleted: number; readonly moved: number; readonly closed: number }> {
  const { id, time } = rulesOf(table)
  await engine.execute('CREATE TABLE import_vanished (id String) ENGINE = MergeTree ORDER BY id')
  await engine.execute(`INSERT INTO import_vanished
    SELECT DISTINCT arrayJoin(former) AS id FROM import_keys
    WHERE is_changed AND notEmpty(former) AND (NOT is_staged OR line NOT IN ${REFUSED_LINES})
      AND id NOT IN (SELECT id FROM import_rows WHERE is_good)`)
  if ((await countRows(engine, 'import_vanished')) > 0) {
    // Another row of the database, or another source, may stand for the same id.
    await engine.execute(
      `ALTER TABLE import_vanished DELETE WHERE id IN (
        SELECT arrayJoin(ids) FROM synced_rows FINAL
        WHERE hasAny(ids, (SELECT groupArray(id) FROM import_vanished))
        AND NOT (source = {source:String} AND (day, key) IN (SELECT day, key FROM import_keys WHERE is_changed)))
      SETTINGS mutations_sync = 1`,
      { source },
    )
  }
  const deleted = await countRows(
    engine,
    `${table} FINAL WHERE ${id} IN (SELECT id FROM import_vanished)`,
  )
  // A row with another key has two places in the ledger's table.
  const isMoved = "import_verdicts WHERE is_moved AND verdict = 'taken'"
  await engine.execute(`INSERT INTO import_vanished SELECT DISTINCT id FROM ${isMoved}`)
  const ofVanished = `${table} FINAL WHERE ${id} IN (SELECT id FROM import_vanished)`
  const closed =
    closedBefore === undefined || time === undefined
      ? 0
      : await countRows(engine, `${ofVanished} AND ${time} < toDate32('${closedBefore}')`)
  return { deleted, moved: await countRows(engine, isMoved), closed }
}

export function vanishStatements(table: LedgerTable, importId: number): readonly string[] {
  const { id } = rulesOf(table)
  return [
    `ALTER TABLE ${table} DELETE WHERE ${id} IN (SELECT id FROM import_vanished) AND import_id != ${importId}
    SETTINGS mutations_sync = 1`,
    RELOAD_NAMES,
  ]
}

export async function rememberRows(engine: Queries, source: string): Promise<void> {
  await engine.execute(
    `INSERT INTO synced_rows
    SELECT {source:String}, day, key, if(is_refused, 0, hash),
      if(is_refused, arrayDistinct(arrayConcat(former, ids)), ids), now64(3), NOT is_staged
    FROM (
      SELECT *, line IN ${REFUSED_LINES} AS is_refused FROM import_keys WHERE is_changed) AS changed
    LEFT JOIN (SELECT line, groupUniqArray(id) AS ids FROM import_rows WHERE is_good GROUP BY line) AS taken USING (line)
    SETTINGS ${SPILLING}`,
    { source },
  )
}

export async function countSyncRefused(engine: Queries, source: string): Promise<number> {
  const refused = 'source = {source:String} AND hash = 0'
  const rows = `synced_rows FINAL WHERE ${refused} AND (day, key) IN (SELECT day, key FROM synced_rows WHERE ${refused})`
  return await countRows(engine, rows, { source })
}
