// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OWN_IDS } from '../../src/payments/orders.ts'
import { csvOf, type FileRow, reasonsIn, transactionRow, useImportKit } from '../kit/import-kit.ts'
import {
  cardFault,
  IN_IDENTIFIERS,
  IN_TEXT,
  NOT_IN_IDENTIFIERS,
  NOT_IN_TEXT,
  NUMBERS,
  WRONG,
} from './refused-values.cases.ts'

const kit = await useImportKit()

test('lists every invalid value with its line, and takes the other rows', async () => {
  const good = { order_description: 'one\ntwo', fx_rate: '1.00000000', settlement_currency: '' }
  // A good row of two lines before each bad row: line numbers are those of the file.
  const rows = WRONG.flatMap(([change], index) => [
    transactionRow(1000 + index, good),
    transactionRow(index, change),
  ])
  const { refusedRows, ...counts } = await kit.importText('wrong.csv', csvOf(rows))
  expect(reasonsIn({ refusedRows })).toEqual(
    WRONG.map(([, ...reasons], index) => [4 + 3 * index, ...reasons]),
  )
  expect(refusedRows.map(({ id }) => id)).toEqual(
    WRONG.map(([change], index) =>
      'transaction_id' in change ? '' : transactionRow(index)['transaction_id'],
    ),
  )
  expect(counts).toMatchObject({
    rows: 2 * WRONG.length,
    taken: WRONG.length,
    refused: WRONG.length,
    unchanged: 0,
    older: 0,
  })
  expect(await kit.value('SELECT uniqExact(transaction_id) AS value FROM transactions')).toBe(
    String(WRONG.length),
  )
})

test('compares rows without a fault of their own with the ledger and with each other', async () => {
  const KEY = 'merchant_id, created_at, transaction_type'
  const OTHER_KEY = `${KEY}: expected the values that the ledger has for this transaction_id, which never change`
  const KEYS_DIFFER = `${KEY}: expected the same in every row of this transaction_id`
  const OTHER_CONTENT =
    'row_version: expected a higher value than in the ledger, because the content of this transaction_id differs'
  const CONTENTS_DIFFER = 'row_version: expected one row, or the same content in every row'
  const at = (number: number, change: FileRow = {}) => transactionRow(10_000 + number, change)
  const versions = [1, 2, 3, 4, 5, 6].map((number) => at(number, { row_version: '5' }))
  await kit.importText('before.csv', csvOf(versions))
  const rows: readonly (readonly [FileRow, string?])[] = [
    // Ids that the ledger has.
    [at(1, { row_version: '6', merchant_id: '2' }), OTHER_KEY],
    [at(1, { row_version: '4', created_at: '2026-10-01 10:00:00.001' }), OTHER_KEY],
    [at(1, { row_version: '6', created_at: '2024-01-31 10:00:00.000' }), OTHER_KEY],
    [at(2, { row_version: '5', status: 'declined' }), OTHER_CONTENT],
    [at(2, { row_version: '5' })],
    [at(3, { row_version: '4', status: 'declined' })],
    [at(4, { row_version: '6', status: 'declined' })],
    [at(5, { row_version: '7', status: 'declined' }), CONTENTS_DIFFER],
    [at(5, { row_version: '7', status: 'error' }), CONTENTS_DIFFER],
    [at(5, { row_version: '6', status: 'filtered' })],
    [at(6, { row_version: '8', merchant_id: '2' }), OTHER_KEY],
    [at(6, { row_version: '8' })],
    // Ids that the ledger does not have.
    [at(11, {}), KEYS_DIFFER],
    [at(11, { row_version: '2', merchant_id: '2' }), KEYS_DIFFER],
    [at(12, {}), CONTENTS_DIFFER],
    [at(12, { amount: '10.51' }), CONTENTS_DIFFER],
    [at(13, { status: 'processing' })],
    [at(13, { row_version: '2' })],
    [at(13, { row_version: '2' })],
  ]
  const { refusedRows, ...counts } = await kit.importText(
    'after.csv',
    csvOf(rows.map(([row]) => row)),
  )
  const expected = rows.flatMap(([, reason], index) => (reason ? [[index + 2, reason]] : []))
  expect(reasonsIn({ refusedRows })).toEqual(expected)
  expect(counts).toMatchObject({ rows: 19, taken: 4, unchanged: 2, older: 2, refused: 11 })
  const [one, last] = [10_001, 10_013].map((number) => transactionRow(number)['transaction_id'])
  const from = `(SELECT concat(right(transaction_id, 2), ' ', toString(row_version), ' ', status) AS row
      FROM transactions FINAL WHERE transaction_id BETWEEN '${one}' AND '${last}' ORDER BY transaction_id)`
  const versions5 = ['01 5 approved', '02 5 approved', '03 5 approved']
  const later = ['04 6 declined', '05 6 filtered', '06 8 approved', '13 2 approved']
  expect(await kit.select('row', from)).toEqual([...versions5, ...later].map((row) => [row]))
})

