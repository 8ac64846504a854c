import { clickHouseCode, literal, type Queries, settingsClause } from '@counterfoil/engine'
import { GatewayError, isProblemCode, LIMITS } from '@counterfoil/common'
import {
  compressionOf,
  HEAD_BYTES_MAX,
  type OnRead,
  readBytes,
  readStart,
  readText8,
  sizeOf,
} from './read-bytes.ts'
import {
  type FileColumn,
  readCsvHeader,
  readJsonMembers,
  readParquetColumns,
  requireColumns,
} from './read-columns.ts'
import type { FILE_FORMATS, Source } from './source.ts'

export interface OpenedFile {
  readonly path: string
  readonly format: FileFormat
  readonly columns: readonly FileColumn[]
  readonly bytes: number
  readonly firstLine: number
  readonly skippedBytes: number
}

type FileFormat = (typeof FILE_FORMATS)[number]

export type Reading = Pick<Source, 'delimiter' | 'encoding' | 'ragged' | 'quotes'> &
  Partial<Pick<Source, 'format' | 'columns' | 'skipLines'>>

const ENDINGS = ['csv', 'tsv', 'txt', 'json', 'jsonl', 'ndjson', 'parquet']

/** How a database writes its rows, and the author of a source its lookup files. */
export const PLAIN_CSV = { delimiter: ',', encoding: 'utf-8', quotes: true, ragged: false } as const

/** A line of the n-th file is the n-th multiple of this number, plus its number in the file. */
export const LINES_PER_FILE = 2 ** 40

/** Why a row of a file is refused before any SELECT reads it, by `_fault`. */
export const ROW_FAULTS = {
  short: 'expected as many fields as the header has, got fewer',
  long: 'expected as many fields as the header has, got more',
  large: `expected a row of at most ${LIMITS.importedRowBytesMax / 1024} KiB`,
} as const

const INSERT_SETTINGS = {
  async_insert: 0,
  max_threads: 1,
  max_insert_threads: 1,
  max_insert_block_size: 65_536,
  min_insert_block_size_rows: 131_072,
  min_insert_block_size_bytes: 64 * 1024 * 1024,
} as const

const FORMATS = {
  csv: {
    name: 'CSV',
    settings: {
      input_format_csv_allow_variable_number_of_columns: 1,
      // An empty field is an empty text, so that NULL marks a missing field.
      input_format_csv_empty_as_default: 0,
      input_format_csv_trim_whitespaces: 0,
      input_format_csv_detect_header: 0,
      format_csv_null_representation: '\u0001',
    },
  },
  json: {
    name: 'JSONEachRow',
    settings: {
      input_format_json_read_numbers_as_strings: 1,
      input_format_json_read_bools_as_strings: 1,
      input_format_json_read_objects_as_strings: 1,
      input_format_json_read_arrays_as_strings: 1,
      input_format_skip_unknown_fields: 0,
    },
  },
  parquet: { name: 'Parquet', settings: { input_format_parquet_preserve_order: 1 } },
} as const

export async function openFile(path: string, reading: Reading): Promise<OpenedFile> {
  const bytes = sizeOf(path)
  const format = reading.format ?? formatOf(path)
  if (format === 'parquet' && compressionOf(path)) {
    throw new GatewayError('ledger', `${path}: expected Parquet without .gz or .zst`)
  }
  const found: Opened =
    format === 'parquet'
      ? { columns: await readParquetColumns(path) }
      : openText(path, format, (await readStart(path, reading.encoding)).toString(), reading)
  requireColumns(path, found.columns)
  return { path, format, bytes, firstLine: 1, skippedBytes: 0, ...found }
}

type Opened = Pick<OpenedFile, 'columns'> & Partial<OpenedFile>

