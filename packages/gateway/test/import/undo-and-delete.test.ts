// @module-tag long

import { beforeEach, expect, test } from 'vitest'
import { listImports, rowsBefore } from '../../../ledger/src/import/import-records.ts'
import {
  countRowsToDelete,
  type DeletedRows,
  deleteRows,
  undoImport,
} from '../../../ledger/src/import/undo-and-delete.ts'
import { csvOf, ledgerAccess, useImportKit, transactionRow } from '../kit/import-kit.ts'
import { mortal } from '../kit/mortal.ts'

const kit = await useImportKit()
beforeEach(async () => {
  for (const table of ['transactions', 'statements', 'merchants'] as const) await kit.empty(table)
})

const access = () => ledgerAccess(kit.engine)
const newestId = async () => (await listImports(kit.engine, { most: 1 }))[0]?.id ?? 0
const undo = async (id: number) => await undoImport(access(), id)

async function importRows(...rows: Parameters<typeof csvOf>[0]): Promise<number> {
  await kit.importText('rows.csv', csvOf(rows))
  return await newestId()
}

test('lists each import that wrote or refused rows, and no other', async () => {
  const id = await importRows(transactionRow(1), transactionRow(2, { status: 'x' }))
  expect(await importRows(transactionRow(1))).toBe(id)
  expect(await listImports(kit.engine, { most: 1 })).toEqual([
    {
      id,
      source: 'own',
      table: 'transactions',
      importedAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/),
      files: ['rows.csv'],
      taken: 1,
      unchanged: 0,
      older: 0,
      refused: 1,
      replaced: 0,
      isUndone: false,
      isForced: false,
    },
  ])
  expect(await importRows(transactionRow(3, { status: 'x' }))).toBe(id + 1)
  expect(await listImports(kit.engine, { most: 1 })).toMatchObject([{ taken: 0, refused: 1 }])
})

test('undoes imports, the newest first', async () => {
  const first = await importRows(transactionRow(1), transactionRow(2))
  const afterFirst = await kit.contentOf('transactions')
  const newer = { row_version: '2', status: 'declined' }
  const second = await importRows(transactionRow(2, newer), transactionRow(3))
  // A merge removes the replaced version from the table.
  await kit.engine.execute('OPTIMIZE TABLE transactions FINAL')
  await expect(undo(first)).rejects.toThrow(
    `Cannot undo import ${first}. A later import or deletion changed 1 of its 2 rows. Undo the later imports first`,
  )
  const stamp = await kit.value('SELECT max(loaded_at) AS value FROM transactions')
  expect(await undo(second)).toMatchObject({ taken: 2, replaced: 1 })
  expect(await kit.contentOf('transactions')).toBe(afterFirst)
  // A caller that asks for changes gets the row that is back.
  const back = 'SELECT max(loaded_at) AS value FROM transactions FINAL'
  expect((await kit.value(back)) > stamp).toBe(true)
  await expect(undo(second)).rejects.toThrow('It is undone already')
  await expect(undoImport(access(), first, '2026-10-02')).rejects.toThrow('--into-closed')
  await undoImport(access(), first, '2026-10-01')
  expect(await kit.value('SELECT count() AS value FROM transactions')).toBe('0')
  await expect(undo(9_999)).rejects.toThrow('The ledger has no such import')
  // The rows can be imported again.
  expect(await importRows(transactionRow(2))).toBe(second + 1)
})

test('undoes an import of names, and reports show the former name', async () => {
  const names = (name: string) =>
    `merchant_id,name,login,company_id,manager_id,reseller_id,timezone,mcc\n1,${name},"",1,1,,UTC,5999\n`
  await importRows(transactionRow(1))
  const shown = 'SELECT any(merchant_name) AS value FROM transactions'
  for (const name of ['First', 'Second']) {
    await kit.importText('names.csv', names(name), { table: 'merchants' })
    expect(await kit.value(shown)).toBe(name)
  }
  await undo(await newestId())
  expect(await kit.value(shown)).toBe('First')
})

test('completes an undo whose process died', async () => {
  const statements = [/ALTER TABLE transactions DELETE/, /INSERT INTO transactions/, /DICTIONARIES/]
  for (const stop of statements) {
    await kit.empty('transactions')
    await importRows(transactionRow(1), transactionRow(2))
    const before = await kit.contentOf('transactions')
    const id = await importRows(transactionRow(2, { row_version: '2', status: 'error' }))
    const dying = ledgerAccess(mortal(kit.engine, stop))
    await expect(undoImport(dying, id)).rejects.toThrow('dead')
    const { imports } = access()
    await imports.begin()
    await imports.end()
    expect([stop, await kit.contentOf('transactions')]).toEqual([stop, before])
    await expect(undo(id)).rejects.toThrow('It is undone already')
  }
})

async function deleteChosen(chosen: DeletedRows) {
  const counts = await countRowsToDelete(kit.engine, chosen)
  await deleteRows(access(), chosen)
  return counts.get('transactions')
}

test('deletes the rows of a merchant, or those before a day', async () => {
  await importRows(
    transactionRow(1),
    transactionRow(2, { merchant_id: '2' }),
    transactionRow(3, {
      created_at: '2026-09-30 23:59:59.999',
      processed_at: '2026-10-05 10:00:00',
    }),
  )
  expect(await deleteChosen({ before: '2026-10-01' })).toBe(1)
  expect(await kit.select('client_order_id')).toEqual([['ORD-1'], ['ORD-2']])
  const days = 'SELECT countDistinct(toDate32(created_at)) AS value FROM transactions'
  expect(await kit.value(days)).toBe('1')
  expect(await deleteChosen({ merchant: '2' })).toBe(1)
  expect(await kit.select('client_order_id')).toEqual([['ORD-1']])
})

test('deletes also the rows that an import replaced', async () => {
  const rows = (change: Readonly<Record<string, string>>) => [
    transactionRow(1, change),
    transactionRow(2, { merchant_id: '2', ...change }),
    transactionRow(3, { merchant_id: '3', ...change }),
  ]
  await importRows(...rows({}))
  const id = await importRows(...rows({ row_version: '2', status: 'declined' }))
  const kept = `(SELECT * FROM ${rowsBefore(id)} ORDER BY merchant_id)`
  expect(await kit.select('merchant_id', kept)).toEqual([['1'], ['2'], ['3']])
  await deleteChosen({ merchant: '2' })
  expect(await kit.select('merchant_id', kept)).toEqual([['1'], ['3']])
})