test('refuses the ids of orders that the gateway assigns itself', async () => {
  const { first, last } = OWN_IDS
  const wrong = [
    { transaction_id: String(first) },
    { order_id: String(last) },
    { order_id: String(first + 21n) },
  ]
  const fine = [
    { transaction_id: String(last + 1n), order_id: String(first - 1n) },
    { transaction_id: '2120000000000000000', order_id: '2120000000000000001' },
    { original_transaction_id: String(first + 1n) },
  ]
  const rows = [...wrong, ...fine].map((change, at) => transactionRow(60_000 + at, change))
  const change = { reservedIds: OWN_IDS }
  const { refusedRows, taken } = await kit.importText('ids.csv', csvOf(rows), change)
  const reason = `expected an id outside ${first} to ${last}, the ids of this sandbox's form operations`
  expect(refusedRows.map(({ reasons }) => reasons)).toEqual(
    wrong.map((row) => [`${Object.keys(row)[0]}: ${reason}`]),
  )
  expect(taken).toBe(fine.length)
})

test('what looks like a card number is refused in texts and identifiers, each by its rule, and never printed', async () => {
  const text = (value: string) => ({ order_description: value })
  const identifier = (value: string) => ({ client_order_id: value })
  const cards = [
    ...IN_TEXT.map(text),
    ...IN_IDENTIFIERS.map((value) => identifier(`A-${value}`)),
    { phone: '4111 1111 1111 1111' },
  ]
  const fine = [
    ...NOT_IN_TEXT.map(text),
    ...NOT_IN_IDENTIFIERS.map(identifier),
    { phone: '4222222222222' },
  ]
  const rows = [...cards, ...fine].map((change, index) => transactionRow(30_000 + index, change))
  const { refusedRows, taken } = await kit.importText('cards.csv', csvOf(rows))
  expect(refusedRows.map(({ line }) => line)).toEqual(cards.map((_, index) => index + 2))
  expect(new Set(refusedRows.flatMap(({ reasons }) => reasons))).toEqual(
    new Set(['order_description', 'client_order_id', 'phone'].map(cardFault)),
  )
  expect(taken).toBe(fine.length)
  for (const number of NUMBERS) expect(JSON.stringify(refusedRows)).not.toContain(number)
  const named = transactionRow(0, { transaction_id: NUMBERS[0], amount: 'x' })
  const listed = await kit.importText('cards.csv', csvOf([named]))
  expect(listed.refusedRows.map(({ id }) => id)).toEqual(['411111******1111'])
})

describe('rows that cannot be read', () => {
  const good = (number: number) => csvOf([transactionRow(40_000 + number)]).split('\n')[1] ?? ''

  test('of CSV are refused with their lines, for more or fewer fields', async () => {
    const [header = ''] = csvOf([transactionRow(0)]).split('\n')
    const lines = [
      header,
      good(1),
      `${good(2)},`,
      good(3).split(',').slice(0, -1).join(','),
      '',
      good(4).replace('ORD', 'O\r\nRD'),
      good(5).replaceAll('"', ''),
      '"',
      `"${good(6).slice(1)}`,
    ]
    const text = lines.filter((line) => line !== '"').join('\n')
    const { refusedRows, rows, taken } = await kit.importText('broken.csv', text)
    expect(refusedRows.map(({ line, reasons, id }) => [line, ...reasons, id])).toEqual([
      [3, 'expected as many fields as the header has, got more', ''],
      [4, 'expected as many fields as the header has, got fewer', ''],
    ])
    expect([rows, taken]).toEqual([6, 4])
  })

  test.each([
    ['a.csv', `${good(1)}x`, ':2: this is not valid CSV'],
    ['a.jsonl', '{"transaction_id":1,}', 'row 1: this is not valid JSON'],
    ['a.jsonl', '[1]', 'expected 1 to 2000 columns, got 0'],
  ])('of %s end the import, if no row can begin after them: %j', async (name, row, expected) => {
    const text = name.endsWith('csv')
      ? `${csvOf([transactionRow(0)]).split('\n')[0]}\n${row}\n`
      : row
    await expect(kit.importText(name, text)).rejects.toThrow(expected)
  })

  test('are refused for bytes that are not UTF-8, and for their length', async () => {
    const latin = { client_order_id: '\u00ff', order_description: 'x'.repeat(2 ** 20 - 500) }
    const long = { order_description: 'x'.repeat(2 ** 20) }
    const rows = [latin, long, {}].map((change, at) => transactionRow(42_000 + at, change))
    const paths = ['a.csv', 'a.jsonl'].map((name) => join(kit.folder, name))
    const texts = [csvOf(rows), rows.map((row) => JSON.stringify(row)).join('\n')]
    for (const [at, path] of paths.entries()) writeFileSync(path, texts[at] ?? '', 'latin1')
    const { refusedRows, ...counts } = await kit.importPaths(paths)
    expect(refusedRows.map(({ file, line, reasons }) => [file, line, ...reasons])).toEqual([
      [paths[0], 2, 'client_order_id: expected text in UTF-8'],
      [paths[0], 3, 'expected a row of at most 1024 KiB'],
      [paths[1], 1, 'client_order_id: expected text in UTF-8'],
      [paths[1], 2, 'expected a row of at most 1024 KiB'],
    ])
    expect(counts).toMatchObject({ rows: 6, taken: 1, unchanged: 1, older: 0, refused: 4 })
  })
})
