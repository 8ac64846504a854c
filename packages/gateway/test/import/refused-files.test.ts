// @module-tag long

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { importFiles, type ImportOptions } from '../../../ledger/src/import/import-files.ts'
import {
  csvOf,
  type ImportChange,
  useImportKit,
  ownSource,
  transactionRow,
  ledgerAccess,
} from '../kit/import-kit.ts'

const kit = await useImportKit()

function importFile(file: string, onProgress: NonNullable<ImportOptions['onProgress']>) {
  return importFiles(ledgerAccess(kit.engine), {
    files: [file],
    source: ownSource(),
    dataDir: kit.folder,
    refusedFile: join(kit.folder, 'refused.csv'),
    onProgress,
  })
}

describe('an import is refused completely, and leaves nothing,', () => {
  const good = csvOf([transactionRow(1)])
  test.each<[string, string | Uint8Array, string, ImportChange?]>([
    [
      'a.csv',
      good.replace('amount', 'amuont'),
      'own.sql: the SELECT returns amuont, which is no column of the ledger (did you mean "amount"?)',
    ],
    ['a.csv', good.replace('amount', 'purpose'), 'own.sql: the SELECT returns no column amount'],
    [
      'a.csv',
      good,
      'the engine refuses the SELECT (UNKNOWN_IDENTIFIER): Unknown expression identifier `Betrag`',
      { select: 'SELECT *, Betrag AS net_amount FROM file' },
    ],
    [
      'a.csv',
      good,
      'own.sql:3: the engine refuses the SELECT (SYNTAX_ERROR)',
      { select: 'SELEC * FROM file' },
    ],
    [
      'a.csv',
      good,
      'amount: Nullable(Float64) is not exact. Use text, a Decimal or minor(amount, currency)',
      { select: 'SELECT * REPLACE (toFloat64(amount) AS amount) FROM file' },
    ],
    [
      'a.csv',
      good,
      'own.sql:3: the SELECT failed in the function toUInt8 (CANNOT_PARSE_TEXT). Functions such as toDateOrNull',
      {
        select:
          'SELECT * REPLACE (toUInt8(assumeNotNull(client_order_id)) AS client_order_id) FROM file',
      },
    ],
    ['a.csv', '', 'a.csv:1: expected a header row'],
    ['a.csv', '"a"b\n', 'a.csv:1: expected a header row'],
    ['a.csv', good, 'timezone: expected an IANA time zone', { head: ['timezone: Europe/Bonn'] }],
    ['a.xls', good, 'a.xls: expected a name that ends with .csv'],
    ['a.csv.gz', good, 'a.csv.gz: cannot read the file as .gz: incorrect header check'],
    [
      'a.csv.zst',
      zstdCompressSync(good).subarray(0, -9),
      'a.csv.zst: cannot read the file as .zst',
    ],
    [
      'a.csv.zst',
      Buffer.concat([zstdCompressSync(good), zstdCompressSync(good)]),
      'a.csv.zst: the file has several parts',
    ],
    ['a.parquet', good, 'a.parquet: expected a Parquet file'],
    [
      'a.csv',
      `${Array.from({ length: 10_000 }, (_, at) => `c${at}`).join()}\n`,
      'a.csv: expected 1 to 2000 columns, got 10000',
    ],
  ])('because of %s, case %$', async (name, text, expected, change) => {
    await expect(kit.importText(name, text, change)).rejects.toThrow(expected)
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
