import * as z from 'zod'
import { literal, type Queries, readRows, settingsClause } from '@counterfoil/engine'
import { LIMITS } from '@counterfoil/common'
import type { LedgerTable } from '../model/model.ts'
import type { CheckedRows } from '../rules/broken-rows.ts'
import { refusedByRules } from './check/import-rules.ts'
import { dropImportTables, identityOf, stagingTable } from './import-tables.ts'
import { copyRows, REPLACED, WITH_IMPORT_ID } from './import-records.ts'
import { rulesOf } from './table-rules.ts'

/** Counts of the rows that had no fault of their own. */
export interface Comparison {
  /** New rows, and newer versions. */
  readonly taken: number
  /** Rows that the ledger has already, and rows that repeat another row of the files. */
  readonly unchanged: number
  /** Rows of which the ledger or the files have a newer version. */
  readonly older: number
  /** How many rows of the ledger get a newer version or other content. */
  readonly replaced: number
}

const COPY_SETTINGS = {
  max_threads: 2,
  max_insert_threads: 1,
  min_insert_block_size_rows: 131_072,
  max_partitions_per_insert_block: 0,
  // A refused version must not replace another version.
  optimize_on_insert: 0,
} as const

const rangeRow = z.object({ last: z.string(), rows: z.coerce.number() })
const replacedRow = z.object({ rows: z.coerce.number() })
const verdictRow = z.object({ verdict: z.string(), rows: z.coerce.number() })

/**
 * Compares the rows of an import with each other and with the ledger. Refused rows go to `import_refused`. Ranges of ids
 * limit the memory.
 */
export async function compareWithLedger(
  engine: Queries,
  compared: Compared,
  onProgress: (rows: number) => void,
): Promise<Comparison> {
  const { table, isSync, holdsElsewhere } = compared
  let replaced = 0
  const sql = `SELECT max(id) AS last, count() AS rows FROM
  (SELECT id FROM import_lines WHERE id > {after:String} ORDER BY id LIMIT ${LIMITS.comparedRowsMax})`
  let after = ''
  let done = 0
  for (;;) {
    const [range] = await readRows(engine, rangeRow, { sql, parameters: { after } })
    if (!range?.rows) break
    const bounds = { after, last: range.last }
    await engine.execute(insertVerdicts(compared), bounds)
    if (holdsElsewhere) await refuseElsewhere(engine, compared, holdsElsewhere, bounds)
    const taken = await countReplaced(engine, bounds)
    if (taken > 0 && !isSync) await keepReplaced(engine, table, bounds, replaced === 0)
    replaced += taken
    after = range.last
    done += range.rows
    onProgress(done)
  }
  return { ...(await countVerdicts(engine)), replaced }
}

/** What {@link compareWithLedger} needs to know of an import. */
export interface Compared {
  readonly table: LedgerTable
  readonly severities: CheckedRows['severities']
  /** Whether a sync numbers the versions. It may change all columns of a row, and its rows are not kept for an undo. */
  readonly isSync: boolean
  /** Which rows of a sync have an id that the ledger has from another row. */
  readonly holdsElsewhere?: HoldsElsewhere | undefined
  readonly closedBefore: string | undefined
}

