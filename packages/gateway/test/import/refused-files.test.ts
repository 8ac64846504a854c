// @module-tag long

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { importFiles, type ImportOptions } from '../../../ledger/src/import/import-files.ts'
import { mappingSchema } from '../../../ledger/src/import/mapping.ts'
import {
  csvOf,
  type ImportKit,
  openImportKit,
  transactionRow,
  ledgerAccess,
} from '../kit/import-kit.ts'

let kit: ImportKit
beforeAll(async () => {
  kit = await openImportKit()
})
afterAll(() => kit.close())
afterEach(async () => {
  const left = "SELECT count() AS value FROM system.tables WHERE startsWith(name, 'import_')"
  if ((await kit.value(left)) !== '0') throw new Error('expected no table of an import')
})

function importFile(file: string, onProgress: NonNullable<ImportOptions['onProgress']>) {
  return importFiles(ledgerAccess(kit.engine, kit.folder), {
    files: [file],
    table: 'transactions',
    mapping: mappingSchema('transactions').parse({}),
    folder: join(kit.folder, 'import'),
    refusedFile: join(kit.folder, 'refused.csv'),
    onProgress,
  })
}

describe('an import is refused completely, and leaves nothing,', () => {
  const good = csvOf([transactionRow(1)])
  const [header = '', row = ''] = good.split('\n')
  const UNKNOWN =
    'expected a column of the ledger, or one that the mapping names under "columns" or "ignore"'

  test.each<[string, string, string | Uint8Array, object, string]>([
    [
      'of an unknown column',
      'a.csv',
      good.replace('amount', 'amuont'),
      {},
      `column 9 "amuont": ${UNKNOWN} (did you mean "amount"?)`,
    ],
    [
      'of a missing column',
      'a.csv',
      good.replace('amount', 'purpose'),
      {},
      'a.csv: expected a column "amount"',
    ],
    [
      'of a repeated column',
      'a.csv',
      good.replace('order_id', 'amount'),
      {},
      'column 9 "amount": expected each column once',
    ],
    [
      'of a column for card numbers',
      'a.csv',
      good.replace('client_order_id', 'cardNumber'),
      { columns: { client_order_id: 'number2' }, ignore: ['x'] },
      'column 3 "cardNumber": expected no column for card numbers or verification values',
    ],
    ['of values as header', 'a.csv', '4111111111111111,x\n', {}, `column 1: ${UNKNOWN}`],
    ['of no header', 'a.csv', '', {}, 'a.csv:1: expected a header row that names the columns'],
    ['of a broken header', 'a.csv', '"a"b\n', {}, 'a.csv:1: expected a header row'],
    [
      'of a missing column in the mapping',
      'a.csv',
      good,
      { columns: { amount: 'Betrag' } },
      'expected a column "Betrag" for amount',
    ],
    [
      'of a column that the mapping leaves unused',
      'a.csv',
      good,
      { columns: { amount: { constant: '1' } } },
      `column 9 "amount": ${UNKNOWN}`,
    ],
    [
      'of an unknown zone',
      'a.csv',
      good,
      { timezone: 'Europe/Bonn' },
      'timezone: expected an IANA time zone',
    ],
    [
      'of a line without an end',
      'a.csv',
      `${header}\n${row}x${'x'.repeat(2 ** 21)}`,
      {},
      'a.csv:2: expected a row of at most 1024 KiB',
    ],
    ['of its file name', 'a.txt', good, {}, 'a.txt: expected a file named *.csv'],
    [
      'of an uncompressed file named .gz',
      'a.csv.gz',
      good,
      {},
      'a.csv.gz: cannot read the file as .gz: incorrect header check',
    ],
    [
      'of a truncated compressed file',
      'a.csv.zst',
      zstdCompressSync(good).subarray(0, -9),
      {},
      'a.csv.zst: cannot read the file as .zst',
    ],
    ['of false Parquet', 'a.parquet', good, {}, 'a.parquet: expected a Parquet file'],
  ])('because %s', async (_, name, text, mapping, expected) => {
    await expect(kit.importText(name, text, { mapping })).rejects.toThrow(expected)
    expect(await kit.value('SELECT count() AS value FROM transactions')).toBe('0')
  })

  test('because of a missing file, or a folder', async () => {
    for (const path of [join(kit.folder, 'none.csv'), kit.folder]) {
      await expect(kit.importPaths([path])).rejects.toThrow(path)
    }
  })

  test('because of Parquet with damaged pages', async () => {
    const path = join(kit.folder, 'damaged.parquet')
    await kit.engine.execute(
      "INSERT INTO FUNCTION file({path:String}, 'Parquet') SELECT number AS currency, 2 AS exponent FROM numbers(1000)",
      { path },
    )
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(255, 4, 1_000))
    await expect(kit.importPaths([path], { table: 'currencies' })).rejects.toThrow(
      /damaged\.parquet: the engine failed while it read this file \(ClickHouse error \d+\); nothing was imported$/,
    )
  })

  test('because the disk has too little free space', async () => {
    // The tables of an import have the settings of the ledger's table.
    const change = 'ALTER TABLE transactions'
    const setting = 'min_free_disk_bytes_to_perform_insert'
    await kit.engine.execute(`${change} MODIFY SETTING ${setting} = 1000000000000000`)
    try {
      await expect(kit.importText('a.csv', good)).rejects.toThrow(
        `The disk of ${kit.folder} has too little free space for this import. Free some, and import the same files again.`,
      )
    } finally {
      await kit.engine.execute(`${change} RESET SETTING ${setting}`)
    }
  })

  test('because of lists in Parquet', async () => {
    const path = join(kit.folder, 'lists.parquet')
    await kit.engine.execute(
      "INSERT INTO FUNCTION file({path:String}, 'Parquet') SELECT 1 AS a, [1] AS b",
      { path },
    )
    await expect(kit.importPaths([path])).rejects.toThrow(
      'expected columns of plain values, got "b.list.element"',
    )
  })
})

test('an import never reports more rows than it has to write', async () => {
  const versions = [1, 2].flatMap((number) => [
    transactionRow(number),
    transactionRow(number, { row_version: '2', amount: '11.50' }),
  ])
  const file = join(kit.folder, 'versions.csv')
  writeFileSync(file, csvOf(versions))
  const written: (readonly [number, number])[] = []
  const { taken } = await importFile(file, (step, rows, total) => {
    if (step === 'writing') written.push([rows, total])
  })
  expect(written.at(-1)).toEqual([taken, taken])
  expect(written.filter(([rows, total]) => rows > total)).toEqual([])
})

test('names a missing or empty file before missing currencies', async () => {
  await kit.empty('currencies')
  await expect(importFile(join(kit.folder, 'none.csv'), () => {})).rejects.toThrow(
    /none\.csv: expected a file$/,
  )
  const empty = join(kit.folder, 'empty.csv')
  writeFileSync(empty, '')
  await expect(importFile(empty, () => {})).rejects.toThrow(/empty\.csv:1: expected a header row/)
})
