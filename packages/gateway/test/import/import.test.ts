import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LINES_PER_FILE } from '../../../ledger/src/import/source/stage-file.ts'
import { csvOf, type FileRow, reasonsIn, transactionRow, useImportKit } from '../kit/import-kit.ts'
import { type ExportedLedger, exportGeneratedLedger } from './generated-files.ts'

const kit = await useImportKit()
afterEach(() => kit.empty('transactions'))

/** The reason of a refused statement whose project has another one for its day and currency. */
const TWIN =
  'project_id, business_day, currency: expected no other statement_id with the same values (rule statement_twin)'

const STATEMENT_COLUMNS =
  'statement_id,merchant_id,project_id,currency,business_day,opening,payable,paid_out,closing,company_id,manager_id'

/** Writes a file of statements. */
function statementsOf(...rows: readonly string[]): string {
  return [STATEMENT_COLUMNS, ...rows.map((row) => `${row},1,1`), ''].join('\n')
}

/** Three statements, one with a wrong sum, and two of the same day. */
const STATEMENTS = statementsOf(
  '910001,1,1,EUR,2026-10-01,0,10.5,4,6.5',
  '910002,1,1,USD,2026-10-01,0,10.5,4,6.5',
  '910003,1,1,EUR,2026-10-02,6.5,-10,0,-3.5',
  '910004,1,1,EUR,2026-10-03,-3.5,10,0,6',
  '910005,1,1,EUR,2026-10-04,6,1,0,7',
  '910006,1,1,EUR,2026-10-04,7,1,0,8',
)

describe('an exported ledger that is imported again is the same', () => {
  let exported: ExportedLedger
  beforeAll(async () => {
    exported = await exportGeneratedLedger(kit)
  })

  for (const [table, ending] of [
    ['transactions', 'csv.zst'],
    ['transactions', 'jsonl.gz'],
    ['transactions', 'parquet'],
    ['merchants', 'csv'],
    ['endpoints', 'csv'],
    ['statements', 'csv'],
  ] as const) {
    const tags = ending === 'parquet' ? [] : ['long']
    test(`from ${table}.${ending}`, { tags }, async () => {
      const imported = await exported.importAgain(table, ending)
      expect(imported.taken).toBeGreaterThan(0)
      expect(imported).toMatchObject({ refusedRows: [], content: exported.contents.get(table) })
    })
  }

  test('and importing a file twice changes nothing, not even a part of a table', {
    tags: ['long'],
  }, async () => {
    const { rows, path } = exported
    await kit.empty('transactions')
    const paths = ['csv.zst', 'jsonl.gz'].map((ending) => path('transactions', ending))
    expect(await kit.importPaths(paths)).toMatchObject({ taken: rows, unchanged: rows })
    const parts = `SELECT arrayStringConcat(arraySort(groupArray((name, rows, hash_of_all_files)::String))) AS value
      FROM system.parts WHERE active AND table = 'transactions'`
    const [content, files] = [await kit.contentOf('transactions'), await kit.value(parts)]
    const again = await kit.importPaths([path('transactions', 'parquet')])
    expect(again).toMatchObject({ rows, taken: 0, unchanged: rows })
    expect([await kit.contentOf('transactions'), await kit.value(parts)]).toEqual([content, files])
  })
})

test('a source names columns, constants, a zone, and the format of days', async () => {
  const { order_id, client_order_id, status: _, row_version: __, ...rest } = transactionRow(1)
  const { transaction_id, created_at: ___, updated_at: ____, ...same } = rest
  const row = {
    ...same,
    Id: transaction_id,
    'O\'Brien`s "order"; --': order_id,
    client_order_id,
    created_at: '01.10.2026 10:00:00',
    'bank day': '29.02.2024',
    note: 'left out',
  }
  const names = Object.keys(same).join(', ')
  const text = `\u{feff}${csvOf([row], ';').replaceAll('\n', '\r\n')}`
  const change = {
    head: ['delimiter: ";"', 'timezone: Europe/Berlin', 'days: DD.MM.YYYY'],
    select: `SELECT _line, Id AS transaction_id, \`O'Brien\\\`s "order"; --\` AS order_id, client_order_id,
      created_at, created_at AS updated_at, \`bank day\` AS bank_date, 'declined' AS status,
      'it\\'s \\\\ \\';--' AS descriptor, ${names} FROM file -- the end`,
  }
  expect(await kit.importText('mapped.CSV', text, change)).toMatchObject({ taken: 1 })
  const times = 'created_at, updated_at, toString(row_version)'
  const columns = `transaction_id, order_id, ${times}, bank_date, status, descriptor`
  const at = '2026-10-01 08:00:00.000'
  expect(await kit.select(columns)).toEqual([
    [
      '1000000000000000001',
      '7001',
      at,
      at,
      '1790841600000',
      '2024-02-29',
      'declined',
      "it's \\ ';--",
    ],
  ])
})

