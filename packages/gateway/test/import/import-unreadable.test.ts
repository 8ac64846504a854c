import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { csvOf, type ImportKit, openImportKit, transactionRow } from '../kit/import-kit.ts'

const VALUE = 'expected a value'

let kit: ImportKit
beforeAll(async () => {
  kit = await openImportKit()
})
afterAll(async () => {
  await kit.close()
})

describe('rows that cannot be read', () => {
  const good = (number: number) => csvOf([transactionRow(40_000 + number)]).split('\n')[1] ?? ''
  const columns = Object.keys(transactionRow(0)).length

  test('of CSV are listed with their lines', async () => {
    const [header = ''] = csvOf([transactionRow(0)]).split('\n')
    const lines = [
      header,
      good(1),
      `${good(2)},`,
      good(3).slice(0, -4),
      `${good(4)}x`,
      '',
      good(5).replace('ORD', '"ORD'),
      good(6).replace('ORD', 'O\r\nRD'),
      good(7).replaceAll('"', ''),
      good(8).replace('"10.50"', '10.50\r'),
      good(9),
      good(10).replace('"ORD', '"ORD"" x'),
      good(11).replace(/"$/, ''),
    ]
    const { refusedRows, ...counts } = await kit.importText('broken.csv', lines.join('\n'))
    expect(
      refusedRows.map(({ line, lastLine, reasons, id }) => [line, lastLine, ...reasons, id]),
    ).toEqual([
      [3, 3, `expected ${columns} columns, got ${columns + 1}`, ''],
      [4, 4, `expected ${columns} columns, got ${columns - 1}`, ''],
      [5, 5, 'expected a delimiter or a line end after a closing quote', ''],
      [7, 7, 'expected a delimiter or a line end after a closing quote', ''],
      [11, 11, 'expected an LF after a CR outside of quotes', ''],
      [14, 14, 'expected a closing quote', ''],
    ])
    expect(counts).toEqual({ rows: 11, taken: 5, unchanged: 0, older: 0, refused: 6 })
  })

  test('of JSON lines are listed too', async () => {
    const row = transactionRow(41_000)
    const lines = [
      JSON.stringify(row),
      '{"transaction_id":1,}',
      '[1]',
      'null',
      JSON.stringify({ ...row, order_description: { a: 1 } }),
      JSON.stringify({ ...row, colour: 'blue' }),
      JSON.stringify({ ...row, '4111111111111111': 'x' }),
      JSON.stringify({ ...row, cardNumber: '' }),
      '',
      `${JSON.stringify(row).slice(0, -1)},"amount":"9.99"}`,
      '{"order_description":"\\ud800"}',
      '{}',
    ]
    const { refusedRows, ...counts } = await kit.importText('broken.jsonl', lines.join('\r\n'))
    const plain = 'expected a JSON object of texts, numbers, true, false and null'
    expect(refusedRows.map(({ line, reasons }) => [line, ...reasons])).toEqual([
      [2, plain],
      [3, plain],
      [4, plain],
      [5, plain],
      [6, 'expected no column colour'],
      [7, 'expected no column of this name'],
      [8, 'expected no column for card numbers or verification values'],
      [10, 'expected each column once'],
      [11, 'expected text in UTF-8'],
      [12, ...Object.keys(row).map((name) => `${name}: ${VALUE}`)],
    ])
    expect(counts).toMatchObject({ rows: 11, taken: 1, refused: 10 })
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
      [paths[1], 1, 'expected text in UTF-8'],
      [paths[1], 2, 'expected a row of at most 1024 KiB'],
    ])
    expect(counts).toEqual({ rows: 6, taken: 1, unchanged: 1, older: 0, refused: 4 })
  })
})
