// @module-tag long

// Imports of more formats and tables. The short test imports one file of each kind.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  csvOf,
  importDelimited,
  type ImportKit,
  openImportKit,
  transactionRow,
} from '../kit/import-kit.ts'
import { type ExportedLedger, exportGeneratedLedger } from '../kit/generated-files.ts'
import { STATEMENTS, statementsOf, TWIN } from './statements.cases.ts'

let kit: ImportKit
beforeAll(async () => {
  kit = await openImportKit()
})
afterAll(() => kit.close())

describe('an exported ledger that is imported again is the same', () => {
  let exported: ExportedLedger
  beforeAll(async () => {
    exported = await exportGeneratedLedger(kit, [
      'csv',
      'csv.gz',
      'jsonl.gz',
      'jsonl.zst',
      'parquet.gz',
    ])
  })

  test.each(['jsonl.gz', 'parquet.gz'])('from transactions.%s', async (ending) => {
    const { rows, contents, importAgain } = exported
    const content = contents.get('transactions')
    const expected = { rows, taken: rows, refusedRows: [], content }
    expect(await importAgain('transactions', ending)).toMatchObject(expected)
  })

  test.each(['merchants', 'endpoints', 'statements'] as const)('from %s.csv', async (table) => {
    const imported = await exported.importAgain(table, 'csv')
    expect(imported.taken).toBeGreaterThan(0)
    expect(imported).toMatchObject({ refusedRows: [], content: exported.contents.get(table) })
  })

  test('and importing a file twice changes nothing, not even a part of a table', async () => {
    const { rows, path } = exported
    await kit.empty('transactions')
    const paths = ['csv', 'csv.gz'].map((ending) => path('transactions', ending))
    expect(await kit.importPaths(paths)).toMatchObject({ taken: rows, unchanged: rows })
    const parts = `SELECT arrayStringConcat(arraySort(groupArray((name, rows, hash_of_all_files)::String))) AS value
      FROM system.parts WHERE active AND table = 'transactions'`
    const [content, files] = [await kit.contentOf('transactions'), await kit.value(parts)]
    const again = await kit.importPaths([path('transactions', 'jsonl.zst')])
    expect(again).toMatchObject({ rows, taken: 0, unchanged: rows })
    expect([await kit.contentOf('transactions'), await kit.value(parts)]).toEqual([content, files])
  })
})

test.each(['|', '\t'])('accepts %j as the delimiter', async (delimiter) => {
  await kit.empty('transactions')
  const { texts, read, ...imported } = await importDelimited(kit, delimiter)
  expect(imported).toMatchObject({ taken: texts.length, refusedRows: [] })
  expect(read).toEqual(texts)
})

test('statements never change', async () => {
  const statements = (closing: string) =>
    `statement_id,merchant_id,project_id,currency,business_day,opening,payable,paid_out,closing,company_id,manager_id\n900001,1,1,EUR,2026-10-01,0,${closing},0,${closing},1,1\n`
  const table = 'statements'
  await kit.empty(table)
  expect(await kit.importText('a.csv', statements('10.5'), { table })).toMatchObject({ taken: 1 })
  expect(await kit.importText('a.csv', statements('10.50'), { table })).toMatchObject({
    unchanged: 1,
  })
  expect((await kit.importText('a.csv', statements('10.51'), { table })).refusedRows).toMatchObject(
    [
      {
        id: '900001',
        reasons: [
          'statement_id: expected the content that the ledger has for it, which never changes',
        ],
      },
    ],
  )
})

test('a project has one statement for a day and currency, also one that the ledger has', async () => {
  const table = 'statements'
  await kit.empty(table)
  expect(await kit.importText('a.csv', STATEMENTS, { table })).toMatchObject({ taken: 3 })
  const second = statementsOf(
    '910007,1,1,EUR,2026-10-02,6.5,0,0,6.5',
    '910008,1,2,EUR,2026-10-02,0,0,0,0',
  )
  const { refusedRows } = await kit.importText('a.csv', second, { table })
  expect(refusedRows.map(({ id, reasons }) => [id, ...reasons])).toEqual([['910007', TWIN]])
  const ids =
    "SELECT arrayStringConcat(arraySort(groupArray(toString(statement_id))), ' ') AS value FROM statements"
  expect(await kit.value(ids)).toBe('910001 910002 910003 910008')
  expect(await kit.importText('a.csv', STATEMENTS, { table })).toMatchObject({
    unchanged: 3,
    refused: 3,
  })
  await kit.empty(table)
})

test('what looks like a card number is accepted in a column that the mapping exempts', async () => {
  const row = transactionRow(31_000, { client_order_id: '4111111111111111' })
  const mapping = { notCardNumbers: ['client_order_id'] }
  expect(await kit.importText('cards.csv', csvOf([row]), { mapping })).toMatchObject({ taken: 1 })
})
