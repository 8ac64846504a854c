import * as z from 'zod'
import {
  literal,
  literals,
  type Queries,
  readNumber,
  readRows,
  settingsClause,
} from '@counterfoil/engine'
import { LIMITS } from '@counterfoil/common'
import type { LedgerTable } from '../model/model.ts'
import { activeRules, brokenRows, type CheckedRows, endOfTomorrow } from '../rules/broken-rows.ts'
import type { LedgerRule } from '../rules/rules.ts'
import {
  BULK_SETTINGS,
  countRows,
  dropImportTables,
  identityOf,
  stagingTable,
} from './import-tables.ts'
import type { IdRange } from './check/column-kinds.ts'
import type { Source } from './source/source.ts'
import { copyRows, REPLACED, WITH_IMPORT_ID } from './import-records.ts'
import { rulesOf } from './table-rules.ts'

/** The steps of an import, in order. */
export type ImportStep = 'reading' | 'checking' | 'comparing' | 'writing'

/** How rows are judged, whether they come from files or from a database. */
export interface JudgeOptions {
  readonly source: Source
  /** Only try the source: change nothing, and return so many rows as a sample. */
  readonly sampleRows?: number | undefined
  /** Ids of transactions and orders that the gateway assigns. No row may use them. */
  readonly reservedIds?: IdRange | undefined
  /** The severities of rules that differ from their defaults. */
  readonly severities?: CheckedRows['severities']
  /** The clock. No date of a row may be after tomorrow. */
  readonly now?: () => number
  /** Called with what is done of a step. `reading` counts bytes, and the other steps count rows. */
  readonly onProgress?: (step: ImportStep, done: number, total: number) => void
  /**
   * The version of every row, if a sync numbers them. Rows of equal content keep the version of the ledger. A sync may
   * change all columns of a row, and its rows are not kept for an undo.
   */
  readonly version?: number | undefined
  /** Judges the verdicts of a range of ids again. */
  readonly judgeAgain?: (bounds: Bounds) => Promise<void>
  /** The ledger takes no new and no changed row before this day (UTC): `2026-10-01`. */
  readonly closedBefore?: string | undefined
  /** Whether the rows may change closed days, for the record. */
  readonly isForced?: boolean
}

const rangeRow = z.object({ last: z.string(), rows: z.coerce.number() })
const verdictRow = z.object({ verdict: z.string(), rows: z.coerce.number() })

/** Compares the rows of an import with each other and with the ledger. Ranges of ids limit the memory. */
export async function compareWithLedger(
  engine: Queries,
  options: JudgeOptions,
  onProgress: (rows: number) => void,
) {
  const { source, version, judgeAgain } = options
  let replaced = 0
  const sql = `SELECT max(id) AS last, count() AS rows FROM
  (SELECT id FROM import_rows WHERE is_good AND id > {after:String} ORDER BY id LIMIT ${LIMITS.comparedRowsMax})`
  let after = ''
  let done = 0
  for (;;) {
    const [range] = await readRows(engine, rangeRow, { sql, parameters: { after } })
    if (!range?.rows) break
    const bounds = { after, last: range.last }
    await engine.execute(insertVerdicts(options), bounds)
    await judgeAgain?.(bounds)
    const count = `SELECT uniqExact(id) AS value ${REPLACED_IDS}`
    const taken = await readNumber(engine, { sql: count, parameters: bounds })
    if (taken > 0 && version === undefined) {
      await keepReplaced(engine, source.table, bounds, replaced === 0)
    }
    replaced += taken
    after = range.last
    done += range.rows
    onProgress(done)
  }
  return {
    ...(await countVerdicts(engine)),
    /** How many rows of the ledger get a newer version or other content. */
    replaced,
  }
}

/** SQL: whether a column is in the range of ids that is compared. */
export function isInRange(column: string): string {
  return `${column} > {after:String} AND ${column} <= {last:String}`
}

