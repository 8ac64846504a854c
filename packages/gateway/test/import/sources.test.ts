// @module-tag long

import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { importFiles } from '../../../ledger/src/import/import-files.ts'
import { LINES_PER_FILE } from '../../../ledger/src/import/source/stage-file.ts'
import { verifyLedger } from '../../../ledger/src/rules/verify-ledger.ts'
import {
  type ImportChange,
  ledgerAccess,
  ownSource,
  reasonsIn,
  useImportKit,
} from '../kit/import-kit.ts'

const kit = await useImportKit()
afterEach(() => kit.empty('transactions'))

/** The columns that every row needs, where a test is about others. */
const REST = `'sale' AS transaction_type, 'approved' AS status, 'EUR' AS currency, 'm' AS merchant_id`

/** Imports a file that has no refused row, and returns columns of its transactions. */
async function imported(
  name: string,
  text: string | Uint8Array,
  change: ImportChange,
  columns: string,
) {
  const { refusedRows, ...result } = await kit.importText(name, text, change)
  expect(refusedRows).toEqual([])
  return { ...result, read: await kit.select(columns) }
}

test('minor units become amounts by the exponent of the currency, which a source may change', async () => {
  const csv = 'id,cents,ccy\na,1042,EUR\nb,-1042,JPY\nc,1042,KWD\nd,1042,ISK\n'
  const change = {
    head: ['exponents: { ISK: 2 }', 'timezone: UTC'],
    select: `SELECT id AS transaction_id, abs(minor(cents, ccy)) AS amount, ccy AS currency, _line,
      '2026-10-01 10:00:00' AS created_at,
      ${REST.replace("'EUR' AS currency, ", '')} FROM file`,
  }
  await kit.engine.execute("INSERT INTO currencies VALUES ('ISK', 2)")
  const { read } = await imported('a.csv', csv, change, 'transaction_id, toString(amount)')
  expect(read).toEqual([
    ['a', '10.42'],
    ['b', '1042'],
    ['c', '1.042'],
    ['d', '10.42'],
  ])
})

test('an unknown currency, a lost digit and a time without a zone are refused with their lines', async () => {
  const csv =
    'id,cents,ccy,at\na,1042,ZZZ,2026-10-01T10:00:00Z\nb,10.425,EUR,2026-10-01T10:00:00Z\nc,1,EUR,2026-10-01 10:00:00\n'
  const { refusedRows } = await kit.importText('a.csv', csv, {
    head: [],
    select: `SELECT _line, id AS transaction_id, minor(cents, ccy) AS amount, ccy AS currency, at AS created_at,
      'sale' AS transaction_type, 'approved' AS status, 'm' AS merchant_id FROM file`,
  })
  expect(reasonsIn({ refusedRows })).toEqual([
    [2, 'amount: expected a value', expect.stringContaining('currency: expected a currency')],
    [3, expect.stringContaining('amount: expected')],
    [4, expect.stringContaining('created_at: expected a time with its zone')],
  ])
})

test('a zone may stand in a column, and times that clocks skip are refused', async () => {
  const csv =
    'id,at,zone\na,2026-07-01 12:00:00,Europe/Berlin\nb,2026-07-01 12:00:00.5,Asia/Tokyo\nc,2026-03-29 02:30:00,Europe/Berlin\nd,2026-07-01 12:00:00,Mars/Base\n'
  const { refusedRows } = await kit.importText('a.csv', csv, {
    head: [],
    select: `SELECT _line, id AS transaction_id, instant(at, zone) AS created_at, '1' AS amount, ${REST} FROM file`,
  })
  expect(refusedRows.map(({ line, id }) => [line, id])).toEqual([
    [4, 'c'],
    [5, 'd'],
  ])
  expect(await kit.select('created_at')).toEqual([
    ['2026-07-01 10:00:00.000'],
    ['2026-07-01 03:00:00.500'],
  ])
})

test('several rows may be one transaction, and rows that no SELECT reads are counted', async () => {
  const csv = 'tx,kind,money\n1,gross,10.00\n1,fee,0.30\n2,gross,5.00\n2,fee,0.10\n3,note,\n'
  const change = {
    head: [],
    select: `SELECT groupArray(_line) AS _line, tx AS transaction_id, '2026-10-01T10:00:00Z' AS created_at,
      maxIf(money, kind = 'gross') AS amount, maxIf(money, kind = 'fee') AS processor_fee,
      'EUR' AS settlement_currency, ${REST} FROM file WHERE kind != 'note' GROUP BY tx`,
  }
  const { read, leftOut } = await imported(
    'a.csv',
    csv,
    change,
    'toString(amount), toString(processor_fee)',
  )
  expect(read).toEqual([
    ['10', '0.3'],
    ['5', '0.1'],
  ])
  expect(leftOut).toEqual({ rows: 1, lines: [LINES_PER_FILE + 6] })
})

