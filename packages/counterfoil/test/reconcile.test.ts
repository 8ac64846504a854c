import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { folder, run, useFolder } from './fixture.ts'
import { CHILD_ENV, type Ended, endOf, MAIN } from './run-command.ts'

useFolder()

const HEADER = 'Merchant_OID,Amount,Currency,Transaction_type,Status'

async function write(name: string, content: string | Buffer): Promise<void> {
  await writeFile(join(folder, name), content)
}

/** Writes the report under its usual header, and orders unless they are there, and compares both in this process. */
async function reconcile(
  report: readonly string[],
  orders: readonly string[] | undefined,
  options = '',
): Promise<Ended> {
  await write('report.csv', [HEADER, ...report, ''].join('\r\n'))
  if (orders) await write('orders.csv', `${orders.join('\n')}\n`)
  const files = ['report.csv', '--orders', 'orders.csv']
  return await run(['reconcile', ...files, ...options.split(' ').filter(Boolean)])
}

/** The differences of two files: `{ order id: kinds }`. */
async function differencesOf(
  report: readonly string[],
  orders: readonly string[],
  options: string,
): Promise<Record<string, unknown>> {
  const { stderr } = await reconcile(report, orders, `-o all.csv --overwrite ${options}`)
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
  const { code, stdout } = await reconcile([], ['id,total,currency', ...orders], '-o all.csv')
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
  const refused = await reconcile([], ['id,total', 'a,1'], '-o all.csv')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') })
  expect(await readFile(join(folder, 'all.csv'), 'utf8')).toBe('mine')
  await reconcile([], ['id,total', 'a,1'], '-o all.csv --overwrite')
  expect(await readFile(join(folder, 'all.csv'), 'utf8')).toMatch(/^"Order_id",/)
  await reconcile([], ['id,total', 'a,x'], '-o other.csv')
  expect((await readdir(folder)).toSorted()).toEqual(['all.csv', 'orders.csv', 'report.csv'])
})

test('writes no order id that a spreadsheet evaluates or a terminal obeys', async () => {
  const formulas = ['-5', '\u{FF1D}1', '\u{FE66}1', '\u{2212}1', '\u{200B}=1', '\u{3164}=1']
  const lines = [...formulas, '\u{1B}[2J', 'a=1'].map((id) => `${id},1`)
  const orders = ['id,total', '"=HYPERLINK(""x"")",1', ...lines]
  const { stdout } = await reconcile([], orders, '-o all.csv')
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
  const found = await differencesOf(rows, orders.split(' '), `--types ${types}`)
  expect(found).toEqual(expected)
})

test('notes what a file does not say', async () => {
  await write('report.csv', 'Merchant_OID,Amount\na,1\n,2\n')
  await write('orders.csv', 'id,amount\na,1\n')
  const args = ['reconcile', 'report.csv', '--orders', 'orders.csv']
  const { stdout } = await run(args)
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
  expect(await run(args, { signal })).toEqual({
    code: 130,
    stdout: '',
    stderr: 'counterfoil: interrupted.\n',
  })
  expect(await readdir(folder)).toEqual(['report.csv'])
})

test.each<[string, string | Buffer, string]>([
  ['with a byte order mark', '\u{FEFF}Order number,Total\nа-1,"1.50"\n', ''],
  ['from a spreadsheet', Buffer.from('\u{FEFF}Order no\tAmount\r\nа-1\t1,50\r\n', 'utf16le'), ''],
  ['with a semicolon and a comma', 'id;amount;"a,b,c,d"\nа-1;1,500;\n', ''],
  ['with ids as formulas', 'id,amount\n"=""а-1""",1.5\n', ''],
  ['of 1251', Buffer.from('id;amount\n\xE0-1;1,5\n', 'latin1'), '--encoding windows-1251'],
  [
    'with other titles',
    'Bestellung|Summe|Stand\nа-1|1.500|bezahlt\n',
    '--order-column bestellung --amount-column Summe --status-column Stand --status paid=bezahlt',
  ],
  ['with a given delimiter', 'id,x~amount\nа-1~1.5\n', '--delimiter ~ --order-column id,x'],
])('reads a file %s', async (_, content, options) => {
  await write('orders.csv', content)
  const report = ['а-1,1.50,EUR,sale,approved']
  const { code, stdout, stderr } = await reconcile(report, undefined, options)
  expect(stdout + stderr).toContain('1 order agrees, 0 differ.')
  expect(code).toBe(0)
})

test('knows the statuses of common shops', async () => {
  const types = { paid: 'sale', unpaid: 'sale', refunded: 'reversal', disputed: 'chargeback' }
  const words = [
    ['paid', 'processing'],
    ['paid', 'wc-completed'],
    ['paid', 'Awaiting Fulfillment'],
    ['paid', 'partially_refunded'],
    ['unpaid', 'wc-on-hold'],
    ['unpaid', 'Payment error'],
    ['unpaid', 'checkout-draft'],
    ['refunded', 'Refunded'],
    ['disputed', 'Disputed'],
  ] as const
  const sales = words.map(
    ([kind], at) => `${at},1,AUD,sale,${kind === 'unpaid' ? 'declined' : 'approved'}`,
  )
  const others = words
    .map(([kind], at) => `${at},1,AUD,${types[kind]},approved`)
    .filter((row) => !row.includes('sale'))
  const orders = words.map(([, word], at) => `${at},1,aud,${word}`)
  const titles = 'id,amount,currency,status'
  const { code, stdout } = await reconcile([...sales, ...others], [titles, ...orders])
  expect(stdout).toContain('9 orders agree, 0 differ.')
  expect(code).toBe(0)
})

