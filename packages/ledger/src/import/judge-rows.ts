import * as z from 'zod'
import { type Queries, readNumber, readRows, settingsClause } from '@counterfoil/engine'
import { GatewayError, isKnownZone } from '@counterfoil/common'
import { checkColumns, rawColumn } from './check/check-columns.ts'
import {
  compareWithLedger,
  findBroken,
  type JudgeOptions,
  stageTaken,
} from './compare-with-ledger.ts'
import { mergeStaging } from './imports.ts'
import { nextImportId } from './import-records.ts'
import { BULK_SETTINGS, checkedRows, countRows, createImportTables } from './import-tables.ts'
import { countReasons, readBrokenRules, readSample, readSome, readSums } from './read-result.ts'
import type { Source } from './source/source.ts'
import {
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

const INSERT_SETTINGS = {
  ...BULK_SETTINGS,
  min_insert_block_size_bytes: 64 * 1024 * 1024,
  max_block_size: 65_536,
  // Otherwise the engine computes a common subexpression once for each check that uses it.
  short_circuit_function_evaluation: 'disable',
  // These optimisations cost more here than they save.
  query_plan_enable_optimizations: 0,
  compile_expressions: 0,
  allow_nonconst_timezone_arguments: 1,
} as const

const stagedRow = z.object({ rows: z.coerce.number(), ends: z.coerce.number() })

/** What became of the rows. */
export type JudgedRows = Awaited<ReturnType<typeof judgeRows>>

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
) {
  const { source, severities = {}, onProgress = () => {} } = options
  const { table } = source
  const sql = `SELECT count() AS rows, sum(_ends) AS ends FROM ${STAGED}`
  const [staged] = await readRows(engine, stagedRow, sql)
  const { rows: fileRows, ends } = staged ?? { rows: 0, ends: 0 }
  onProgress('checking', 0, fileRows)
  // The number of a row of a database is no line.
  const lines = stagedRows(source.database === undefined && ends > 0)
  const { id, hasLines } = await checkRows(engine, options, columns, lines)
  const rows = await countRows(engine, 'import_rows')
  onProgress('checking', rows, rows)
  onProgress('comparing', 0, rows)
  await findBroken(engine, options)
  const compared = await compareWithLedger(engine, options, (done) => {
    onProgress('comparing', done, rows)
  })
  const refused = await countRows(engine, 'import_refused')
  const skipped = await countRows(engine, "import_rows WHERE skip != ''")
  const known = compared.taken + compared.unchanged + compared.older + refused + skipped
  if (known !== rows) {
    const message = `expected every one of ${rows} rows to be accounted for, got ${known}`
    throw new GatewayError('ledger', message)
  }
  const isSelected =
    'bitmapContains((SELECT groupBitmapState(arrayJoin(lines)) FROM import_rows), _line)'
  const leftOut = `(SELECT _line AS line FROM ${lines} WHERE _fault = '' AND NOT ${isSelected})`
  return {
    id,
    /** All rows that the SELECT returned: taken, unchanged, older, skipped and refused; and lines that no SELECT can read. */
    rows,
    /** The rows of the files or the database. */
    fileRows,
    ...compared,
    refused,
    /** The most frequent reasons of refused rows, in descending order. */
    reasons: await countReasons(engine, 'arrayJoin(reasons)', 'import_refused'),
    /** How many rows the source skips. */
    skipped,
    /** The most frequent reasons of skipped rows, in descending order. */
    skips: await countReasons(engine, 'toString(skip)', "import_rows WHERE skip != ''"),
    /** The rows of the files that the SELECT left out. Undefined if it does not return `_line`. */
    leftOut: hasLines ? await readSome(engine, leftOut) : undefined,
    /** How many rows had times with digits after their milliseconds. The import cut these digits. */
    cut: await countRows(engine, 'import_rows WHERE is_good AND is_cut'),
    /** The rows of which the ledger has a newer version. */
    outdated: await readSome(engine, "import_verdicts WHERE verdict = 'outdated'"),
    rules: await readBrokenRules(engine, severities),
    /** Sums of the accepted rows, and of those that the source skips. */
    sums: await readSums(engine, table),
    sample: await readSample(engine, table, lines, options.sampleRows ?? 0),
  }
}

export async function prepareTaken(
  engine: Queries,
  { source, onProgress = () => {} }: JudgeOptions,
  { taken, unchanged, older, refused, id }: JudgedRows,
): Promise<void> {
  if (taken === 0) return
  await stageTaken(engine, source.table, id, unchanged + older + refused === 0)
  await mergeStaging(engine, taken, (done) => onProgress('writing', done, taken))
}

/**
 * Runs the SELECT and checks its rows, and notes the lines that no SELECT can read. Returns the id of the import, and
 * whether the SELECT returns lines.
 */
async function checkRows(
  engine: Queries,
  { source, reservedIds, version }: JudgeOptions,
  fileColumns: readonly string[],
  lines: string,
) {
  const { table } = source
  const currencies = await readCurrencies(engine)
  const query = sourceQuery(source, currencies, lines)
  const columns = await describeSelect(engine, source, query, fileColumns)
  const importId = await nextImportId(engine)
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
  await createImportTables(engine, table, check, { importId, isSync: version !== undefined })
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
  await engine.execute(
    `INSERT INTO import_rows (line, refuse)
    SELECT _line, transform(toString(_fault), {names:Array(String)}, {texts:Array(String)}, '')
    FROM ${lines} WHERE _fault != ''`,
    { names: Object.keys(ROW_FAULTS), texts: Object.values(ROW_FAULTS) },
  )
  return { id: importId, hasLines: columns.some(({ name }) => name === LINE) }
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
  const known = 'SELECT count() AS value FROM system.time_zones WHERE time_zone = {timezone:String}'
  const isKnown = (await readNumber(engine, { sql: known, parameters: { timezone } })) > 0
  if (isKnown && isKnownZone(timezone)) return await engine.loadTimeZone(timezone)
  const message = 'timezone: expected an IANA time zone such as Europe/Berlin'
  throw new GatewayError('config', `${source.path}: ${message}`)
}
