import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod'
import { clickHouseCode, diskFault, type Engine, type Queries, readRows } from '@counterfoil/engine'
import { GatewayError, isKnownZone, isProblemCode } from '@counterfoil/common'
import type { CheckedRows } from '../rules/broken-rows.ts'
import { endOfTomorrow } from '../rules/end-of-tomorrow.ts'
import type { LedgerTable } from '../model/model.ts'
import { checkColumns } from './check-columns.ts'
import type { Currency, IdRange } from './column-kinds.ts'
import { type Imports, mergeStaging } from './imports.ts'
import { type Comparison, compareWithLedger } from './compare-with-ledger.ts'
import { readCsvHeader } from './csv-rows.ts'
import { findBroken, type ImportNotes, readNotes } from './import-rules.ts'
import { createImportTables } from './import-tables.ts'
import { readFirstMembers } from './json-rows.ts'
import { clearRefused, countReasons, listRefused, type RefusalReason } from './list-refused.ts'
import type { Mapping } from './mapping.ts'
import { describeParquet } from './parquet-columns.ts'
import { nextImportId } from './import-records.ts'
import { type ColumnPlan, planColumns } from './plan-columns.ts'
import { openFileReader } from './open-file-reader.ts'
import { type OpenedFile, pourFile, type Sink } from './pour-file.ts'
import { findSourceFile, placeSource, readSource } from './source-file.ts'

/** The steps of an import, in order. */
export type ImportStep = 'reading' | 'comparing' | 'writing'

/** The input of an import. */
export interface ImportOptions {
  /** All files form one import of one table: it takes all of them or none. */
  readonly files: readonly string[]
  readonly table: LedgerTable
  readonly mapping: Mapping
  /** A folder for temporary files. The import removes it at the end. */
  readonly folder: string
  /** Where the refused rows are listed. The file exists only if rows are refused. */
  readonly refusedFile: string
  /** Ids of transactions and orders that the gateway assigns. No file may use them. */
  readonly reservedIds?: IdRange | undefined
  /** Whether the ledger is on a server, which cannot read the files of this machine. */
  readonly isOnServer?: boolean
  /** The severities of rules that differ from their defaults. */
  readonly severities?: CheckedRows['severities']
  /** The clock. No date of a row may be after tomorrow. */
  readonly now?: () => number
  /** Called with the rows done so far and an estimate of all rows. */
  readonly onProgress?: (step: ImportStep, rows: number, total: number) => void
}

/** A ledger that takes imports: in this process, or in a running gateway. */
export interface LedgerAccess {
  readonly engine: Queries
  readonly imports: Imports
}

/** The counts of an import. */
export interface ImportResult extends Comparison {
  /** All rows: taken, unchanged, older and refused. */
  readonly rows: number
  readonly refused: number
  /** The most frequent reasons of refused rows, in descending order. */
  readonly reasons: readonly RefusalReason[]
  readonly notes: ImportNotes
}

// The engine would read such a name as a pattern, or as a file in an archive.
const PATTERN = /[*?{}]| :: /

const DISK_WORK = { work: 'this import', retry: 'import the same files again' }

const countRow = z.object({ rows: z.coerce.number() })
const currencyRow = z.object({ currency: z.string(), exponent: z.number() })

/**
 * Imports files into a table of the ledger. It takes good rows, and lists refused rows with their lines. If the process
 * dies, the ledger has all taken rows or none.
 *
 * @throws {GatewayError} `ledger` before it takes any row: for a file that cannot be read, and for a missing or unknown
 *   column
 */
export async function importFiles(
  ledger: LedgerAccess,
  options: ImportOptions,
): Promise<ImportResult> {
  const { folder } = options
  if (PATTERN.test(folder)) {
    throw new GatewayError(
      'ledger',
      `${folder}: expected a folder without *, ?, { and } in its name`,
    )
  }
  await ledger.imports.begin()
  let reader: Engine | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const hasParquet = options.files.some((path) => findSourceFile(path).format === 'parquet')
    if (options.isOnServer && hasParquet) reader = await openFileReader(folder)
    return await takeFiles(ledger, options, reader ?? ledger.engine)
  } catch (error) {
    throw diskFault(dirname(folder), error, DISK_WORK) ?? error
  } finally {
    await reader?.close()
    // If the import failed after it wrote the journal, this completes it. If that fails too, the next start completes
    // it.
    await ledger.imports.end()
  }
}