test.each<[string, string | Buffer, string, string]>([
  ['an amount', 'id,amount\na,1\nb,1 EUR\n', '', 'row 2: expected an amount with up to 4'],
  ['a currency', 'id,amount,currency\na,1,€\n', '', 'row 1: expected a currency code'],
  ['a status', 'id,amount,status\na,1,Lost\n', '', 'row 1: unknown status "Lost"; say'],
  ['a missing field', 'id,amount\n"a\nb",1\nb\n', '', 'row 2 has fewer than 2 fields'],
  ['an open quote', 'id,amount\na,"1\n', '', 'the report ends inside row 1'],
  ['no such encoding', '\xE0', '--encoding klingon', 'The "klingon" encoding'],
  ['a spreadsheet', Buffer.from('504b0304ff', 'hex'), '', 'the bytes are not valid utf-8. Save'],
  [
    'no order id',
    'x,amount\na,1\n',
    '',
    'no column is known to hold the order (--order-column); the columns are x, amount\n',
  ],
  ['no column', 'id,x\na,1\n', '--amount-column Sum', 'no column is titled Sum (--amount-column);'],
  ['an empty file', '', '', 'the report ends inside the header'],
  ['a kind of status', '', '--status shipped', 'Expected paid, unpaid,'],
  ['a separator', '', '--decimal-separator ;', 'Allowed choices are ., ,.'],
  ['no folder', 'id,amount\na,1\n', '-o no/such.csv', 'cannot write no/such.csv: ENOENT'],
  ['no file', '', '--orders none.csv', 'none.csv: cannot read the file: ENOENT'],
])('ends with exit code 2 for %s', async (_, content, options, message) => {
  await write('orders.csv', content)
  const report = ['a,1,EUR,sale,approved']
  const { code, stdout, stderr } = await reconcile(report, undefined, options)
  expect(stderr).toContain(options === '' ? `orders.csv: ${message}` : message)
  expect(stderr).toContain('\nSee: counterfoil reconcile --help\n')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})

const ORDERS_LARGE = 1_000_000
/** 5,000,000 orders on each side took 389 MB. A `Map` of this number takes more than this limit. */
const KILOBYTES_MAX = 500_000

async function writeLarge(name: string, header: string, lineOf: (index: number) => string) {
  const file = createWriteStream(join(folder, name))
  file.write(`${header}\n`)
  for (let index = 0; index < ORDERS_LARGE; ) {
    let text = ''
    for (const end = Math.min(ORDERS_LARGE, index + 5000); index < end; index += 1)
      text += lineOf(index)
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

const idOf = (index: number) => `order-${index.toString(36)}-${(index * 7919) % 104_729}`
const amountOf = (index: number) => `${index % 10_000}.${String(index % 100).padStart(2, '0')}`

test('compares a million orders on each side in bounded memory, and finds the three that differ', {
  tags: ['long'],
}, async () => {
  await writeLarge(
    'report.csv',
    '"Merchant_OID","Amount","Currency","Transaction_type"',
    (index) => {
      const amount = index === 777_777 ? '1.11' : amountOf(index)
      return `"${idOf(index)}","${amount}","EUR","sale"\n`
    },
  )
  // The same orders in another order. The prime number is no divisor of their number.
  await writeLarge('orders.csv', 'order_id;total;currency', (place) => {
    const index = (place * 48_271) % ORDERS_LARGE
    const id = index === 123_456 ? 'another' : idOf(index)
    return `${id};${amountOf(index).replace('.', ',')};EUR\n`
  })
  const program = "process.on('exit',()=>console.error(process.resourceUsage().maxRSS))"
  const options = ['--import', `data:text/javascript,${program}`, MAIN]
  const command = ['reconcile', 'report.csv', '--orders', 'orders.csv', '-o', 'differences.csv']
  const child = spawn(process.execPath, [...options, ...command], { cwd: folder, env: CHILD_ENV })
  const { code, stdout, stderr } = await endOf(child)
  expect(stdout).toContain('\n999,998 orders agree, 3 differ.\n')
  expect(code).toBe(1)
  const rows = parse(await readFile(join(folder, 'differences.csv')))
  expect(rows.map(([id, kinds]) => `${id} ${kinds}`).toSorted()).toEqual([
    'Order_id Difference',
    'another missing-in-report',
    `${idOf(123_456)} missing-in-orders`,
    `${idOf(777_777)} amount`,
  ])
  expect(Number(stderr)).toBeGreaterThan(0)
  expect(Number(stderr)).toBeLessThan(KILOBYTES_MAX)
})
