import * as z from 'zod'
import { type Queries, readNumber, readRows, settingsClause } from '@counterfoil/engine'
import { GatewayError, isKnownZone } from '@counterfoil/common'
import { type CheckedRows, endOfTomorrow } from '../rules/broken-rows.ts'
import { checkColumns, rawColumn } from './check/check-columns.ts'
import type { IdRange } from './check/column-kinds.ts'
import { type Compared, compareWithLedger, findBroken, stageTaken } from './compare-with-ledger.ts'
import { mergeStaging } from './imports.ts'
import { nextImportId } from './import-records.ts'
import { checkedRows, countRows, createImportTables } from './import-tables.ts'
import {
  countReasons,
  type JudgedRows,
  readBrokenRules,
  readSample,
  readSome,
  readSums,
} from './read-result.ts'
import type { Source } from './source/source.ts'
import {
  type Currency,
  describeSelect,
  LINE,
  OWN_COLUMNS,
  readCurrencies,
  REFUSE,
  type SelectedColumn,
  selectFailure,
  SKIP,
  sourceQuery,
  STAGED,
  stagedRows,
} from './source/source-query.ts'
import { ROW_FAULTS } from './source/stage-file.ts'

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
  /** The version of every row, if a sync numbers them. Rows of equal content keep the version of the ledger. */
  readonly version?: number | undefined
  /** See {@link Compared}. */
  readonly judgeAgain?: Compared['judgeAgain']
  /** The ledger takes no new and no changed row before this day (UTC): `2026-10-01`. */
  readonly closedBefore?: string | undefined
  /** Whether the rows may change closed days, for the record. */
  readonly isForced?: boolean
}

const INSERT_SETTINGS = {
  // With its defaults, the engine would hold a million rows in memory before it writes them.
  min_insert_block_size_rows: 131_072,
  min_insert_block_size_bytes: 64 * 1024 * 1024,
  max_partitions_per_insert_block: 0,
  max_insert_threads: 1,
  max_threads: 2,
  max_block_size: 65_536,
  // A refused version must not replace another version.
  optimize_on_insert: 0,
  // Otherwise the engine computes a common subexpression once for each check that uses it.
  short_circuit_function_evaluation: 'disable',
  // These optimisations cost more here than they save.
  query_plan_enable_optimizations: 0,
  compile_expressions: 0,
  allow_nonconst_timezone_arguments: 1,
} as const

const stagedRow = z.object({ rows: z.coerce.number(), ends: z.coerce.number() })

/**
 * Runs the SELECT of a source on the staged rows, checks every row, and compares it with the ledger. Changes nothing
 * that reports read.
 *
 * @param columns the columns of the staged rows
 * @throws {GatewayError} `config` for a SELECT that the engine refuses
 */
export async function judgeRows(
  engine: Queries,
  options: JudgeOptions,
  columns: readonly string[],
): Promise<JudgedRows> {
  const { source, severities = {}, onProgress = () => {}, version } = options
  const { table } = source
  const currencies = await readCurrencies(engine)
  const [staged] = await readRows(engine, stagedRow, {
    sql: `SELECT count() AS rows, sum(_ends) AS ends FROM ${STAGED}`,
    parameters: {},
  })
  onProgress('checking', 0, staged?.rows ?? 0)
  // The number of a row of a database is no line.
  const hasEnds = source.database === undefined && (staged?.ends ?? 0) > 0
  const query = sourceQuery(source, currencies, hasEnds)
  const selected = await describeSelect(engine, source, query, columns)
  const id = await nextImportId(engine)
  const rows = await checkRows(engine, options, { selected, query, currencies, hasEnds, id })
  onProgress('checking', rows, rows)
  onProgress('comparing', 0, rows)
  await findBroken(engine, table, { severities, tomorrowMs: endOfTomorrow(options.now) })
  const isSync = version !== undefined
  const { closedBefore, judgeAgain } = options
  const how = { table, severities, isSync, judgeAgain, closedBefore }
  const compared = await compareWithLedger(engine, how, (done) => {
    onProgress('comparing', done, rows)
  })
  const refused = await countRows(engine, 'import_refused')
  const skipped = await countRows(engine, "import_rows WHERE skip != ''")
  const known = compared.taken + compared.unchanged + compared.older + refused + skipped
  if (known !== rows) {
    const message = `expected every one of ${rows} rows to be accounted for, got ${known}`
    throw new GatewayError('ledger', message)
  }
  const lines = stagedRows(hasEnds)
  const isSelected =
    'bitmapContains((SELECT groupBitmapState(arrayJoin(lines)) FROM import_rows), _line)'
  return {
    id,
    rows,
    fileRows: staged?.rows ?? 0,
    refused,
    skipped,
    ...compared,
    reasons: await countReasons(engine),
    skips: await countReasons(engine, 'toString(skip)', "import_rows WHERE skip != ''"),
    leftOut: selected.some(({ name }) => name === LINE)
      ? await readSome(
          engine,
          `(SELECT _line AS line FROM ${lines} WHERE _fault = '' AND NOT ${isSelected})`,
        )
      : undefined,
    cut: await countRows(engine, 'import_rows WHERE is_good AND is_cut'),
    outdated: await readSome(engine, "import_verdicts WHERE verdict = 'outdated'"),
    rules: await readBrokenRules(engine, severities),
    sums: await readSums(engine, table),
    sample: await readSample(engine, table, lines, options.sampleRows ?? 0),
  }
}

