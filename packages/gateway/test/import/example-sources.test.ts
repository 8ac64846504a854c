// @module-tag long

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importFiles } from '../../../ledger/src/import/import-files.ts'
import { readSource } from '../../../ledger/src/import/source/source.ts'
import { ledgerAccess, useImportKit } from '../kit/import-kit.ts'

const FOLDER = join(import.meta.dirname, '../../../../examples/sources')

const kit = await useImportKit()

/** The file of each example, what becomes of its rows, and the transactions: id, type, amount and merchant. */
const EXAMPLES = {
  settlement: {
    file: 'settlement-2026-10-02.csv',
    counts: { rows: 6, taken: 4 },
    skipped: ['heading', 'total of the file'],
    transactions: [
      'A-001 sale approved 49.9 EUR shop-4711 2026-10-01 07:12:44.000',
      'A-002 sale approved 1250 EUR shop-4711 2026-10-01 21:59:59.000',
      'A-002-CB chargeback approved 1250 EUR shop-4711 2026-10-02 08:30:00.000',
      'A-003 reversal approved 49.9 EUR shop-4711 2026-10-02 06:00:01.000',
    ],
  },
  balance: {
    file: 'balance-2026-10.jsonl',
    counts: { rows: 4, taken: 3 },
    skipped: ['payment to the bank'],
    transactions: [
      'txn_1AbC sale approved 49.9 EUR acct_9Xy 2026-10-05 09:00:00.000',
      'txn_2DeF sale approved 1250 JPY acct_9Xy 2026-10-06 09:00:00.000',
      'txn_3GhI reversal approved 49.9 EUR acct_9Xy 2026-10-07 09:00:00.000',
    ],
  },
  orders: {
    file: 'orders-2026-10.csv',
    counts: { rows: 4, taken: 4 },
    skipped: [],
    transactions: [
      'S-1001 sale approved 25 USD m-100 2026-10-01 14:15:00.000',
      'S-1002 sale approved 80.5 USD m-200 2026-10-01 15:00:00.000',
      'S-1002-refund reversal approved 30.5 USD m-200 2026-10-03 13:30:00.000',
      'S-1003 sale declined 12 USD m-100 2026-10-02 21:45:10.000',
    ],
  },
} as const

test.each(Object.entries(EXAMPLES))(
  'examples/sources/%s.sql imports its file, and a second import changes nothing',
  async (name, { file, counts, skipped, transactions }) => {
    const options = {
      source: readSource(join(FOLDER, `${name}.sql`)),
      files: [join(FOLDER, file)],
      dataDir: kit.folder,
      refusedFile: join(kit.folder, 'refused.csv'),
      now: () => Date.parse('2027-01-01T00:00:00Z'),
    }
    await kit.empty('transactions')
    const tried = await importFiles(ledgerAccess(kit.engine), {
      ...options,
      sampleRows: 9,
    })
    expect(await kit.value('SELECT count() AS value FROM transactions')).toBe('0')
    const imported = await importFiles(ledgerAccess(kit.engine), options)
    const { sample, ...same } = tried
    expect(imported).toEqual({ ...same, sample: [] })
    expect(sample).toHaveLength(counts.rows)
    expect(imported).toMatchObject({ ...counts, refused: 0, reasons: [], leftOut: { rows: 0 } })
    expect(imported.skips.map(({ reason }) => reason).toSorted()).toEqual(skipped)
    const columns =
      'transaction_id, transaction_type, status, amount, currency, merchant_id, created_at'
    const texts = columns.split(', ').map((column) => `toString(${column})`)
    const read = await kit.select(`concat(${texts.join(", ' ', ")})`)
    expect(read).toEqual(transactions.map((text) => [text]))
    const again = await importFiles(ledgerAccess(kit.engine), options)
    expect(again).toMatchObject({ taken: 0, unchanged: counts.taken })
  },
)

test('each example has a test', () => {
  const names = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  // The test of docs/sync.md runs the source of a database.
  const tested = [...Object.keys(EXAMPLES), 'payments'].map((name) => `${name}.sql`)
  expect(names.toSorted()).toEqual(tested.toSorted())
})