/** A file of CSV and one of JSON, both with all rows. */
const inBoth = (rows: readonly FileRow[]) => ({
  'rows.csv': csvOf(rows),
  'rows.jsonl': rows.map((row) => JSON.stringify(row)).join('\n'),
})

describe('files', { tags: ['long'] }, () => {
  test('of several formats and orders of columns are one import', async () => {
    const rows = [1, 2, 3].map((number) => transactionRow(number))
    const folder = join(kit.folder, "it's {a,b} * files?")
    mkdirSync(folder, { recursive: true })
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const turned = Object.fromEntries(Object.entries(rows[1] ?? {}).toReversed())
    const paths = [
      write('[1].csv', csvOf(rows.slice(0, 1))),
      write('2.csv', csvOf([turned])),
      write(
        '$(3).ndjson',
        `${JSON.stringify(rows[2])}\n\n${JSON.stringify({ ...rows[2], amount: '1' })}`,
      ),
    ]
    const { refusedRows, ...counts } = await kit.importPaths(paths)
    expect(counts).toMatchObject({ rows: 4, taken: 2, unchanged: 0, older: 0, refused: 2 })
    expect(refusedRows.map(({ file, line }) => [file, line])).toEqual([
      [paths[2], 1],
      [paths[2], 2],
    ])
    await kit.engine.execute(
      `INSERT INTO FUNCTION file({path:String}, 'Parquet') SELECT * EXCEPT loaded_at FROM transactions`,
      { path: join(kit.folder, 'p.parquet') },
    )
    const parquet = write("4' {x}*.parquet", '')
    writeFileSync(parquet, readFileSync(join(kit.folder, 'p.parquet')))
    expect(await kit.importPaths([parquet])).toMatchObject({ rows: 2, unchanged: 2, refused: 0 })
  })

  test('keep every digit of a number, in JSON too', async () => {
    const { amount: _, ...row } = transactionRow(1, { transaction_id: undefined })
    const text = JSON.stringify(row).replace(
      '{',
      '{"transaction_id":9223372036854775807,"amount":9007199254740993.15,"error_code":-7,',
    )
    expect((await kit.importText('digits.jsonl', text)).refusedRows).toEqual([])
    const read = await kit.select('transaction_id, toString(amount), error_code')
    expect(read).toEqual([['9223372036854775807', '9007199254740993.15', -7]])
  })

  test('keep every character of an id', async () => {
    const ids = [
      'acct_1A2b,"x\'',
      'ch-0001',
      '0001',
      '018f3c5e-7d2a-7b61-9c1f-3f0a5e2b9d44',
      '4111111111111111',
      '\\',
      '商店 №1',
    ]
    const rows = ids.map((id) => {
      return transactionRow(1, { transaction_id: id, order_id: id, merchant_id: id, gate_id: id })
    })
    const { length } = ids
    const counts = { taken: length, unchanged: length, refused: 0 }
    expect(await kit.importTexts(inBoth(rows))).toMatchObject(counts)
    const kept = await kit.select('transaction_id, order_id, merchant_id, gate_id')
    expect(kept).toEqual(expect.arrayContaining(ids.map((id) => [id, id, id, id])))
  })

  test('contain nothing that runs as a statement', async () => {
    const texts = [
      '\n\nDROP TABLE transactions;\n\n',
      ';\n\n"',
      "'); DROP TABLE transactions; --",
      '\\',
      '{x:String}',
    ]
    const rows = texts.map((order_description, at) => transactionRow(at, { order_description }))
    const { length } = texts
    expect(await kit.importTexts(inBoth(rows))).toMatchObject({ taken: length, unchanged: length })
    expect(await kit.select('order_description')).toEqual(texts.map((text) => [text]))
  })

  test('of CSV have NULL for an empty field, and JSON has both', async () => {
    const texts = { purpose: '', merchant_data: '\\N', descriptor: 'NULL' }
    const csv = csvOf([transactionRow(1, { ...texts, issuer_bank: undefined })])
    const json = JSON.stringify({ ...transactionRow(2), ...texts, issuer_bank: null })
    const imported = await kit.importTexts({ 'null.csv': csv, 'null.jsonl': json })
    expect(imported).toMatchObject({ taken: 2 })
    expect(await kit.select('purpose, merchant_data, descriptor, issuer_bank')).toEqual([
      [null, null, 'NULL', null],
      ['', '\\N', 'NULL', null],
    ])
  })
})

