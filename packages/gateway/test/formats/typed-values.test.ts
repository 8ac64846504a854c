import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ColumnKind } from '../../../engine/src/dialect/column-kinds.ts'
import { type EngineChunk, type EngineQuery, readRows } from '../../../engine/src/engine/engine.ts'
import { type FormatName, FORMATS } from '../../../formats/src/format/formats.ts'
import { PAGE_SETTINGS } from '../../../formats/src/parquet/parquet.ts'
import { writePages } from '../../../formats/src/parquet/write-pages.ts'
import { FORMAT_READERS, NO_CONTENT } from './format-readers.ts'
import { reportFile } from '../kit/report-file.ts'
import { useScratchEngine } from '../kit/scratch-ledger.ts'

/** Kinds of columns with SQL of every type that they take, and the values in JSON lines and in Parquet. */
const VALUES: readonly (readonly [
  kind: ColumnKind,
  sql: string,
  json: string | number | null,
  parquet?: string,
])[] = [
  ['text', "'it''s \"a\" \\\\ / \\n\\r\\t\\0 😀'", 'it\'s "a" \\ / \n\r\t\0 😀'],
  ['text', "toLowCardinality(toNullable('x'))", 'x'],
  ['text', "CAST('b', 'Enum8(\\'b\\' = 2)')", 'b'],
  ['text', '7', '7'],
  ['text', 'NULL', null],
  ['text', "CAST(NULL, 'LowCardinality(Nullable(String))')", null],
  ['id', 'toInt64(9223372036854775807)', '9223372036854775807'],
  ['id', "toNullable('0012')", '0012'],
  ['id', "CAST(NULL, 'Nullable(Int32)')", null],
  ['money', "toDecimal128('9007199254740993.1234', 4)", '9007199254740993.1234'],
  ['money', "toDecimal64('-0.100', 3)", '-0.1'],
  ['money', "CAST(5, 'Nullable(Decimal(38, 0))')", '5'],
  ['money', "CAST(NULL, 'Nullable(Decimal(20, 4))')", null],
  ['rate', "toDecimal64('0.00000001', 8)", '0.00000001'],
  ['rate', "toDecimal128('-123456789.123456789012345678', 18)", '-123456789.123456789012345678'],
  ['integer', 'toUInt8(7)', 7],
  ['integer', '-9007199254740991', Number.MIN_SAFE_INTEGER],
  ['integer', 'toInt64(9007199254740991)', Number.MAX_SAFE_INTEGER],
  ['integer', 'toInt64(9007199254740992)', '9007199254740992'],
  ['integer', 'toUInt64(9223372036854775807)', '9223372036854775807'],
  ['integer', 'toInt256(-9007199254740993)', '-9007199254740993'],
  ['integer', "CAST(NULL, 'Nullable(UInt64)')", null],
  ['date', "toDate('2026-02-28')", '2026-02-28'],
  ['date', "toDate32('1950-01-01')", '1950-01-01'],
  // A day begins earlier in Berlin than in UTC.
  ['date', "toDateTime64('2026-07-01 00:30:00', 3, 'Europe/Berlin')", '2026-07-01'],
  ['date', "CAST(NULL, 'Nullable(Date32)')", null],
  [
    'time',
    "toDateTime64('2026-07-01 22:30:00.009', 3, 'UTC')",
    '2026-07-02T00:30:00.009+02:00',
    '2026-07-01T22:30:00.009Z',
  ],
  [
    'time',
    "toNullable(toDateTime('2026-01-01 12:00:00', 'Asia/Tokyo'))",
    '2026-01-01T04:00:00.000+01:00',
    '2026-01-01T03:00:00.000Z',
  ],
  ['time', "CAST(NULL, 'Nullable(DateTime64(3, \\'UTC\\'))')", null],
  ['ratio', '1 / 3', '0.3333333333333333'],
  ['ratio', "toDecimal64('0.25', 4)", '0.25'],
  ['ratio', 'toUInt8(1)', '1'],
  ['ratio', '0 / -5', '0'],
  ['ratio', '1 / 0', null],
  ['ratio', '0 / 0', null],
  ['ratio', "CAST(NULL, 'Nullable(Float64)')", null],
]

const scratch = await useScratchEngine()

async function write(format: FormatName, commented = ''): Promise<Buffer> {
  const columns = VALUES.map(([kind, sql], index) => {
    return { kind, title: `${index} ${kind}`, sql: sql + commented }
  })
  const file = reportFile(columns, {
    identifier: 'values',
    timezone: 'Europe/Berlin',
    parameters: { dateFrom: '2026-01-01 00:00:00.000' },
    filters: { currencies: ['EUR'] },
    runId: 'the-run',
  })
  const plan = FORMATS[format].plan(file)
  const { settings = {}, write: writeFile } = plan
  const query = {
    sql: `SELECT ${plan.rows === 'texts' ? `${plan.select(columns)} AS _row` : plan.select(columns).join(',\n')}`,
    parameters: { timezone: 'Europe/Berlin' },
    settings,
    format: plan.rows === 'texts' ? 'RawBLOB' : plan.rows,
    role: 'owner',
  } as const
  const pieces: Uint8Array[] = []
  const chunks = await scratch.engine.stream(query, new AbortController().signal)
  for await (const { bytes } of writeFile(chunks)) pieces.push(bytes)
  return Buffer.concat(pieces)
}

test('JSON lines hold every value of every type, in the order of the columns', async () => {
  const line = (await write('JSONL')).toString()
  expect(line.endsWith('}\n')).toBe(true)
  const expected = VALUES.map(([kind, , json], index) => [`${index} ${kind}`, json])
  expect(Object.entries(JSON.parse(line))).toEqual(expected)
})

