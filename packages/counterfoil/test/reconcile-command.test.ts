import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { folder, useFolder } from './fixture.ts'
import { type Ended, runHere } from './run-command.ts'

useFolder()

const HEADER = 'Merchant_OID,Amount,Currency,Transaction_type,Status'

async function write(name: string, content: string | Buffer): Promise<void> {
  await writeFile(join(folder, name), content)
}

/** Writes both files, the report under its usual header, and compares them in this process. */
async function reconcile(
  report: readonly string[],
  orders: readonly string[],
  options: readonly string[] = [],
): Promise<Ended> {
  await write('report.csv', [HEADER, ...report, ''].join('\r\n'))
  await write('orders.csv', `${orders.join('\n')}\n`)
  return await runHere(['reconcile', 'report.csv', '--orders', 'orders.csv', ...options], {
    folder,
  })
}

/** The differences of two files: `{ order id: kinds }`. */
async function differencesOf(
  report: readonly string[],
  orders: readonly string[],
  options: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const output = ['-o', 'all.csv', '--overwrite']
  const { stderr } = await reconcile(report, orders, [...output, ...options])
  expect(stderr).toBe('')
  const [, ...rows] = parse(await readFile(join(folder, 'all.csv')))
  return Object.fromEntries(rows)
}

const REPORT = [
  'retried,10.50,EUR,sale,declined',
  'retried,10.50,EUR,sale,approved',
  'partly-refunded,20.00,EUR,sale,approved',
  'partly-refunded,5.00,EUR,reversal,approved',
  'refunded,7.00,EUR,sale,approved',
  'refunded,7.00,EUR,reversal,approved',
  'captured,9.00,USD,preauth,approved',
  'captured,8.00,USD,capture,approved',
  'reserved,9.00,USD,preauth,approved',
  'declined,1.00,EUR,sale,declined',
  'disputed,3.00,EUR,sale,approved',
  'disputed,3.00,EUR,chargeback,approved',
  'paid-out,50.00,EUR,payout,approved',
]
const ORDERS = [
  'Order ID;Total;Currency;Status',
  'retried;10,5;eur;Paid',
  'partly-refunded;20;EUR;shipped',
  'refunded;7,00;EUR;Refunded',
  'captured;8,0;USD;completed',
  'reserved;9;USD;authorised',
  'disputed;3;EUR;charged_back',
  'never-paid;5;EUR;cancelled',
]

