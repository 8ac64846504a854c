import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as z from 'zod'
import { type EngineQuery, type Queries, readRows, settingsClause } from '@counterfoil/engine'
import { LIMITS } from '@counterfoil/common'
import { csvRows } from './csv-rows.ts'
import { cutRows } from './cut-rows.ts'
import { JSON_DELIMITER, jsonRows } from './json-rows.ts'
import { type ParquetFile, parquetText } from './parquet-columns.ts'
import { createPieceWriter, ORIGIN_COLUMNS } from './piece-writer.ts'
import type { FileColumns } from './plan-columns.ts'
import { readSource, type SourceFile } from './source-file.ts'

/** A file that is open for reading, with known columns. */
export interface OpenedFile extends SourceFile, FileColumns {
  /** The file for the engine, if the engine reads it itself. */
  readonly parquet?: ParquetFile & { readonly path: string }
}

/** The destination of rows. */
export interface Sink {
  readonly engine: Queries
  /** The engine that reads Parquet files: `engine` itself, or one in this process. */
  readonly reader: Queries
  /** The folder of temporary files, from which the engine reads. */
  readonly folder: string
  /** The number of the file. */
  readonly file: number
  /** The columns of `import_raw`, in their order. */
  readonly columns: readonly string[]
  readonly delimiter: string
  /** Called with the rows done so far and an estimate of all rows. */
  readonly onProgress: (rows: number, total: number) => void
}

// With its defaults, the engine would hold a million rows of text in memory before it checks them.
const SETTINGS = {
  min_insert_block_size_rows: 131_072,
  min_insert_block_size_bytes: 64 * 1024 * 1024,
  max_partitions_per_insert_block: 0,
  max_insert_threads: 1,
  // A refused version must not replace another version.
  optimize_on_insert: 0,
  // Otherwise the engine computes a common subexpression once for each check that uses it.
  short_circuit_function_evaluation: 'disable',
  // These optimisations cost more here than they save.
  query_plan_enable_optimizations: 0,
  compile_expressions: 0,
} as const
const CSV_SETTINGS = {
  ...SETTINGS,
  max_threads: 1,
  input_format_csv_trim_whitespaces: 0,
  input_format_csv_empty_as_default: 1,
  input_format_allow_errors_num: 0,
  input_format_parallel_parsing: 0,
  max_insert_block_size: 131_072,
} as const
const POLL_MS = 500
// Each piece keeps one core busy for most of its time.
const PIECES_AT_ONCE = 2

const countRow = z.object({ total: z.coerce.number() })

/** Inserts every row of a file into `import_raw`, and returns their number. */
export async function pourFile(source: OpenedFile, sink: Sink): Promise<number> {
  if (source.parquet !== undefined) return await pourParquet(source.parquet, sink)
  const names = source.isLoose ? sink.columns : source.columns
  const delimiter = source.format === 'csv' ? sink.delimiter : JSON_DELIMITER
  const writer = createPieceWriter(sink.file, delimiter, names.length)
  const format =
    source.format === 'csv' ? csvRows(names.length, delimiter, writer) : jsonRows(names, writer)
  let bytesRead = 0
  const chunks = readSource(source, (bytes) => {
    bytesRead = bytes
  })
  const taking = new Set<Promise<void>>()
  try {
    let piece = 0
    for await (const bytes of cutRows(source.path, chunks, format, writer)) {
      if (taking.size === PIECES_AT_ONCE) await Promise.race(taking)
      sink.onProgress(writer.rows(), Math.ceil((writer.rows() * source.bytes) / bytesRead))
      const taken = takePiece(bytes, piece, names, delimiter, sink).finally(() => {
        taking.delete(taken)
      })
      piece += 1
      taken.catch(() => {})
      taking.add(taken)
    }
    await Promise.all(taking)
  } finally {
    await Promise.allSettled(taking)
  }
  return writer.rows()
}