export type Bounds = { readonly after: string; readonly last: string }

const REPLACED_IDS = `FROM import_verdicts WHERE is_held AND is_id_taken AND ${isInRange('id')}`

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
    ${settingsClause({ ...BULK_SETTINGS, ...WITH_IMPORT_ID })}`,
    bounds,
  )
}

function insertVerdicts({
  source: { table },
  severities = {},
  version: syncVersion,
  closedBefore,
}: JudgeOptions): string {
  const isSync = syncVersion !== undefined
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
      SELECT line, id, key, version, content, broken.rule_reasons AS rule_reasons
      FROM import_rows LEFT ANY JOIN broken USING (id, version) WHERE is_good AND ${isInRange('id')}
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
      is_held AND version < held_version, 'outdated',
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

function isClosed(table: LedgerTable, closedBefore: string): string {
  const { id, version = 'toInt64(0)', time } = rulesOf(table)
  if (time === undefined) return '0'
  const day = `toDate32(${literal(closedBefore)})`
  return `(id, version) IN (SELECT ${id}, ${version} FROM import_valid WHERE ${time} < ${day})`
}

/** The errors of refused rows, with the table's names of id, key and version. */
export function reasonsOf(table: LedgerTable) {
  const { id, key, version, time = '' } = rulesOf(table)
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
    contentsDiffer: `${version ?? id}: expected one row, or the same content in every row`,
  }
}

async function countVerdicts(engine: Queries) {
  const sql = 'SELECT verdict, count() AS rows FROM import_verdicts GROUP BY verdict'
  const rows = await readRows(engine, verdictRow, sql)
  const count = (verdict: string) => rows.find((row) => row.verdict === verdict)?.rows ?? 0
  return {
    /** New rows, and newer versions. */
    taken: count('taken'),
    /** Rows that the ledger has already, and rows that repeat another row of the files. */
    unchanged: count('unchanged'),
    /** Rows of which the ledger or the files have a newer version. */
    older: count('older') + count('outdated'),
  }
}

export async function stageTaken(
  engine: Queries,
  table: LedgerTable,
  importId: number,
  areAllTaken: boolean,
): Promise<void> {
  if (areAllTaken) {
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
    ${settingsClause(BULK_SETTINGS)}`)
}

/** Writes the rows of `import_valid` that break a rule to `import_broken`. */
export async function findBroken(
  engine: Queries,
  { source: { table }, severities = {}, now }: JudgeOptions,
): Promise<void> {
  if (table !== 'transactions' && table !== 'statements') return
  const checked = { rows: 'import', table, severities, tomorrowMs: endOfTomorrow(now) } as const
  for (const { column, sql } of brokenRows(checked)) {
    // The engine takes much longer to prepare the query.
    if ((await countRows(engine, `import_valid WHERE isNotNull(${column})`)) === 0) continue
    await engine.execute(`INSERT INTO import_broken
    SELECT rule, id, version FROM (${sql}) ARRAY JOIN broken AS rule
    SETTINGS max_threads = 2`)
  }
}

/** SQL: the reasons of rows that rules refuse, by `id` and `version`. */
function refusedByRules(severities: CheckedRows['severities'], where: string): string {
  const rules = activeRules(severities).filter(({ severity }) => severity === 'refuse')
  const names = `CAST(${literals(rules.map(({ name }) => name))} AS Array(String))`
  const reasons = `CAST(${literals(rules.map(reasonOf))} AS Array(String))`
  const reason = `transform(toString(rule), ${names}, ${reasons}, '')`
  return `SELECT id, version, arrayStringConcat(arraySort(groupUniqArray(${reason})), '; ') AS rule_reasons
    FROM import_broken WHERE has(${names}, toString(rule)) AND ${where}
    GROUP BY id, version`
}

export function reasonOf({ name, sentence }: Pick<LedgerRule, 'name' | 'sentence'>): string {
  return `${sentence} (rule ${name})`
}
