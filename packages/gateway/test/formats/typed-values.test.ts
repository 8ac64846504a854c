import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ColumnKind } from '../../../engine/src/dialect/column-kinds.ts'
import { type EngineChunk, type EngineQuery, readRows } from '../../../engine/src/engine/engine.ts'
import { type FormatName, FORMATS } from '../../../formats/src/format/formats.ts'
import { writeTexts } from '../../../formats/src/parquet/parquet.ts'
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

const COLUMNS = [{ title: 'Number' }, { title: 'Text' }]
const METADATA = { 'counterfoil.report': 'numbers', 'counterfoil.timezone': 'Asia/Kathmandu' }
const COUNT = 300_000

/** The chunks of a file that the engine writes, with long rows that no compression makes short. */
async function chunksOf(count: number): Promise<readonly Uint8Array[]> {
  const query: EngineQuery = {
    sql: `SELECT CAST(number, 'Nullable(Int64)') AS a,
      CAST(concat(toString(number % 7), hex(randomString(40))), 'Nullable(String)') AS b FROM numbers(${count})`,
    parameters: {},
    settings: FORMATS.PARQUET.plan(reportFile([])).settings ?? {},
    format: 'Parquet',
    role: 'owner',
  }
  const pieces: Uint8Array[] = []
  for await (const { bytes } of await scratch.engine.stream(query, new AbortController().signal)) {
    pieces.push(bytes)
  }
  return pieces
}

async function* of(...pieces: readonly Uint8Array[]): AsyncGenerator<EngineChunk, void> {
  for (const bytes of pieces) yield { bytes, rows: 0 }
}

async function writeParquet(...pieces: readonly Uint8Array[]) {
  const written: Uint8Array[] = []
  let rows = 0
  for await (const piece of writeTexts({ columns: COLUMNS, metadata: METADATA }, of(...pieces))) {
    written.push(piece.bytes)
    rows += piece.rows
  }
  return { file: Buffer.concat(written), rows, pieces: written.length }
}

describe('a Parquet file', () => {
  test('is the same wherever the chunks of the engine are cut, and never complete without a byte', async () => {
    const bytes = Buffer.concat(await chunksOf(5))
    const whole = await writeParquet(bytes)
    expect(whole.rows).toBe(5)
    const { titles, rows } = await FORMAT_READERS.PARQUET.read(whole.file, NO_CONTENT)
    expect(titles).toEqual(['Number', 'Text'])
    expect(rows.map(([number]) => number)).toEqual(['0', '1', '2', '3', '4'])
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(await writeParquet(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(whole)
      if (cut === bytes.length) continue
      await expect(writeParquet(bytes.subarray(0, cut))).rejects.toThrow('Parquet file')
    }
  })

  test('streams large row groups, has its metadata, and the engine reads it', async () => {
    const { file, rows, pieces } = await writeParquet(...(await chunksOf(COUNT)))
    expect(rows).toBe(COUNT)
    expect(pieces).toBeGreaterThan(10)
    const read = parquetMetadata(Uint8Array.from(file).buffer)
    expect(read.num_rows).toBe(BigInt(COUNT))
    expect(Number(read.row_groups[0]?.num_rows)).toBeGreaterThan(50_000)
    expect(read.key_value_metadata).toEqual(
      Object.entries(METADATA).map(([key, value]) => ({ key, value })),
    )
    const path = join(scratch.folder, 'numbers.parquet')
    writeFileSync(path, file)
    const sql = `SELECT toString(count()) AS rows, toString(sum(Number)) AS sum, sum(length(Text)) AS length,
      toTypeName(any(Number)) AS type FROM file({path:String}, Parquet)`
    const query = { sql, parameters: { path }, settings: { readonly: 0 } }
    const [numbers] = await readRows(scratch.engine, z.record(z.string(), z.unknown()), query)
    expect(numbers).toEqual({
      rows: String(COUNT),
      sum: String((COUNT * (COUNT - 1)) / 2),
      length: String(81 * COUNT),
      type: 'Nullable(Int64)',
    })
  })
})