describe('other tables', { tags: ['long'] }, () => {
  const merchants = (name: string) =>
    `merchant_id,name,login,company_id,manager_id,reseller_id,timezone,mcc\n900001,${name},"",1,1,,UTC,5999\n`
  const nameOf = "SELECT any(merchant_name) AS value FROM transactions WHERE merchant_id = '900001'"

  test('of names take new values, which show at once', async () => {
    const table = 'merchants'
    await kit.engine.execute(
      'INSERT INTO transactions (transaction_id, merchant_id) VALUES (1, 900001)',
    )
    expect(await kit.importText('a.csv', merchants('Old'), { table })).toMatchObject({ taken: 1 })
    expect(await kit.value(nameOf)).toBe('Old')
    expect(await kit.importText('a.csv', merchants('New'), { table })).toMatchObject({ taken: 1 })
    expect(await kit.value(nameOf)).toBe('New')
    const dictionaries = `SELECT count() AS value FROM system.dictionaries WHERE startsWith(name, 'merchant_names')`
    await expect.poll(() => kit.value(dictionaries)).toBe('1')
    const again = { taken: 0, unchanged: 1 }
    expect(await kit.importText('a.csv', merchants('New'), { table })).toMatchObject(again)
    const twice = `${merchants('One')}${merchants('Two').split('\n')[1]}\n`
    const { refusedRows } = await kit.importText('a.csv', twice, { table })
    const reason = 'merchant_id: expected one row, or the same content in every row'
    expect(reasonsIn({ refusedRows })).toEqual([
      [2, reason],
      [3, reason],
    ])
  })

  test('of merchants have existing time zones', async () => {
    const [header = '', row = ''] = merchants('Zoned').split('\n')
    const rows = ['file:/dev/null', 'Europe/Berln', 'Asia/Tokyo'].map((zone, at) => {
      return row.replace('900001', String(900_001 + at)).replace(',UTC,', `,${zone},`)
    })
    const text = `${[header, ...rows].join('\n')}\n`
    const { taken, refusedRows } = await kit.importText('a.csv', text, { table: 'merchants' })
    const reasons = ['timezone: expected an IANA time zone such as Europe/Berlin']
    expect(refusedRows).toMatchObject([
      { line: 2, reasons },
      { line: 3, reasons },
    ])
    expect(taken).toBe(1)
  })

  test('of currencies override those of the ledger', async () => {
    const currencies = 'currency,exponent\nEUR,2\nISK,2\nXPT,2\nCLF,4\neur,2\nXAF,-1\n'
    const imported = await kit.importText('c.csv', currencies, { table: 'currencies' })
    expect(imported).toMatchObject({ taken: 2, unchanged: 1 })
    const from =
      "(SELECT * FROM currencies FINAL WHERE currency IN ('ISK', 'XPT') ORDER BY currency)"
    expect(await kit.select('currency, exponent', from)).toEqual([
      ['ISK', 2],
      ['XPT', 2],
    ])
    const exponent = 'exponent: expected a whole number from 0 to 3'
    expect(imported.refusedRows.map(({ line, id, reasons }) => [line, id, ...reasons])).toEqual([
      [5, 'CLF', exponent],
      [6, '', 'currency: expected a code of ISO 4217'],
      [7, 'XAF', exponent],
    ])
  })
})

