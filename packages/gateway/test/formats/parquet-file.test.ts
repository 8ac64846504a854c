import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type EngineChunk, type EngineQuery, readRows } from '../../../engine/src/engine/engine.ts'
import { PAGE_SETTINGS } from '../../../formats/src/parquet/parquet.ts'
import { writePages } from '../../../formats/src/parquet/write-pages.ts'
import { FORMAT_READERS, NO_CONTENT } from './format-readers.ts'
import { useScratchEngine } from '../kit/scratch-ledger.ts'

const COLUMNS = [
  { title: 'Number', kind: 'integer' },
  { title: 'Text', kind: 'text' },
] as const
const METADATA = { 'counterfoil.report': 'numbers', 'counterfoil.timezone': 'Asia/Kathmandu' }

const scratch = await useScratchEngine()

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

async function write(...pieces: readonly Uint8Array[]) {
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
    const whole = await write(bytes)
    expect(whole.rows).toBe(5)
    expect((await FORMAT_READERS.PARQUET.read(whole.file, NO_CONTENT)).rows).toEqual([
      ['0', ''],
      ['1', 'x'],
      ['2', 'xx'],
      ['3', 'xxx'],
      ['4', 'xxxx'],
    ])
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(await write(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(whole)
    }
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
    expect(await write(...single)).toEqual(whole)
  })

  test('is never complete if a byte of the engine is missing', async () => {
    const bytes = await bytesOf(numbers(2))
    for (let length = 1; length < bytes.length; length += 1) {
      await expect(write(bytes.subarray(0, length))).rejects.toThrow('inside a Parquet file')
    }
    await expect(write(bytes, Buffer.from('PAR'))).rejects.toThrow('inside a Parquet file')
    await expect(write(Buffer.from('PARK'))).rejects.toThrow('no Parquet file')
  })

  test('has large row groups, its metadata, and the engine reads it', async () => {
    const count = 300_000
    const { file, rows } = await write(await bytesOf(numbers(count, { max_block_size: 8192 })))
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
    await expect(write(await bytesOf(numbers(20_000, dictionary)))).rejects.toThrow('no data')
    await expect(write(await bytesOf(numbers(20_000, pages)))).rejects.toThrow('lengths')
    const bytes = await bytesOf(numbers(2))
    const three = [...COLUMNS, { title: 'More', kind: 'text' } as const]
    const writing = async (): Promise<void> => {
      for await (const _ of writePages(three, {}, of(bytes)));
    }
    await expect(writing()).rejects.toThrow('without some columns')
  })
})
