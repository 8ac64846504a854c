import { type ColumnKind, DECIMAL_DIGITS, FRACTION_DIGITS } from '@counterfoil/engine'
import type { FileColumn } from '../format/format.ts'
import { bool, i8, i32, i64, list, struct, text, type Written } from './write-thrift.ts'

/** The pages of a column in a row group. */
export interface ColumnChunk {
  readonly bytes: Uint8Array
  readonly uncompressedBytes: number
}

/** What a footer says. */
export interface Footer {
  readonly columns: readonly FileColumn[]
  readonly rows: number
  /** The row groups, as `writeRowGroup` writes them. */
  readonly rowGroups: readonly Written[]
  readonly metadata: Readonly<Record<string, string>>
}

/** The compression of pages: its name in the engine, and its number in Parquet. */
export const COMPRESSION = { name: 'zstd', number: 6 } as const

// The numbers and ids: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
const ENCODINGS = list([i32(0), i32(3)])
const OPTIONAL = i32(1)
const FORMAT_VERSION = i32(2)
const EMPTY = struct({})

/** The members of a column's `SchemaElement` that depend on its type. */
interface ColumnType {
  readonly type: Written
  readonly more: Readonly<Record<number, Written>>
}

function decimalType(fractionDigits: number): ColumnType {
  const [scale, precision] = [i32(fractionDigits), i32(DECIMAL_DIGITS)]
  const logicalType = struct({ 5: struct({ 1: scale, 2: precision }) })
  // 16 bytes of fixed length.
  return {
    type: i32(7),
    more: { 2: i32(16), 6: i32(5), 7: scale, 8: precision, 10: logicalType },
  }
}

const TEXT: ColumnType = { type: i32(6), more: { 6: i32(0), 10: struct({ 1: EMPTY }) } }

/** The types of Parquet of the types of `typed`. */
const COLUMN_TYPES: Record<ColumnKind, ColumnType> = {
  text: TEXT,
  id: TEXT,
  money: decimalType(FRACTION_DIGITS.money),
  rate: decimalType(FRACTION_DIGITS.rate),
  integer: {
    type: i32(2),
    more: { 6: i32(18), 10: struct({ 10: struct({ 1: i8(64), 2: bool(true) }) }) },
  },
  date: { type: i32(1), more: { 6: i32(6), 10: struct({ 6: EMPTY }) } },
  time: {
    type: i32(2),
    // In UTC and in milliseconds.
    more: { 6: i32(9), 10: struct({ 8: struct({ 1: bool(true), 2: struct({ 1: EMPTY }) }) }) },
  },
  ratio: { type: i32(5), more: {} },
}

/**
 * Writes the metadata of a row group.
 *
 * @param begin where the row group begins in the file
 */
export function writeRowGroup(
  columns: readonly FileColumn[],
  chunks: readonly ColumnChunk[],
  begin: number,
  rows: number,
): Written {
  let offset = begin
  const written = columns.map(({ title, kind }, index) => {
    const chunk = chunks[index]
    if (!chunk) throw new RangeError('expected pages of every column')
    const { bytes, uncompressedBytes } = chunk
    const metadata = struct({
      1: COLUMN_TYPES[kind].type,
      2: ENCODINGS,
      3: list([text(title)]),
      4: i32(COMPRESSION.number),
      5: i64(rows),
      6: i64(uncompressedBytes),
      7: i64(bytes.length),
      9: i64(offset),
    })
    offset += bytes.length
    return struct({ 2: i64(0), 3: metadata })
  })
  const total = chunks.reduce((sum, { uncompressedBytes }) => sum + uncompressedBytes, 0)
  return struct({ 1: list(written), 2: i64(total), 3: i64(rows) })
}

/** Writes the footer of a file, with its length and the text at the end of the file. */
export function writeFooter({ columns, rows, rowGroups, metadata }: Footer): Uint8Array {
  const root = struct({ 4: text('report'), 5: i32(columns.length) })
  const schema = columns.map(({ title, kind }) => {
    const { type, more } = COLUMN_TYPES[kind]
    return struct({ 1: type, 3: OPTIONAL, 4: text(title), ...more })
  })
  const pairs = Object.entries(metadata).map(([key, value]) =>
    struct({ 1: text(key), 2: text(value) }),
  )
  const { bytes } = struct({
    1: FORMAT_VERSION,
    2: list([root, ...schema]),
    3: i64(rows),
    4: list(rowGroups),
    5: list(pairs),
    6: text('Counterfoil'),
  })
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([bytes, length, Buffer.from('PAR1')])
}