function openText(
  path: string,
  format: 'csv' | 'json',
  start: string,
  { columns: names, skipLines = 0, ...written }: Reading,
): Opened {
  if (format === 'json') {
    const members = [...readJsonMembers(start).map(({ name }) => name), ...(names ?? [])]
    return { columns: [...new Set(members)].map((name) => ({ name })) }
  }
  if (names !== undefined) {
    const skipped = start.split('\n', skipLines).map((line) => Buffer.byteLength(line) + 1)
    const skippedBytes = skipped.reduce((sum, length) => sum + length, 0)
    return { columns: names.map((name) => ({ name })), firstLine: skipLines + 1, skippedBytes }
  }
  const header = readCsvHeader(start, written, skipLines)
  if (header === undefined) {
    const expected = `expected a header row of at most ${HEAD_BYTES_MAX / 1024} KiB that names the columns`
    throw new GatewayError('ledger', `${path}:${skipLines + 1}: ${expected}`)
  }
  const skippedBytes = Buffer.byteLength(start.slice(0, header.length))
  return { columns: header.columns, firstLine: header.lines + 1, skippedBytes }
}

/** Returns the statement that creates a table for files. Every column is text. */
export function stagedTable(table: string, columns: readonly FileColumn[]): string {
  const texts = columns.map(({ name }) => `${identifier(name)} Nullable(String)`)
  return `CREATE TABLE ${table} (_line UInt64, _ends UInt32, _fault LowCardinality(String), ${texts.join(', ')})
  ENGINE = MergeTree ORDER BY _line`
}

/** Inserts the rows of a file into a table of {@link stagedTable}. Files are numbered from 1. */
export async function stageFile(
  engine: Queries,
  table: string,
  file: OpenedFile,
  number: number,
  reading: Reading,
  onRead: OnRead = () => {},
): Promise<void> {
  const { path, format, skippedBytes } = file
  const body =
    format === 'parquet'
      ? readBytes(path, onRead)
      : withoutStart(readText8(path, reading.encoding, onRead), skippedBytes)
  await insertRows(engine, insertInto(table, file, number, reading), body, (error) => {
    return stageFailure(file, error)
  })
}

/** Inserts the rows of a database, which arrive as CSV, into a table of {@link stagedTable}. */
export async function stageCsv(
  engine: Queries,
  table: string,
  columns: readonly FileColumn[],
  number: number,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const rows = { columns, format: 'csv', firstLine: 1 } as const
  await insertRows(engine, insertInto(table, rows, number, PLAIN_CSV), body, (error) => error)
}

/** Inserts rows. If they cannot be read, throws the reason of that, and not what the engine says of its lack of rows. */
async function insertRows(
  engine: Queries,
  sql: string,
  body: AsyncIterable<Uint8Array>,
  failureOf: (error: unknown) => unknown,
): Promise<void> {
  let unreadable: unknown
  const watched = async function* () {
    try {
      yield* body
    } catch (error) {
      unreadable = error
      throw error
    }
  }
  try {
    await engine.insert({ sql, body: watched() })
  } catch (error) {
    throw unreadable ?? failureOf(error)
  }
}

