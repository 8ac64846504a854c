import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEDGER_TABLES } from '../../src/ledger/model.ts'
import { OWN_IDS } from '../../src/payments/order.ts'
import {
  csvOf,
  type FileRow,
  type ImportKit,
  openImportKit,
  transactionRow,
} from '../kit/import-kit.ts'

let kit: ImportKit
beforeAll(async () => {
  kit = await openImportKit()
})
afterAll(async () => {
  await kit.close()
})

const VALUE = 'expected a value'
const ID = 'expected a whole number from 1 to 9223372036854775807'
const SMALL_ID = 'expected a whole number from 1 to 2147483647'
const MONEY =
  'expected a number such as 1234.50, with at most 16 digits before its point and 4 after it'
const TIME =
  'expected a time that exists once, such as 2026-11-20 10:00:00.000 or 2026-11-20T10:00:00+01:00'
const DAY = 'expected an existing day such as 2026-11-20'
const CURRENCY = 'expected a currency that the ledger knows, with at most 3 fraction digits'
const CARD = 'expected no card number'

const RATE =
  'expected a number such as 1234.50, with at most 10 digits before its point and 8 after it'
/** Numbers with more digits than their columns have, and with more than the engine's longest decimal has. */
const TOO_LONG = Object.entries(LEDGER_TABLES.transactions)
  .filter(([, { type }]) => type.includes('Decimal'))
  .flatMap(([name, { type }]) => {
    const reason = `${name}: ${type.includes('(18, 8)') ? RATE : MONEY}`
    const numbers = ['9'.repeat(20), '9'.repeat(40), `-${'9'.repeat(40)}`, `0.${'9'.repeat(40)}`]
    if (name === 'fx_rate') numbers.push('92233720369', '-92233720369')
    return numbers.map((number) => [{ [name]: number }, reason] as const)
  })