test('spellings of other systems are taken: refund, a BIN of 8 digits, microseconds', {
  tags: ['long'],
}, async () => {
  const rows = [
    transactionRow(1, { transaction_type: 'refund', bin: '41111111' }),
    transactionRow(2, {
      created_at: '2026-10-01 10:00:00.123456',
      updated_at: '2026-10-01T10:00:05.1239999Z',
      bin: '411111',
    }),
    transactionRow(3, { created_at: '2026-10-01 10:00:00.123000' }),
  ]
  const { refusedRows, cut, taken } = await kit.importText('a.csv', csvOf(rows))
  expect({ refusedRows, taken, cut }).toEqual({ refusedRows: [], taken: 3, cut: 1 })
  const updated = '2026-10-01 10:00:05.123'
  expect(await kit.select('transaction_type, bin, created_at, updated_at')).toMatchObject([
    ['reversal', '41111111', '2026-10-01 10:00:00.000', updated],
    ['sale', '411111', '2026-10-01 10:00:00.123', updated],
    ['sale', null, '2026-10-01 10:00:00.123', updated],
  ])
})

test('a row that is older than the ledger is skipped and counted, with its line', {
  tags: ['long'],
}, async () => {
  const versions = [1, 3].map((version) => transactionRow(1, { row_version: String(version) }))
  const first = await kit.importText('a.csv', csvOf(versions))
  expect(first).toMatchObject({ taken: 1, older: 1, outdated: { rows: 0 } })
  const { older, outdated } = await kit.importText('b.csv', csvOf([versions[0] ?? {}]))
  expect([older, outdated]).toEqual([1, { rows: 1, lines: [LINES_PER_FILE + 2] }])
})

describe('imports of more formats and tables', { tags: ['long'] }, () => {
  test('statements never change', async () => {
    const table = 'statements'
    await kit.empty(table)
    const importClosing = async (closing: string) => {
      const text = statementsOf(`900001,1,1,EUR,2026-10-01,0,${closing},0,${closing}`)
      return await kit.importText('a.csv', text, { table })
    }
    expect(await importClosing('10.5')).toMatchObject({ taken: 1 })
    expect(await importClosing('10.50')).toMatchObject({ unchanged: 1 })
    const reason =
      'statement_id: expected the content that the ledger has for it, which never changes'
    expect(reasonsIn(await importClosing('10.51'))).toEqual([[2, reason]])
  })

  test('a project has one statement for a day and currency, also one that the ledger has', async () => {
    const table = 'statements'
    await kit.empty(table)
    const first = await kit.importText('a.csv', STATEMENTS, { table })
    expect(first.taken).toBe(3)
    expect(first.refusedRows.map(({ id, reasons }) => [id, ...reasons])).toEqual([
      ['910004', 'closing: expected opening + payable - paid_out (rule statement_sum)'],
      ['910005', TWIN],
      ['910006', TWIN],
    ])
    const second = statementsOf(
      '910007,1,1,EUR,2026-10-02,-3.5,0,0,-3.5',
      '910008,1,2,EUR,2026-10-02,0,0,0,0',
    )
    const { refusedRows } = await kit.importText('a.csv', second, { table })
    expect(refusedRows.map(({ id, reasons }) => [id, ...reasons])).toEqual([['910007', TWIN]])
    const ids = await kit.select('statement_id', '(SELECT * FROM statements ORDER BY statement_id)')
    expect(ids).toEqual([['910001'], ['910002'], ['910003'], ['910008']])
    expect(await kit.importText('a.csv', STATEMENTS, { table })).toMatchObject({
      unchanged: 3,
      refused: 3,
    })
    await kit.empty(table)
  })

  test('what looks like a card number is accepted in a column that the source exempts', async () => {
    const row = transactionRow(31_000, { client_order_id: '4111111111111111' })
    const head = ['timezone: UTC', 'notCardNumbers: [client_order_id]']
    expect(await kit.importText('cards.csv', csvOf([row]), { head })).toMatchObject({ taken: 1 })
  })
})