function insertInto(
  table: string,
  { columns, format, firstLine }: Pick<OpenedFile, 'columns' | 'format' | 'firstLine'>,
  number: number,
  { delimiter, ragged, quotes }: Reading,
): string {
  const isCsv = format === 'csv'
  // The engine finds the fields of CSV by their places, and other values by their names.
  const places = columns.map(({ name }, at) => (isCsv ? `c${at}` : identifier(name)))
  const input = columns.map(({ isUtc }, at) => {
    return `${places[at]} ${isUtc === true ? "Nullable(DateTime64(6, 'UTC'))" : 'Nullable(String)'}`
  })
  if (isCsv) input.push('more Nullable(String)')
  const texts = columns.map(({ isUtc }, at) => {
    if (isUtc === true) return `concat(toString(${places[at]}), 'Z')`
    return isCsv ? `if(c${at} IN ('', '\\\\N'), NULL, c${at})` : places[at]
  })
  const sum = (measure: (place: string) => string): string => {
    return places.map((place) => `ifNull(${measure(place)}, 0)`).join(' + ')
  }
  const large = `${sum((place) => `length(toString(${place}))`)} > ${LIMITS.importedRowBytesMax}`
  const [last] = places.slice(-1)
  const fields = `isNull(c0) AND isNull(${last}), 'empty', isNull(${last}), 'short', isNotNull(more), 'long',`
  const raggedFields = `isNull(c0) AND isNull(${last}), 'empty',`
  const fault = `multiIf(${isCsv ? (ragged ? raggedFields : fields) : ''} ${large}, 'large', '')`
  const ends = isCsv ? sum((place) => `countSubstrings(${place}, '\\n')`) : '0'
  const { name: engineFormat, settings } = FORMATS[format]
  const csv = {
    format_csv_delimiter: delimiter,
    format_csv_allow_double_quotes: quotes ? 1 : 0,
    input_format_csv_allow_whitespace_or_tab_as_delimiter: delimiter === '\t' ? 1 : 0,
  }
  const into = ['_line', '_ends', '_fault', ...columns.map(({ name }) => identifier(name))]
  return `INSERT INTO ${table} (${into.join(', ')})
  SELECT line, ends, fault, ${texts.join(', ')} FROM (
    SELECT ${number * LINES_PER_FILE + firstLine} + rowNumberInAllBlocks() AS line, ${ends} AS ends, ${fault} AS fault, *
    FROM input(${literal(input.join(', '))}))
  WHERE fault != 'empty'
  ${settingsClause({ ...INSERT_SETTINGS, ...settings, ...(isCsv ? csv : {}) })} FORMAT ${engineFormat}`
}

export function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}

function formatOf(path: string): FileFormat {
  const [, ending = ''] = /\.([a-z]+)(?:\.(?:gz|zst))?$/.exec(path.toLowerCase()) ?? []
  if (ENDINGS.includes(ending)) {
    return ending === 'parquet' ? 'parquet' : ending.includes('json') ? 'json' : 'csv'
  }
  const expected = `expected a name that ends with ${ENDINGS.map((one) => `.${one}`).join(', ')}`
  throw new GatewayError('ledger', `${path}: ${expected}, or "format" in the head of the source`)
}

async function* withoutStart(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const chunk of chunks) {
    const rest = chunk.subarray(Math.min(left, chunk.length))
    left -= chunk.length - rest.length
    if (rest.length > 0) yield rest
  }
}

/** Names the place at which the engine could not read a file. Its text stays in the cause: it may have a value of the file. */
function stageFailure({ path, format, firstLine }: OpenedFile, error: unknown): unknown {
  if (!(error instanceof GatewayError) || !isProblemCode(error.code)) return error
  const text = error.cause instanceof Error ? error.cause.message : ''
  const row = /\(at row (\d+)\)/.exec(text)?.[1]
  if (row === undefined) {
    const failed = `the engine failed while it read this file (ClickHouse error ${clickHouseCode(error.cause)})`
    return new GatewayError('ledger', `${path}: ${failed}; nothing was imported`, { cause: error })
  }
  const member = /Unknown field found while parsing \w+ format: ([\w-]{1,64}):/.exec(text)?.[1]
  if (member !== undefined) {
    const advice = 'Name it under "columns" in the head of the source'
    return new GatewayError(
      'ledger',
      `${path}: no object in the start of the file has the member ${member}. ${advice}.`,
      { cause: error },
    )
  }
  const place = format === 'csv' ? `${path}:${Number(row) + firstLine - 1}` : `${path}, row ${row}`
  const advice =
    format === 'csv'
      ? ' Is a quote missing, or not doubled? Or needs the head "quotes: false"?'
      : ''
  const message = `${place}: this is not valid ${format.toUpperCase()}.${advice} Nothing was imported.`
  return new GatewayError('ledger', message, { cause: error })
}