async function takeFiles(
  { engine, imports }: LedgerAccess,
  options: ImportOptions,
  reader: Queries,
): Promise<ImportResult> {
  const {
    table,
    mapping,
    refusedFile,
    reservedIds,
    severities = {},
    onProgress = () => {},
  } = options
  const timezone = await loadTimezone(engine, mapping.timezone)
  const files: OpenedFile[] = []
  for (const path of options.files) files.push(await openFile(reader, path, files.length, options))
  const plan = planColumns(table, mapping, files)
  const currencies = await readCurrencies(engine)
  const check = checkColumns(table, plan, {
    mapping: { ...mapping, timezone },
    currencies,
    reservedIds,
  })
  clearRefused(refusedFile)
  const id = await nextImportId(engine)
  await createImportTables(engine, table, plan.fileColumns.length, check, id)
  const rows = await pourFiles({ engine, reader }, files, plan, options)
  await findBroken(engine, table, { severities, tomorrowMs: endOfTomorrow(options.now) })
  const compared = await compareWithLedger(engine, table, id, severities, (done) => {
    onProgress('comparing', done, rows)
  })
  const refused = await countRefused(engine)
  const { taken, unchanged, older } = compared
  if (taken + unchanged + older + refused !== rows) {
    const sum = `${taken} + ${unchanged} + ${older} + ${refused}`
    throw new GatewayError(
      'ledger',
      `expected every one of ${rows} rows to be accounted for, got ${sum}`,
    )
  }
  const notes = await readNotes(engine, severities)
  const reasons = refused > 0 ? await countReasons(engine) : []
  if (refused > 0) await listRefused(engine, table, options.files, refusedFile)
  if (taken > 0) {
    await mergeStaging(engine, taken, (done) => onProgress('writing', done, taken))
  }
  if (taken + refused > 0) {
    const names = options.files.map((file) => basename(file))
    await imports.commit({ id, table, files: names, refused, ...compared })
  }
  return { rows, refused, reasons, notes, ...compared }
}

async function openFile(
  reader: Queries,
  path: string,
  index: number,
  { mapping, folder }: ImportOptions,
): Promise<OpenedFile> {
  const source = findSourceFile(path)
  if (source.format === 'json-lines') {
    return { ...source, columns: await readFirstMembers(readSource(source)), isLoose: true }
  }
  if (source.format === 'csv') {
    const columns = await readCsvHeader(path, readSource(source), mapping.delimiter)
    return { ...source, columns, isLoose: false }
  }
  // The engine reads names as patterns, so the gateway chooses the name.
  const placed = join(folder, `${index}.parquet`)
  await placeSource(source, placed)
  const parquet = { ...(await describeParquet(reader, path, placed)), path: placed }
  return { ...source, columns: parquet.columns.map(({ name }) => name), isLoose: false, parquet }
}

async function pourFiles(
  engines: Pick<Sink, 'engine' | 'reader'>,
  files: readonly OpenedFile[],
  { fileColumns }: ColumnPlan,
  options: ImportOptions,
): Promise<number> {
  const { mapping, folder, onProgress = () => {} } = options
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  let rows = 0
  let bytesDone = 0
  for (const [index, file] of files.entries()) {
    const before = { rows, bytes: bytesDone }
    rows += await pourFile(file, {
      ...engines,
      folder,
      file: index + 1,
      columns: fileColumns,
      delimiter: mapping.delimiter,
      onProgress: (done, ofFile) => {
        // The estimate assumes that the other files are like this one.
        const share = (before.bytes + (file.bytes * done) / ofFile) / bytes
        onProgress('reading', before.rows + done, Math.round((before.rows + done) / share))
      },
    }).catch((error: unknown) => {
      throw pourFailure(options.files[index] ?? file.path, error)
    })
    bytesDone += file.bytes
  }
  onProgress('reading', rows, rows)
  return rows
}

/**
 * Names the file at which the engine failed. The engine's text stays in the cause, because it may contain a value of
 * the file.
 */
function pourFailure(path: string, error: unknown): unknown {
  if (!(error instanceof GatewayError) || !isProblemCode(error.code)) return error
  const failed = `the engine failed while it read this file (ClickHouse error ${clickHouseCode(error.cause)})`
  return new GatewayError('ledger', `${path}: ${failed}; nothing was imported`, { cause: error })
}

async function readCurrencies(engine: Queries): Promise<readonly Currency[]> {
  const sql =
    'SELECT currency, exponent FROM currencies FINAL WHERE exponent <= 3 ORDER BY currency'
  return await readRows(engine, currencyRow, { sql, parameters: {} })
}

async function loadTimezone(engine: Queries, timezone: string): Promise<string> {
  const sql = 'SELECT count() AS rows FROM system.time_zones WHERE time_zone = {timezone:String}'
  const [row] = await readRows(engine, countRow, { sql, parameters: { timezone } })
  if (row?.rows && isKnownZone(timezone)) return await engine.loadTimeZone(timezone)
  throw new GatewayError('config', `timezone: expected an IANA time zone such as Europe/Berlin`)
}

async function countRefused(engine: Queries): Promise<number> {
  const sql = 'SELECT count() AS rows FROM import_refused'
  const [row] = await readRows(engine, countRow, { sql, parameters: {} })
  return row?.rows ?? 0
}
