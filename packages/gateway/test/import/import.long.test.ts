// Imports of more formats and tables. The short test imports one file of each kind.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importDelimited, type ImportKit, openImportKit } from '../kit/import-kit.ts'
import { type ExportedLedger, exportGeneratedLedger } from '../kit/generated-files.ts'

let kit: ImportKit
beforeAll(async () => {
  kit = await openImportKit()
})
afterAll(() => kit.close())

describe('an exported ledger that is imported again is the same', () => {
  let exported: ExportedLedger
  beforeAll(async () => {
    exported = await exportGeneratedLedger(kit)
  })

  test.each(['jsonl.gz', 'parquet.gz'])('from transactions.%s', async (ending) => {
    const { rows, contents, importAgain } = exported
    const content = contents.get('transactions')
    const expected = { rows, taken: rows, refusedRows: [], content }
    expect(await importAgain('transactions', ending)).toMatchObject(expected)
  })

  test.each(['endpoints', 'statements'] as const)('from %s.csv', async (table) => {
    const imported = await exported.importAgain(table, 'csv')
    expect(imported.taken).toBeGreaterThan(0)
    expect(imported).toMatchObject({ refusedRows: [], content: exported.contents.get(table) })
  })
})

test('accepts | as the delimiter', async () => {
  await kit.empty('transactions')
  const { texts, read, ...imported } = await importDelimited(kit, '|')
  expect(imported).toMatchObject({ taken: texts.length, refusedRows: [] })
  expect(read).toEqual(texts)
})
