import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFiles, type ImportOptions } from '../../src/import/import-files.ts'
import { mappingSchema } from '../../src/import/mapping.ts'
import { csvOf, type ImportKit, openImportKit, transactionRow } from '../kit/import-kit.ts'

let kit: ImportKit
beforeAll(async () => {
  kit = await openImportKit()
})
afterAll(() => kit.close())

function importFile(file: string, onProgress: NonNullable<ImportOptions['onProgress']>) {
  return importFiles(kit.engine, {
    files: [file],
    table: 'transactions',
    mapping: mappingSchema('transactions').parse({}),
    folder: join(kit.folder, 'import'),
    refusedFile: join(kit.folder, 'refused.csv'),
    onProgress,
  })
}

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