/** Finds the rows of a sync whose id the ledger has from another row of a database. */
export interface HoldsElsewhere {
  /** SQL over `import_verdicts`: whether the row of the database had another id, or none, before. */
  readonly isNewId: string
  /** SQL: the ids of these rows that another row stands for. */
  readonly otherIds: string
  /** SQL: the ids of these rows that the same row stood for on another day. */
  readonly ownIds: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Refuses rows of a sync that would replace what another row, source or import wrote under the same id. */
async function refuseElsewhere(
  engine: Queries,
  { table }: Compared,
  { isNewId, otherIds, ownIds, parameters }: HoldsElsewhere,
  bounds: Bounds,
): Promise<void> {
  const { otherKey, otherRow } = reasonsOf(table)
  const suspects = `is_held AND verdict = 'taken' AND ${isInRange('id')} AND ${isNewId}`
  const bound = { ...parameters, ...bounds }
  const sql = `SELECT count() AS rows FROM import_verdicts WHERE ${suspects}`
  const [found] = await readRows(engine, replacedRow, { sql, parameters: bound })
  if (!found?.rows) return
  const isOther = `id IN (${otherIds})`
  await engine.execute(
    `ALTER TABLE import_verdicts UPDATE verdict = 'refused', is_id_taken = 0,
      reason = if(${isOther}, ${literal(otherRow)}, ${literal(otherKey)})
    WHERE ${suspects} AND (${isOther} OR is_moved AND id NOT IN (${ownIds}))
    SETTINGS mutations_sync = 1`,
    bound,
  )
}

/** SQL: whether a column is in the range of ids that is compared. */
function isInRange(column: string): string {
  return `${column} > {after:String} AND ${column} <= {last:String}`
}

type Bounds = { readonly after: string; readonly last: string }

const REPLACED_IDS = `FROM import_verdicts WHERE is_held AND is_id_taken AND ${isInRange('id')}`

/** Counts the rows of the ledger that the import replaces. */
async function countReplaced(engine: Queries, bounds: Bounds): Promise<number> {
  const [found] = await readRows(engine, replacedRow, {
    sql: `SELECT uniqExact(id) AS rows ${REPLACED_IDS}`,
    parameters: bounds,
  })
  return found?.rows ?? 0
}

/** Keeps the rows of the ledger that the import replaces, so that it can be undone. */
async function keepReplaced(
  engine: Queries,
  table: LedgerTable,
  bounds: Bounds,
  isFirst: boolean,
): Promise<void> {
  const { id } = rulesOf(table)
  if (isFirst) {
    for (const statement of stagingTable(REPLACED, table, 0)) await engine.execute(statement)
  }
  await engine.execute(
    `${copyRows(table, REPLACED, table)} FINAL WHERE ${isInRange(id)} AND ${id} IN (SELECT id ${REPLACED_IDS})
    ${settingsClause({ ...COPY_SETTINGS, ...WITH_IMPORT_ID })}`,
    bounds,
  )
}

/** Inserts a verdict for each row of a range of ids. */
function insertVerdicts({ table, severities, isSync, closedBefore }: Compared): string {
  const { id, isReplaceable, version: versionColumn } = rulesOf(table)
  const { key, version, content } = identityOf(table, isSync)
  const isVersioned = isSync && versionColumn !== undefined
  const ofSameVersion = 'OVER (PARTITION BY id, key, version)'
  const newer = `version > held_version${isReplaceable ? ' OR version = held_version' : ''}`
  const mayReplace = `(is_held = 0 OR ${isSync ? `NOT is_same AND (${newer})` : newer})`
  const reasons = reasonsOf(table)
  return `INSERT INTO import_verdicts
  WITH
    broken AS (${refusedByRules(severities, isInRange('id'))}),
    lines AS (
      SELECT import_lines.*, broken.rule_reasons AS rule_reasons
      FROM import_lines LEFT ANY JOIN broken USING (id, version) WHERE ${isInRange('id')}
    ),
    held AS (
      SELECT ${id} AS id, 1 AS is_held, ${key} AS held_key, ${version} AS held_version, ${content} AS held_content
      FROM ${table} FINAL WHERE ${isInRange(id)} AND ${id} IN (SELECT id FROM lines)
    ),
    judged AS (
      SELECT lines.*, is_held, held_version,
        is_held AND content = held_content ${isSync ? '' : 'AND version = held_version'} AS is_same,
        is_held AND key != held_key AS is_moved,
      multiIf(
        ${isSync ? '' : `is_moved, ${literal(reasons.otherKey)},`}
        ${isSync ? '' : 'is_held = 0 AND'} min(key) OVER (PARTITION BY id) != max(key) OVER (PARTITION BY id), ${literal(reasons.keysDiffer)},
        ${isVersioned ? `is_held AND NOT is_same AND version <= held_version, ${literal(reasons.otherVersion)},` : ''}
        is_held AND version = held_version AND content != held_content AND ${isReplaceable ? 0 : 1}, ${literal(reasons.otherContent)},
        ${closedBefore === undefined ? '' : `${mayReplace} AND NOT is_same AND ${isClosed(table, closedBefore)}, ${literal(reasons.closed)},`}
        ${hasTwin(table)}, ${literal(reasons.notUnique)},
        ${mayReplace} AND min(content) ${ofSameVersion} != max(content) ${ofSameVersion}, ${literal(reasons.contentsDiffer)},
        ${mayReplace}, rule_reasons,
        '') AS reason
      FROM lines LEFT ANY JOIN held USING id
    ),
    ranked AS (
      SELECT *,
        maxIf(version, reason = '') OVER (PARTITION BY id) AS newest,
        row_number() OVER (PARTITION BY id, version, reason ORDER BY line) AS place
      FROM judged
    )
  SELECT line, id, key, version, reason, multiIf(
      reason != '', 'refused',
      is_same, 'unchanged',
      is_held AND version < held_version, 'skipped',
      version < newest, 'older',
      place > 1, 'unchanged',
      'taken') AS verdict,
    is_held,
    is_moved,
    max(verdict = 'taken') OVER (PARTITION BY id) AS is_id_taken
  FROM ranked
  SETTINGS optimize_move_to_prewhere_if_final = 1, do_not_merge_across_partitions_select_final = 1,
    compile_expressions = 0, max_threads = 2`
}

/** SQL: whether a row is in a period that is closed. */
function isClosed(table: LedgerTable, closedBefore: string): string {
  const { id, version = 'toInt64(0)', time } = rulesOf(table)
  if (time === undefined) return '0'
  const day = `toDate32(${literal(closedBefore)})`
  return `(id, version) IN (SELECT ${id}, ${version} FROM import_valid WHERE ${time} < ${day})`
}

/** SQL for a new row: whether another id, in the files or in the ledger, has the same unique columns. */
function hasTwin(table: LedgerTable): string {
  const { id, unique } = rulesOf(table)
  if (!unique) return '0'
  const columns = unique.join(', ')
  const staged = `SELECT ${columns} FROM import_valid`
  return `is_held = 0 AND id IN (
    SELECT ${id} FROM import_valid WHERE (${columns}) IN (
      SELECT ${columns} FROM (
        SELECT ${id}, ${columns} FROM import_valid
        UNION ALL
        SELECT ${id}, ${columns} FROM ${table} FINAL WHERE (${columns}) IN (${staged}))
      GROUP BY ${columns} HAVING uniqExact(${id}) > 1))`
}

/** The errors of refused rows, with the table's names of id, key and version. */
function reasonsOf(table: LedgerTable) {
  const { id, key, version, unique = [], time = '' } = rulesOf(table)
  const keys = key.join(', ')
  return {
    otherKey: `${keys}: expected the values that the ledger has for this ${id}, which never change`,
    keysDiffer: `${keys}: expected the same in every row of this ${id}`,
    otherContent:
      version === undefined
        ? `${id}: expected the content that the ledger has for it, which never changes`
        : `${version}: expected a higher value than in the ledger, because the content of this ${id} differs`,
    otherVersion: `${version ?? id}: expected no later version in the ledger than the time of the sync`,
    otherRow: `${id}: expected an id that no other row of a database has`,
    closed: `${time}: expected a day that is not closed (ledgerClosedBefore)`,
    notUnique: `${unique.join(', ')}: expected no other ${id} with the same values`,
    contentsDiffer: `${version ?? id}: expected one row, or the same content in every row`,
  }
}

async function countVerdicts(engine: Queries): Promise<Omit<Comparison, 'replaced'>> {
  await engine.execute(`INSERT INTO import_refused (line, reasons, id)
  SELECT line, splitByString('; ', reason), id FROM import_verdicts WHERE verdict = 'refused'`)
  const rows = await readRows(engine, verdictRow, {
    sql: 'SELECT verdict, count() AS rows FROM import_verdicts GROUP BY verdict',
    parameters: {},
  })
  const count = (verdict: string) => rows.find((row) => row.verdict === verdict)?.rows ?? 0
  return {
    taken: count('taken'),
    unchanged: count('unchanged'),
    older: count('older') + count('skipped'),
  }
}

/** Puts the rows to write into `import_staging`. */
export async function stageTaken(
  engine: Queries,
  table: LedgerTable,
  importId: number,
  {
    unchanged,
    older,
    refused,
  }: Pick<Comparison, 'unchanged' | 'older'> & { readonly refused: number },
): Promise<void> {
  if (unchanged + older + refused === 0) {
    await dropImportTables(engine, 'MaterializedView')
    await engine.execute('RENAME TABLE import_valid TO import_staging')
    return
  }
  const { id, key, version } = identityOf(table, false)
  for (const statement of stagingTable('import_staging', table, importId)) {
    await engine.execute(statement)
  }
  // If a row of an id is written, the merge removes the older versions and repetitions of that id.
  await engine.execute(`INSERT INTO import_staging SELECT * FROM import_valid
    WHERE ${id} IN (SELECT id FROM import_verdicts WHERE is_id_taken)
    AND (${id}, ${key}, ${version}) NOT IN
      (SELECT id, key, version FROM import_verdicts WHERE is_id_taken AND verdict = 'refused')
    ${settingsClause(COPY_SETTINGS)}`)
}