/** Prepares the accepted rows, so that `commit` can write them. */
export async function prepareTaken(
  engine: Queries,
  { source, onProgress = () => {} }: JudgeOptions,
  judged: JudgedRows,
): Promise<void> {
  const { taken, id } = judged
  if (taken === 0) return
  await stageTaken(engine, source.table, id, judged)
  await mergeStaging(engine, taken, (done) => onProgress('writing', done, taken))
}

interface Selected {
  readonly selected: readonly SelectedColumn[]
  readonly query: string
  readonly currencies: readonly Currency[]
  readonly hasEnds: boolean
  /** The id of the import. */
  readonly id: number
}

/** Runs the SELECT and checks its rows. Returns their number, with the lines that no SELECT can read. */
async function checkRows(
  engine: Queries,
  { source, reservedIds, version }: JudgeOptions,
  { selected: columns, query, currencies, hasEnds, id }: Selected,
): Promise<number> {
  const { table } = source
  const names = columns.map(({ name }) => name).filter((name) => !OWN_COLUMNS.has(name))
  const present = new Set(names)
  const check = checkColumns(table, present, {
    source: {
      ...source,
      timezone: source.timezone && (await loadTimezone(engine, source, source.timezone)),
      hasZones: /\binstant\s*\(/.test(source.select),
    },
    currencies,
    reservedIds,
    version,
  })
  const isSync = version !== undefined
  await createImportTables(engine, table, check, { importId: id, isSync })
  const texts = columns.flatMap((column) => {
    return present.has(column.name) ? [`${textOf(column)} AS ${rawColumn(column.name)}`] : []
  })
  const rows = `SELECT ${[...originOf(columns), ...texts].join(', ')} FROM (${query})`
  try {
    await engine.execute(`INSERT INTO import_checked ${checkedRows(table, present, check, rows)}
    ${settingsClause(INSERT_SETTINGS)}`)
  } catch (error) {
    throw selectFailure(source, error, undefined)
  }
  const faults = Object.entries(ROW_FAULTS)
  await engine.execute(
    `INSERT INTO import_rows (line, refuse)
    SELECT _line, transform(toString(_fault), {names:Array(String)}, {texts:Array(String)}, '')
    FROM ${stagedRows(hasEnds)} WHERE _fault != ''`,
    { names: faults.map(([name]) => name), texts: faults.map(([, text]) => text) },
  )
  return await countRows(engine, 'import_rows')
}

/** SQL: the line of a row, all its lines, and why the source skips or refuses it. */
function originOf(columns: readonly SelectedColumn[]): readonly string[] {
  const line = columns.find(({ name }) => name === LINE)
  const why = [SKIP, REFUSE].map((name) => {
    const text = columns.some((column) => column.name === name)
      ? `ifNull(toString(${name}), '')`
      : "''"
    return `${text} AS ${name.slice(1)}`
  })
  if (line === undefined) return ['0 AS line', 'CAST([] AS Array(UInt64)) AS lines', ...why]
  if (line.type.startsWith('Array'))
    return [`arrayMin(${LINE}) AS line`, `${LINE} AS lines`, ...why]
  return [`ifNull(${LINE}, 0) AS line`, '[line] AS lines', ...why]
}

/** SQL: the text of a column. Instants are in UTC, whatever their zone. */
function textOf({ name, type }: SelectedColumn): string {
  if (type.includes('DateTime')) return `concat(toString(${name}, 'UTC'), 'Z')`
  return `toNullable(toString(${name}))`
}

async function loadTimezone(engine: Queries, source: Source, timezone: string): Promise<string> {
  const known = `SELECT count() AS value FROM system.time_zones WHERE time_zone = '${timezone.replaceAll("'", '')}'`
  const isKnown = (await readNumber(engine, known, new AbortController().signal)) > 0
  if (isKnown && isKnownZone(timezone)) return await engine.loadTimeZone(timezone)
  const message = 'timezone: expected an IANA time zone such as Europe/Berlin'
  throw new GatewayError('config', `${source.path}: ${message}`)
}