/** Inserts rows into `import_raw` by way of a file: a running gateway gets only the file's path. */
async function takePiece(
  bytes: Uint8Array,
  piece: number,
  names: readonly string[],
  delimiter: string,
  sink: Sink,
): Promise<void> {
  if (bytes.length === 0) return
  const path = join(sink.folder, `${sink.file}-${piece}.csv`)
  await writeFile(path, bytes, { mode: 0o600 })
  const texts = placesOf(names, sink).map((place) => [place, 'Nullable(String)'])
  await sink.engine.insertCsv({
    path,
    table: 'import_raw',
    columns: { ...ORIGIN_COLUMNS, ...Object.fromEntries(texts) },
    settings: { ...CSV_SETTINGS, ...settingsOf(delimiter) },
  })
  await rm(path)
}

function settingsOf(delimiter: string): Readonly<Record<string, number | string>> {
  // The engine accepts a tab as the delimiter only with this setting.
  const isTab = delimiter === '\t' ? 1 : 0
  return {
    format_csv_delimiter: delimiter,
    input_format_csv_allow_whitespace_or_tab_as_delimiter: isTab,
  }
}

function placesOf(names: readonly string[], { columns }: Sink): readonly string[] {
  return names.map((name) => `c${columns.indexOf(name)}`)
}

async function pourParquet(
  { path, columns, rows }: NonNullable<OpenedFile['parquet']>,
  sink: Sink,
): Promise<number> {
  const { engine, reader, file, onProgress } = sink
  const texts = columns.map((column, at) => parquetText(column, `{name${at}:Identifier}`))
  const names = columns.map(({ name }) => name)
  const parameters = {
    path,
    file,
    ...Object.fromEntries(names.map((name, at) => [`name${at}`, name])),
  }
  const origin = '{file:UInt16}, _row_number + 1, _row_number + 1'
  const source = `${texts.join(', ')} FROM file({path:String}, 'Parquet')`
  if (reader !== engine) {
    const query = { sql: `SELECT ${origin}, NULL, ${source}`, parameters }
    await pourPieces(query, names, rows, sink)
    return rows
  }
  const before = await countRows(engine)
  const poured = engine.execute(
    `INSERT INTO import_raw (file, line, last_line, ${placesOf(names, sink).join(', ')})
    SELECT ${origin}, ${source}
    ${settingsClause({ ...SETTINGS, max_threads: 2, max_block_size: 65_536 })}`,
    parameters,
  )
  await untilDone(poured, async () => onProgress((await countRows(engine)) - before, rows))
  return rows
}

/** Reads rows as CSV, and inserts them into `import_raw` piece by piece. */
async function pourPieces(
  query: Pick<EngineQuery, 'sql' | 'parameters'>,
  names: readonly string[],
  total: number,
  sink: Sink,
): Promise<void> {
  // With `readonly`, the engine does not read files.
  const settings = { readonly: 0, max_execution_time: 0, max_block_size: 65_536 }
  const asked = { ...query, settings, role: 'owner', format: 'CSV' } as const
  let waiting: Uint8Array[] = []
  let bytes = 0
  let piece = 0
  let rows = 0
  const insert = async (): Promise<void> => {
    await takePiece(Buffer.concat(waiting), piece, names, JSON_DELIMITER, sink)
    piece += 1
    waiting = []
    bytes = 0
    sink.onProgress(rows, total)
  }
  for await (const chunk of await sink.reader.stream(asked, new AbortController().signal)) {
    waiting.push(chunk.bytes)
    bytes += chunk.bytes.length
    rows += chunk.rows
    if (bytes >= LIMITS.importedPieceBytes) await insert()
  }
  await insert()
}

/** Counts the rows that were inserted into `import_raw`. */
async function countRows(engine: Queries): Promise<number> {
  const sql = `SELECT sum(rows) AS total FROM system.parts
  WHERE active AND database = currentDatabase() AND table IN ('import_lines', 'import_refused')`
  const [row] = await readRows(engine, countRow, { sql, parameters: {} })
  return row?.total ?? 0
}

async function untilDone(work: Promise<void>, meanwhile: () => Promise<void>): Promise<void> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  for (;;) {
    await Promise.race([over, setTimeout(POLL_MS, undefined, { ref: false })])
    if (isOver) return await over
    // An error of the progress display does not fail the import.
    await meanwhile().catch(() => {})
  }
}