/** A wrong value in a row, and the errors for it. */
const WRONG: readonly (readonly [FileRow, ...string[]])[] = [
  [{ transaction_id: undefined }, `transaction_id: ${VALUE}`],
  [{ transaction_id: '' }, `transaction_id: ${VALUE}`],
  [{ transaction_id: '0' }, `transaction_id: ${ID}`],
  [{ transaction_id: '-1' }, `transaction_id: ${ID}`],
  [{ transaction_id: '007' }, `transaction_id: ${ID}`],
  [{ transaction_id: '1e3' }, `transaction_id: ${ID}`],
  [{ transaction_id: ' 1' }, `transaction_id: ${ID}`],
  [{ transaction_id: '9223372036854775808' }, `transaction_id: ${ID}`],
  [{ order_id: 'A7' }, `order_id: ${ID}`],
  [
    { transaction_type: 'reversal', amount: '-10.00' },
    'amount: expected 0 or more, whatever the transaction_type',
  ],
  [
    { settlement_amount: '-10.00', settlement_currency: 'EUR' },
    'settlement_amount: expected 0 or more, whatever the transaction_type',
  ],
  ...['reversal', 'chargeback', 'payout'].map((type): readonly [FileRow, string] => [
    { transaction_type: type, net_amount: '0.01', settlement_currency: 'EUR' },
    'net_amount: expected 0 or less for a transaction_type that takes money (reversal, chargeback, payout)',
  ]),
  [{ merchant_id: '2147483648' }, `merchant_id: ${SMALL_ID}`],
  [{ merchant_id: '4294967297' }, `merchant_id: ${SMALL_ID}`],
  [{ row_version: undefined }, `row_version: ${VALUE}`],
  [{ row_version: '1.0' }, 'row_version: expected a whole number of at most 9223372036854775807'],
  [{ error_code: '2147483648' }, 'error_code: expected a whole number of at most 2147483647'],
  [{ client_order_id: undefined }, `client_order_id: ${VALUE}`],
  [
    { transaction_type: 'refund' },
    'transaction_type: expected one of sale, preauth, capture, cancel, reversal, transfer, payout, account_verification, pan_eligibility, chargeback, fraud, retrieval, dispute',
  ],
  [
    { status: 'Approved' },
    'status: expected one of approved, declined, filtered, error, processing, unknown',
  ],
  [{ status: '' }, `status: ${VALUE}`],
  [{ created_at: '2026-02-30 10:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '2026-02-29 10:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01 24:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01 10:60:00' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01 10:00:60' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01' }, `created_at: ${TIME}`],
  [{ created_at: '01.10.2026 10:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '1790848800' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01 10:00:00.1234' }, `created_at: ${TIME}`],
  [{ created_at: '2026-10-01 10:00:00+15:00' }, `created_at: ${TIME}`],
  [{ created_at: '1899-12-31 10:00:00' }, `created_at: ${TIME}`],
  [{ created_at: '2300-01-01 10:00:00' }, `created_at: ${TIME}`],
  [{ updated_at: '9999-12-31 23:59:59.999' }, `updated_at: ${TIME}`],
  [{ processed_at: 'soon' }, `processed_at: ${TIME}`],
  [{ bank_date: '2026-02-30' }, `bank_date: ${DAY}`],
  [{ bank_date: '2026-02-03 00:00:00' }, `bank_date: ${DAY}`],
  [{ bank_date: '1899-12-31' }, `bank_date: ${DAY}`],
  [{ amount: '10,50' }, `amount: ${MONEY}`],
  [{ amount: '1e3' }, `amount: ${MONEY}`],
  [{ amount: '.5' }, `amount: ${MONEY}`],
  [{ amount: '10.12345' }, `amount: ${MONEY}`],
  [{ amount: '12345678901234567' }, `amount: ${MONEY}`],
  ...TOO_LONG,
  [{ amount: '10.505' }, 'amount: expected no more fraction digits than its currency has'],
  [
    { amount: '10.5', currency: 'JPY' },
    'amount: expected no more fraction digits than its currency has',
  ],
  [
    { settlement_amount: '1.2345', settlement_currency: 'KWD' },
    'settlement_amount: expected no more fraction digits than its currency has',
  ],
  [
    { net_amount: '-0.001', settlement_currency: 'EUR' },
    'net_amount: expected no more fraction digits than its currency has',
  ],
  [{ gateway_fee: '1' }, 'gateway_fee: expected a settlement_currency beside it'],
  [{ currency: 'XUA' }, `currency: ${CURRENCY}`],
  [{ currency: 'eur' }, `currency: ${CURRENCY}`],
  [{ settlement_currency: 'CLF' }, `settlement_currency: ${CURRENCY}`],
  [{ bin: '41111' }, 'bin: expected 6 digits'],
  [{ bin: '4111111' }, 'bin: expected 6 digits'],
  [{ last4: '111' }, 'last4: expected 4 digits'],
  [{ dest_last4: '4111111111111111' }, 'dest_last4: expected 4 digits'],
  [{ order_description: 'paid with 4111 1111 1111 1111, thanks' }, `order_description: ${CARD}`],
  [{ client_order_id: '4111111111111111' }, `client_order_id: ${CARD}`],
  [{ card_ref_id: '4111111111111111' }, `card_ref_id: ${CARD}`],
  [
    { status: 'x', amount: 'y', currency: 'z' },
    'status: expected one of approved, declined, filtered, error, processing, unknown',
    `amount: ${MONEY}`,
    `currency: ${CURRENCY}`,
  ],
]

test('lists every invalid value with its line, and takes the other rows', async () => {
  const good = { order_description: 'one\ntwo', fx_rate: '1.00000000', settlement_currency: '' }
  // A good row of two lines before each bad row: line numbers are those of the file.
  const rows = WRONG.flatMap(([change], index) => [
    transactionRow(1000 + index, good),
    transactionRow(index, change),
  ])
  const { refusedRows, ...counts } = await kit.importText('wrong.csv', csvOf(rows))
  const listed = refusedRows.map(({ line, lastLine, reasons }) => [line, lastLine, ...reasons])
  expect(listed).toEqual(
    WRONG.map(([, ...reasons], index) => [4 + 3 * index, 4 + 3 * index, ...reasons]),
  )
  expect(refusedRows.map(({ id }) => id)).toEqual(
    WRONG.map(([change], index) =>
      'transaction_id' in change ? '' : transactionRow(index)['transaction_id'],
    ),
  )
  expect(counts).toEqual({
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

describe('rows without a fault of their own', () => {
  const KEY = 'merchant_id, created_at'
  const OTHER_KEY = `${KEY}: expected the values that the ledger has for this transaction_id, which never change`
  const KEYS_DIFFER = `${KEY}: expected the same in every row of this transaction_id`
  const OTHER_CONTENT =
    'row_version: expected a higher value than in the ledger, because the content of this transaction_id differs'
  const CONTENTS_DIFFER = 'row_version: expected one row, or the same content in every row'

  test('are compared with the ledger and with each other', async () => {
    const at = (number: number, change: FileRow = {}) => transactionRow(10_000 + number, change)
    const versions = [1, 2, 3, 4, 5, 6].map((number) => at(number, { row_version: '5' }))
    await kit.importText('before.csv', csvOf(versions))
    const rows: readonly (readonly [FileRow, string?])[] = [
      // Ids that the ledger has.
      [at(1, { row_version: '6', merchant_id: '2' }), OTHER_KEY],
      [at(1, { row_version: '4', created_at: '2026-10-01 10:00:00.001' }), OTHER_KEY],
      [at(1, { row_version: '6', created_at: '2024-01-31 10:00:00.000' }), OTHER_KEY],
      [at(2, { row_version: '5', status: 'declined' }), OTHER_CONTENT],
      [at(2, { row_version: '5', order_description: '' }), OTHER_CONTENT],
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
    expect(refusedRows.map(({ line, reasons }) => [line, ...reasons])).toEqual(expected)
    expect(counts).toEqual({ rows: 20, taken: 4, unchanged: 2, older: 2, refused: 12 })
    const [one, last] = [10_001, 10_013].map((number) => transactionRow(number)['transaction_id'])
    const sql = `SELECT arrayStringConcat(groupArray((transaction_id % 100, row_version, status)::String), '') AS value
    FROM (SELECT * FROM transactions FINAL WHERE transaction_id BETWEEN ${one} AND ${last} ORDER BY transaction_id)`
    expect(await kit.value(sql)).toBe(
      "(1,5,'approved')(2,5,'approved')(3,5,'approved')(4,6,'declined')(5,6,'filtered')(6,8,'approved')(13,2,'approved')",
    )
  })
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
  const reason = `expected none from ${first} to ${last}: the form operations of this sandbox use them`
  expect(refusedRows.map(({ reasons }) => reasons)).toEqual(
    wrong.map((row) => [`${Object.keys(row)[0]}: ${reason}`]),
  )
  expect(taken).toBe(fine.length)
})

describe('what looks like a card number', () => {
  const NUMBERS = ['4111111111111111', '378282246310005', '5555555555554444', '2223003122003222']
  const IN_TEXT = [
    ...NUMBERS,
    'card 4111-1111-1111-1111.',
    'x4111 1111 1111 1111y',
    '12 4111111111111111 5',
    '1 2 3 4 4111 1111 1111 1111 5 6',
    '6304 0000 0000 0000',
    '4222222222222',
    '4111  1111  1111  1111',
    'card 1234.4111.1111.1111.1111',
    '3600.000000.0008',
    '4111\t1111\t1111\t1111',
    '\u{664}'.concat('\u{661}'.repeat(15)),
    '\u{FF14}111 1111\u{A0}1111 1111',
    '4\u0301111\u{200B}111111111111',
    // Marks that the engine's Unicode does not know yet.
    '4\u{897}1\u{1ACF}1\u{1AEB}1\u{10D69}1\u{113B8}11111111111',
    '❹❶❶❶❶❶❶❶❶❶❶❶❶❶❶❶',
    '፬፩፩፩፩፩፩፩፩፩፩፩፩፩፩፩',
    '\u{E0034}'.concat('\u{E0031}'.repeat(15)),
    '4⑪⑪⑪⑪⑪⑪⑪1',
    '㊶⓫⓫⓫⓫⓫⓫⓫',
  ]
  const IN_IDENTIFIERS = [
    ...NUMBERS,
    '4222222222222',
    '36000000000008',
    '4111-1111-1111-1111',
    '600000000000000007',
    '6200000000000000000',
    '\u{664}'.concat('\u{661}'.repeat(15)),
  ]
  const NOT_IN_TEXT = [
    '4111111111111112',
    '4111     1111  1111  1111',
    '411111******1111',
    '41111111111111111111',
    '0004111111111111111',
    '1111111111111117',
    '20261120103000123',
    '9223372036854775807',
    '0012345678901234567',
    '+49 30 1234 5678 901',
    '1 '.repeat(3_000),
  ]
  const NOT_IN_IDENTIFIERS = [
    '6304000000000000000',
    '4111111111111111000',
    '20261122103000',
    '1795216694000',
  ]

  test('is refused in texts and identifiers, each by its rule, and never printed', async () => {
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
      new Set(['order_description', 'client_order_id', 'phone'].map((name) => `${name}: ${CARD}`)),
    )
    expect(taken).toBe(fine.length)
    for (const number of NUMBERS) expect(JSON.stringify(refusedRows)).not.toContain(number)
    const named = transactionRow(0, { transaction_id: NUMBERS[0], amount: 'x' })
    const listed = await kit.importText('cards.csv', csvOf([named]))
    expect(listed.refusedRows.map(({ id }) => id)).toEqual(['411111******1111'])
  })

  test('is accepted in a column that the mapping exempts', async () => {
    const row = transactionRow(31_000, { client_order_id: '4111111111111111' })
    const mapping = { notCardNumbers: ['client_order_id'] }
    expect(await kit.importText('cards.csv', csvOf([row]), { mapping })).toMatchObject({ taken: 1 })
  })
})

const STATEMENT_COLUMNS =
  'statement_id,merchant_id,project_id,currency,business_day,opening,payable,paid_out,closing,company_id,manager_id'

function statementsOf(...rows: readonly string[]): string {
  return [STATEMENT_COLUMNS, ...rows.map((row) => `${row},1,1`), ''].join('\n')
}

test('a project has one statement for a day and currency, and its sums are right', async () => {
  const table = 'statements'
  await kit.empty(table)
  const first = statementsOf(
    '910001,1,1,EUR,2026-10-01,0,10.5,4,6.5',
    '910002,1,1,USD,2026-10-01,0,10.5,4,6.5',
    '910003,1,1,EUR,2026-10-02,6.5,-10,0,-3.5',
    '910004,1,1,EUR,2026-10-03,-3.5,10,0,6',
    '910005,1,1,EUR,2026-10-04,0,1,0,1',
    '910006,1,1,EUR,2026-10-04,0,1,0,1',
  )
  const twin =
    'project_id, business_day, currency: expected no other statement_id with the same values'
  const taken = await kit.importText('a.csv', first, { table })
  expect(taken.refusedRows.map(({ id, reasons }) => [id, ...reasons])).toEqual([
    ['910004', 'closing: expected opening + payable - paid_out'],
    ['910005', twin],
    ['910006', twin],
  ])
  const second = statementsOf(
    '910007,1,1,EUR,2026-10-02,6.5,0,0,6.5',
    '910008,1,2,EUR,2026-10-02,0,0,0,0',
  )
  const { refusedRows } = await kit.importText('a.csv', second, { table })
  expect(refusedRows.map(({ id, reasons }) => [id, ...reasons])).toEqual([['910007', twin]])
  const ids =
    "SELECT arrayStringConcat(arraySort(groupArray(toString(statement_id))), ' ') AS value FROM statements"
  expect(await kit.value(ids)).toBe('910001 910002 910003 910008')
  expect(await kit.importText('a.csv', first, { table })).toMatchObject({
    unchanged: 3,
    refused: 3,
  })
  await kit.empty(table)
})