test('a file may have lines before its header, repeated names, and rows of any length', async () => {
  const csv = 'Report of October\n\nid;Amount;Amount;a "b"\nx;1.00;2.00;y\nTOTAL;1.00\n'
  const change = {
    head: ['delimiter: ";"', 'skipLines: 2', 'ragged: true'],
    select: `SELECT _line, if(id = 'TOTAL', 'total', '') AS _skip, id AS transaction_id, Amount_2 AS amount,
      \`a "b"\` AS purpose, '2026-10-01T10:00:00Z' AS created_at, ${REST} FROM file`,
  }
  const { read, skips } = await imported('a.csv', csv, change, 'toString(amount), purpose')
  expect(read).toEqual([['2', 'y']])
  expect(skips).toEqual([{ reason: 'total', rows: 1, first: LINES_PER_FILE + 5 }])
})

test.each([
  ['utf-16le', Buffer.from('\u{feff}id,name\n1,Zoë\n2,日本\n', 'utf16le')],
  ['windows-1252', Buffer.from('id,name\n1,Zo\xeb\n2,\x80\n', 'latin1')],
  ['utf-8', gzipSync('id,name\n1,Zoë\n2,日本\n')],
])('a text in %s is read', async (encoding, bytes) => {
  const change = {
    head: [`encoding: ${encoding}`],
    select: `SELECT _line, id AS transaction_id, name AS customer_name, '1' AS amount,
      '2026-10-01T10:00:00Z' AS created_at, ${REST} FROM file`,
  }
  const name = encoding === 'utf-8' ? 'a.csv.gz' : 'a.csv'
  const { read } = await imported(name, bytes, change, 'customer_name')
  expect(read).toEqual([['Zoë'], [encoding === 'windows-1252' ? '€' : '日本']])
})

test('JSON may be nested and of several lines, and a member that appears late has to be named', async () => {
  const rows = [
    { id: 'a', money: { value: 12.5, parts: [1, 2] } },
    { id: 'b', money: { value: 1 } },
  ]
  const select = `SELECT _line, id AS transaction_id, JSONExtractRaw(money, 'value') AS amount,
    '2026-10-01T10:00:00Z' AS created_at, ${REST} FROM file`
  const text = JSON.stringify(rows, undefined, 2)
  const { read } = await imported('a.json', text, { head: [], select }, 'toString(amount)')
  expect(read).toEqual([['12.5'], ['1']])
  const late = `${'{"id":"a","money":{"value":1}}\n'.repeat(40_000)}{"id":"b","late":1,"money":{"value":1}}`
  const failed = kit.importText('b.jsonl', late, { head: [], select })
  await expect(failed).rejects.toThrow('has the member late. Name it under "columns"')
})

test('instants of Parquet are UTC only if the file says so', async () => {
  const path = join(kit.folder, 'times.parquet')
  await kit.engine.execute(
    `INSERT INTO FUNCTION file({path:String}, 'Parquet') SELECT 'a' AS id, toDecimal64('1.5', 2) AS money,
      toDateTime64('2026-07-01 10:00:00.123456', 6, 'UTC') AS at`,
    { path },
  )
  const { refusedRows } = await kit.importPaths([path], {
    head: ['timezone: Europe/Berlin'],
    select: `SELECT _line, id AS transaction_id, money AS amount, at AS created_at, ${REST} FROM file`,
  })
  expect(refusedRows).toEqual([])
  expect(await kit.select('amount, created_at')).toEqual([[1.5, '2026-07-01 10:00:00.123']])
})

test('a lookup file names what a file only numbers', async () => {
  const lookup = join(kit.folder, 'shops.csv')
  writeFileSync(lookup, 'number,merchant\n7,shop-7\n')
  const change = {
    head: [`lookups: { shops: "${lookup}" }`],
    select: `SELECT _line, id AS transaction_id, shops.merchant AS merchant_id, '1' AS amount,
      '2026-10-01T10:00:00Z' AS created_at, 'sale' AS transaction_type, 'approved' AS status, 'EUR' AS currency
      FROM file LEFT JOIN shops ON file.shop = shops.number`,
  }
  const { taken, refusedRows } = await kit.importText('a.csv', 'id,shop\na,7\nb,8\n', change)
  expect([taken, reasonsIn({ refusedRows })]).toEqual([1, [[3, 'merchant_id: expected a value']]])
})