test('agrees on attempts, refunds, captures and chargebacks that both files know', async () => {
  const { code, stdout, stderr } = await reconcile(REPORT, ORDERS)
  expect(stdout).toBe(`report.csv: 13 rows, compared by ${HEADER.replaceAll(',', ', ')}
orders.csv: 7 rows, compared by Order ID, Total, Currency, Status

6 orders agree, 0 differ.
`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('lists what is missing on either side, and what differs', async () => {
  const report = 'a b c d e f'.split(' ').map((id) => {
    return `${id},10.00,EUR,sale,${id === 'c' ? 'declined' : 'approved'}`
  })
  const orders = `order,amount,currency,status a,10,EUR,paid b,12,USD,paid c,10,EUR,paid
    d,10,EUR,refunded e,5,EUR,paid e,5,EUR,paid g,10,EUR,paid`.split(/\s+/)
  const { code, stdout } = await reconcile(report, orders)
  expect(stdout.split('\n').slice(3).join('\n')).toBe(`1 order agrees, 6 differ.

Missing in orders.csv: 1
  Order  orders.csv  report.csv
  f      -           10.00 EUR, paid, row 6

Missing in report.csv: 1
  Order  orders.csv              report.csv
  g      10.00 EUR, paid, row 7  -

The status differs: 2
  Order  orders.csv                  report.csv
  c      10.00 EUR, paid, row 3      unpaid, row 3
  d      10.00 EUR, refunded, row 4  10.00 EUR, paid, row 4

The amount differs: 1
  Order  orders.csv              report.csv
  b      12.00 USD, paid, row 2  10.00 EUR, paid, row 2

The currency differs: 1
  Order  orders.csv              report.csv
  b      12.00 USD, paid, row 2  10.00 EUR, paid, row 2

More than one row in orders.csv: 1
  Order  orders.csv             report.csv
  e      5.00 EUR, paid, row 5  10.00 EUR, paid, row 5
`)
  expect(code).toBe(1)
})

test('lists ten orders of a kind, and writes all to the file', async () => {
  const orders = Array.from({ length: 30 }, (_, index) => `order-${index},${index},EUR`)
  const { code, stdout } = await reconcile([], ['id,total,currency', ...orders], ['-o', 'all.csv'])
  expect(code).toBe(1)
  expect(stdout).toContain('Missing in report.csv: 30\n')
  expect(stdout.match(/^ {2}order-\d+/gm)).toEqual(
    Array.from({ length: 10 }, (_, index) => `  order-${index}`),
  )
  expect(stdout).toContain('\n  ... and 20 more\n\nAll differences: all.csv\n')
  const all = parse<object>(await readFile(join(folder, 'all.csv')), { columns: true })
  expect(all).toHaveLength(30)
  expect(all).toContainEqual({
    Order_id: 'order-7',
    Difference: 'missing-in-report',
    Orders_amount: '7.00',
    Report_amount: '',
    Orders_currency: 'EUR',
    Report_currency: '',
    Orders_status: '',
    Report_status: '',
    Orders_row: '8',
    Report_row: '',
  })
  expect((await stat(join(folder, 'all.csv'))).mode & 0o777).toBe(0o600)
})

test('replaces no file without --overwrite, and leaves no part of one', async () => {
  await write('all.csv', 'mine')
  const refused = await reconcile([], ['id,total', 'a,1'], ['-o', 'all.csv'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') })
  expect(await readFile(join(folder, 'all.csv'), 'utf8')).toBe('mine')
  await reconcile([], ['id,total', 'a,1'], ['-o', 'all.csv', '--overwrite'])
  expect(await readFile(join(folder, 'all.csv'), 'utf8')).toMatch(/^"Order_id",/)
  await reconcile([], ['id,total', 'a,x'], ['-o', 'other.csv'])
  expect((await readdir(folder)).toSorted()).toEqual(['all.csv', 'orders.csv', 'report.csv'])
})

test('writes no order id that a spreadsheet evaluates or a terminal obeys', async () => {
  const formulas = ['-5', '\u{FF1D}1', '\u{FE66}1', '\u{2212}1', '\u{200B}=1', '\u{3164}=1']
  const lines = [...formulas, '\u{1B}[2J', 'a=1'].map((id) => `${id},1`)
  const orders = ['id,total', '"=HYPERLINK(""x"")",1', ...lines]
  const { stdout } = await reconcile([], orders, ['-o', 'all.csv'])
  expect(stdout).not.toContain('\u{1B}')
  const all = parse(await readFile(join(folder, 'all.csv')))
  const neutralised = [...formulas, '=HYPERLINK("x")'].map((id) => `'${id}`)
  expect(new Set(all.map(([id = '']) => id))).toEqual(
    new Set(['Order_id', ...neutralised, '\u{1B}[2J', 'a=1']),
  )
})

const SUMS = 'a,0.1,EUR,sale a,0.2,EUR,capture b,900000000000.1234,EUR,sale'
const FOREIGN = `foreign,10,EUR,sale foreign,1200,JPY,reversal half,10,EUR,sale half,10,USD,sale
  half,20,EUR,reversal both,10,EUR,sale both,20,USD,sale both,10,EUR,reversal both,20,USD,reversal`

// Rows have spaces between them, and every transaction is approved.
test.each<[string, string, string, object, string?]>([
  ['sums exactly', SUMS, 'id,amount a,0.30 b,900000000000.123400', {}],
  ['compares exactly', SUMS, 'id,amount a,0.3 b,900000000000.1235', { b: 'amount' }],
  [
    'adds no currencies',
    'a,1,EUR,sale a,1,USD,sale',
    'id,amount,currency a,2,EUR',
    { a: 'currency' },
  ],
  [
    'refunds by currency',
    FOREIGN,
    'id,amount,status foreign,10,paid half,10,paid both,10,refunded',
    {},
  ],
  ['counts --types', 'a,1,EUR,payout b,1,EUR,sale', 'id,amount a,1', {}, 'payout'],
  ['needs no order of before', 'a,1,EUR,reversal', 'id,amount,status x,1,unpaid', {}],
  ['takes a late refund', 'a,1,EUR,reversal', 'id,amount,status a,1,refunded', {}],
  [
    'takes a refund back',
    'a,5,EUR,sale a,5,EUR,reversal a,5,EUR,refund_reversal',
    'id,amount,status a,5,paid',
    {},
  ],
  ['takes it for no payment', 'a,1,EUR,reversal', 'id,amount,status a,1,paid', { a: 'status' }],
])('%s', async (_, report, orders, expected, types = 'sale,capture') => {
  const rows = report.split(/\s+/).map((row) => `${row},approved`)
  const found = await differencesOf(rows, orders.split(' '), ['--types', types])
  expect(found).toEqual(expected)
})

test('notes what a file does not say', async () => {
  await write('report.csv', 'Merchant_OID,Amount\na,1\n,2\n')
  await write('orders.csv', 'id,amount\na,1\n')
  const args = ['reconcile', 'report.csv', '--orders', 'orders.csv']
  const { stdout } = await runHere(args, { folder })
  expect(stdout.match(/(?<=^Note: ).*$/gm)).toEqual([
    expect.stringMatching(/^report\.csv has no column Status.*--parameter statuses=approved/),
    expect.stringMatching(/^orders\.csv has no column for the status/),
    expect.stringMatching(/has no column for the currency, so currencies were not compared\.$/),
    'Left out, without an order id: 1 row of report.csv.',
  ])
})

test('ends with exit code 130 when it is interrupted, and leaves nothing', async () => {
  await write('report.csv', `${HEADER}\n`)
  const args = ['reconcile', 'report.csv', '--orders', 'report.csv', '-o', 'all.csv']
  const signal = AbortSignal.abort()
  expect(await runHere(args, { folder, signal })).toEqual({
    code: 130,
    stdout: '',
    stderr: 'counterfoil: interrupted.\n',
  })
  expect(await readdir(folder)).toEqual(['report.csv'])
})
