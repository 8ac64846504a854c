// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { csvRows } from '../../../ledger/src/import/csv-rows.ts'
import { cutRows } from '../../../ledger/src/import/cut-rows.ts'
import { createPieceWriter } from '../../../ledger/src/import/piece-writer.ts'
import { changeLimits } from '../kit/change-limits.ts'
import { csvOf, type ImportKit, openImportKit, transactionRow } from '../kit/import-kit.ts'

// With these limits a small file goes into the engine in several pieces, and is compared in several ranges.
changeLimits({ importedPieceBytes: 1_500, comparedRowsMax: 5 })

let kit: ImportKit
beforeAll(async () => {
  kit = await openImportKit()
})
afterAll(async () => {
  await kit.close()
})

const HARD = ['plain', 'two\nlines', 'a "quote"', 'a, comma', '', '\r\n', '=1+1', 'é😀']
const ROWS = HARD.concat(HARD).map((order_description, at) =>
  transactionRow(at, { order_description }),
)
const HEADER = `${csvOf(ROWS).split('\n', 1).join()}\n`
const TEXTS = ROWS.map((row) => csvOf([row]).slice(HEADER.length))

/** A change to a row of a file: some bytes become others. */
interface Damage {
  readonly row: number
  readonly at: number
  readonly length: number
  readonly by: string
}
const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    row: fc.nat(ROWS.length - 1),
    at: fc.nat(300),
    length: fc.nat(3),
    by: fc.string({
      unit: fc.constantFrom('"', ',', '\n', '\r', 'x', '0', ' ', '\\N'),
      maxLength: 2,
    }),
  }),
  { minLength: 1, maxLength: 4 },
)

/** Returns the texts of the rows after all changes. */
function damage(all: readonly Damage[]): readonly string[] {
  return TEXTS.map((text, row) => {
    return all
      .filter((one) => one.row === row)
      .reduce((left, { at, length, by }) => {
        const from = at % left.length
        return left.slice(0, from) + by + left.slice(from + length)
      }, text)
  })
}

const lineEnds = (text: string) => text.split('\n').length - 1

test('every line of a damaged file belongs to one row, or is empty', async () => {
  const columns = HEADER.split(',').length
  await fc.assert(
    fc.asyncProperty(damages, async (all) => {
      const text = HEADER + damage(all).join('')
      const ranges: (readonly [number, number])[] = [[1, 1]]
      const writer = {
        ...createPieceWriter(1, ',', columns),
        write: (_: Uint8Array, line: number, lastLine: number) =>
          void ranges.push([line, lastLine]),
        writeBroken: (_: string, line: number, lastLine: number) =>
          void ranges.push([line, lastLine]),
      }
      const chunks = (async function* () {
        yield Buffer.from(text)
      })()
      for await (const _ of cutRows('file', chunks, csvRows(columns, ',', writer), writer));
      const lines = text.split('\n')
      const owners = lines.map((_, at) => {
        return ranges.filter(([line, lastLine]) => line <= at + 1 && at + 1 <= lastLine).length
      })
      const isEmpty = (at: number) => /^\r?$/.test(lines[at] ?? '')
      expect(owners.every((count, at) => count === 1 || (count === 0 && isEmpty(at)))).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('reads a file in several pieces', async () => {
  const execute = vi.spyOn(kit.engine, 'execute')
  const insert = vi.spyOn(kit.engine, 'insertCsv')
  const { taken } = await kit.importText('pieces.csv', HEADER + TEXTS.join(''))
  const statements = execute.mock.calls.map(([sql]) => sql)
  const pieces = insert.mock.calls.length
  execute.mockRestore()
  insert.mockRestore()
  expect(taken).toBe(ROWS.length)
  const ranges = statements.filter((sql) => sql.includes('INSERT INTO import_verdicts'))
  expect([pieces > 1, ranges.length > 2]).toEqual([true, true])
})

test('takes or refuses every complete row of a damaged file, and counts all rows', async () => {
  for (const all of fc.sample(damages, 3)) {
    const texts = damage(all)
    const { rows, taken, unchanged, older, refused, refusedRows } = await kit.importText(
      'damaged.csv',
      HEADER + texts.join(''),
    )
    expect([taken + unchanged + older + refused, refusedRows.length]).toEqual([rows, refused])
    const sql =
      "SELECT arrayStringConcat(groupArray(toString(transaction_id)), ' ') AS value FROM transactions"
    const ids = new Set((await kit.value(sql)).split(' '))
    let line = 2
    const lost: number[] = []
    for (const [at, text] of texts.entries()) {
      const first = line
      line += lineEnds(text)
      const isRefused = refusedRows.some((row) => row.line <= first && first <= row.lastLine)
      const isTaken = ids.has(ROWS[at]?.['transaction_id'] ?? '')
      // The import must have taken or refused every unchanged row.
      if (text === TEXTS[at] && !isRefused && !isTaken) lost.push(at)
    }
    expect([all, lost]).toEqual([all, []])
    await kit.empty('transactions')
  }
})

test('the engine reads exactly the rows and values that were cut', async () => {
  const letters = fc.constantFrom(
    'a',
    ' ',
    ',',
    '"',
    '""',
    '\n',
    '\r',
    '\r\n',
    '\\N',
    'é',
    '\t',
    '\\',
  )
  const writer = createPieceWriter(1, ',', 2)
  const written: (readonly (string | null)[])[] = []
  const collecting = {
    ...writer,
    writeBroken: () => {},
    write: (text: Uint8Array, line: number, lastLine: number) => {
      writer.write(text, line, lastLine)
      written.push(fieldsOf(Buffer.from(text).toString()))
    },
  }
  const pieces: Uint8Array[] = []
  for (const text of fc.sample(fc.string({ unit: letters, maxLength: 24 }), 8_000)) {
    const chunks = (async function* () {
      yield Buffer.from(`x,y\n${text}`)
    })()
    const format = csvRows(2, ',', collecting)
    for await (const piece of cutRows('file', chunks, format, collecting)) pieces.push(piece)
  }
  expect(written.length).toBeGreaterThan(500)
  const path = join(kit.folder, 'cut.csv')
  writeFileSync(path, Buffer.concat(pieces))
  const structure =
    'file UInt16, line UInt64, last_line UInt64, broken Nullable(String), c0 Nullable(String), c1 Nullable(String)'
  const read = await readRows(
    kit.engine,
    z.object({ c0: z.string().nullable(), c1: z.string().nullable() }),
    {
      sql: "SELECT c0, c1 FROM file({path:String}, 'CSV', {structure:String})",
      parameters: { path, structure },
      settings: { readonly: 0, input_format_csv_trim_whitespaces: 0 },
    },
  )
  expect(read.map(({ c0, c1 }) => [c0, c1])).toEqual(written)
})

/** Parses the values of a row of CSV by the grammar, regardless of speed. */
function fieldsOf(text: string): readonly (string | null)[] {
  const field = /,(?:"((?:[^"]|"")*)"|([^,]*))/gy
  return [...`,${text}`.matchAll(field)].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replaceAll('""', '"')
    return plain === '' || plain === '\\N' ? null : (plain ?? null)
  })
}