test('Parquet holds every value of every type', async () => {
  const { rows } = await FORMAT_READERS.PARQUET.read(await write('PARQUET'), NO_CONTENT)
  const expected = VALUES.map(([, , json, parquet]) => {
    return parquet ?? (json === null ? null : String(json))
  })
  expect(rows).toEqual([expected])
})

test.each(['JSONL', 'PARQUET'] as const)(
  'a comment at the end of a column does not hide the SQL after it, in %s',
  async (format) => {
    expect((await write(format, ' -- end')).equals(await write(format))).toBe(true)
  },
)

const COLUMNS = [
  { title: 'Number', kind: 'integer' },
  { title: 'Text', kind: 'text' },
] as const
const METADATA = { 'counterfoil.report': 'numbers', 'counterfoil.timezone': 'Asia/Kathmandu' }

function numbers(count: number, settings: EngineQuery['settings'] = {}): EngineQuery {
  return {
    sql: `SELECT CAST(number, 'Nullable(Int64)') AS a, CAST(repeat('x', number % 7), 'Nullable(String)') AS b
      FROM numbers(${count})`,
    parameters: {},
    settings: { ...PAGE_SETTINGS, ...settings },
    format: 'Parquet',
    role: 'owner',
  }
}

/** The bytes that the engine writes: one file, with a row group for each block of rows. */
async function bytesOf(query: EngineQuery): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const { bytes } of await scratch.engine.stream(query, new AbortController().signal)) {
    pieces.push(bytes)
  }
  return Buffer.concat(pieces)
}

async function* of(...pieces: readonly Uint8Array[]): AsyncGenerator<EngineChunk, void> {
  for (const bytes of pieces) yield { bytes, rows: 0 }
}

async function writeParquet(...pieces: readonly Uint8Array[]) {
  const written: Uint8Array[] = []
  let rows = 0
  for await (const piece of writePages(COLUMNS, METADATA, of(...pieces))) {
    written.push(piece.bytes)
    rows += piece.rows
  }
  return { file: Buffer.concat(written), rows }
}

describe('a Parquet file', () => {
  test('is the same wherever the chunks of the engine are cut', async () => {
    const rowGroups = { max_block_size: 2, output_format_parquet_row_group_size: 2 }
    const bytes = await bytesOf(numbers(5, rowGroups))
    const whole = await writeParquet(bytes)
    expect(whole.rows).toBe(5)
    expect((await FORMAT_READERS.PARQUET.read(whole.file, NO_CONTENT)).rows).toEqual([
      ['0', ''],
      ['1', 'x'],
      ['2', 'xx'],
      ['3', 'xxx'],
      ['4', 'xxxx'],
    ])
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(await writeParquet(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(whole)
    }
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
    expect(await writeParquet(...single)).toEqual(whole)
  })

  test('is never complete if a byte of the engine is missing', async () => {
    const bytes = await bytesOf(numbers(2))
    for (let length = 1; length < bytes.length; length += 1) {
      await expect(writeParquet(bytes.subarray(0, length))).rejects.toThrow('inside a Parquet file')
    }
    await expect(writeParquet(bytes, Buffer.from('PAR'))).rejects.toThrow('inside a Parquet file')
    await expect(writeParquet(Buffer.from('PARK'))).rejects.toThrow('no Parquet file')
  })

  test('has large row groups, its metadata, and the engine reads it', async () => {
    const count = 300_000
    const { file, rows } = await writeParquet(
      await bytesOf(numbers(count, { max_block_size: 8192 })),
    )
    expect(rows).toBe(count)
    const { row_groups, key_value_metadata, num_rows } = parquetMetadata(
      Uint8Array.from(file).buffer,
    )
    expect(num_rows).toBe(BigInt(count))
    expect(row_groups.map((group) => Number(group.num_rows))).toEqual([131_072, 131_072, 37_856])
    expect(key_value_metadata).toEqual(
      Object.entries(METADATA).map(([key, value]) => ({ key, value })),
    )
    const path = join(scratch.folder, 'numbers.parquet')
    writeFileSync(path, file)
    const sql = `SELECT toString(count()) AS rows, toString(sum(Number)) AS sum, sum(length(Text)) AS length,
      toTypeName(any(Number)) AS type FROM file({path:String}, Parquet)`
    const row = z.record(z.string(), z.unknown())
    const sum = String((count * (count - 1)) / 2)
    const [read] = await readRows(scratch.engine, row, {
      sql,
      parameters: { path },
      settings: { readonly: 0 },
    })
    const length = Array.from({ length: count }, (_, number) => number % 7)
    expect(read).toEqual({
      rows: String(count),
      sum,
      length: String(length.reduce((total, each) => total + each)),
      type: 'Nullable(Int64)',
    })
  })

  test('refuses pages that the gateway cannot put into a file', async () => {
    const dictionary = { output_format_parquet_max_dictionary_size: 1_048_576 }
    const pages = { output_format_parquet_data_page_size: 1000 }
    await expect(writeParquet(await bytesOf(numbers(20_000, dictionary)))).rejects.toThrow(
      'no data',
    )
    await expect(writeParquet(await bytesOf(numbers(20_000, pages)))).rejects.toThrow('lengths')
    const bytes = await bytesOf(numbers(2))
    const three = [...COLUMNS, { title: 'More', kind: 'text' } as const]
    const writing = async (): Promise<void> => {
      for await (const _ of writePages(three, {}, of(bytes)));
    }
    await expect(writing()).rejects.toThrow('without some columns')
  })
})