test('card numbers come in masked, and only their ends are kept', async () => {
  const csv = 'id,card\na,4111 11xx xxxx 1111\nb,411111******1111\nc,41111111****1111\nd,\n'
  const change = {
    head: [],
    select: `SELECT _line, id AS transaction_id, card_bin(card) AS bin, card_last4(card) AS last4, '1' AS amount,
      '2026-10-01T10:00:00Z' AS created_at, ${REST} FROM file`,
  }
  const { read } = await imported('a.csv', csv, change, 'bin, last4')
  expect(read).toEqual([
    ['411111', '1111'],
    ['411111', '1111'],
    ['41111111', '1111'],
    [null, null],
  ])
})

test('a source may refuse a row by a rule of its own, and the sums are those of accepted rows', async () => {
  const csv =
    'tx,side,money\n1,debit,10\n1,credit,10\n2,debit,5\n3,debit,7\n3,credit,7\n3,credit,7\n'
  const select = `SELECT groupArray(_line) AS _line, tx AS transaction_id, '2026-10-01T10:00:00Z' AS created_at,
    if(count() = 2, '', 'half of a transaction') AS _refuse, max(money) AS amount, ${REST} FROM file GROUP BY tx`
  const path = join(kit.folder, 'halves.csv')
  writeFileSync(path, csv)
  const { refusedRows, ...result } = await kit.importPaths([path], { head: [], select })
  expect(refusedRows.map(({ line, id, reasons }) => [line, id, ...reasons])).toEqual([
    [4, '2', 'half of a transaction'],
    [5, '3', 'half of a transaction'],
  ])
  expect(result).toMatchObject({ rows: 3, fileRows: 6, taken: 1 })
  expect(await trySource(path, { head: [], select })).toMatchObject({
    sums: [{ skip: '', type: 'sale', rows: 1, amount: '10' }],
    taken: 0,
    unchanged: 1,
  })
})

test('a try shows rows whose values have line ends, and quotes may be plain characters', async () => {
  const path = join(kit.folder, 'notes.tsv')
  writeFileSync(path, 'id\tnote\n1\t"Special" offer\n2\t"open\n3\tclose"\n')
  const select = `SELECT _line, id AS transaction_id, '2026-10-01T10:00:00Z' AS created_at, '1' AS amount,
    note AS order_description, ${REST} FROM file`
  const plain = await trySource(path, { head: ['delimiter: "\\t"', 'quotes: false'], select })
  expect(
    plain.sample.map(({ line, ours }) => [line % LINES_PER_FILE, ours['order_description']]),
  ).toEqual([
    [2, '"Special" offer'],
    [3, '"open'],
    [4, 'close"'],
  ])
  writeFileSync(path, 'id\tnote\n1\t"two\nlines"\n2\tnone\n')
  const { sample } = await trySource(path, { head: ['delimiter: "\\t"'], select })
  expect(sample.map(({ line, theirs }) => [line % LINES_PER_FILE, theirs['note']])).toEqual([
    [2, 'two\nlines'],
    [4, 'none'],
  ])
})

/** Tries a source. Changes nothing. */
async function trySource(path: string, change: ImportChange) {
  return await importFiles(ledgerAccess(kit.engine), {
    source: ownSource(change),
    files: [path],
    dataDir: kit.folder,
    sampleRows: 9,
    now: () => Date.parse('2027-01-01T00:00:00Z'),
  })
}

test('verify-ledger names rows whose ids are texts', async () => {
  const csv = 'id,of\nA-10,none\nA-9,none\n'
  const select = `SELECT _line, id AS transaction_id, of AS original_transaction_id, '2026-10-01T10:00:00Z' AS created_at,
    '1' AS amount, ${REST.replace('sale', 'refund')} FROM file`
  const { taken } = await kit.importText('a.csv', csv, { head: [], select })
  expect(taken).toBe(2)
  const faults = await verifyLedger(kit.engine, { severities: {}, tomorrowMs: Date.now() })
  expect(faults).toMatchObject([{ name: 'original_unknown', ids: ['A-9', 'A-10'] }])
})
