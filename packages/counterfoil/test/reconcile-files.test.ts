import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { folder, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'

useFolder()

const HEADER = 'Merchant_OID,Amount,Currency,Transaction_type,Status'

async function write(name: string, content: string | Buffer): Promise<void> {
  await writeFile(join(folder, name), content)
}

test('prints a part of a header row that is very long', async () => {
  await write('report.csv', `${'title,'.repeat(100_000)}x\n`)
  await write('orders.csv', 'id,amount\n')
  const args = ['reconcile', 'report.csv', '--orders', 'orders.csv']
  const { code, stderr } = await runHere(args, { folder })
  expect(code).toBe(2)
  expect(stderr).toContain('report.csv, line 1: no column is known')
  expect(stderr).toMatch(/ti?t?l?e?,?…\nSee: /)
  expect(stderr.length).toBeLessThan(2_200)
})

describe('reads a file', () => {
  test.each<[string, string | Buffer, readonly string[]]>([
    ['with a byte order mark', '\u{FEFF}Order number,Total\nа-1,"1.50"\n', []],
    ['from a spreadsheet', Buffer.from('\u{FEFF}Order no\tAmount\r\nа-1\t1,50\r\n', 'utf16le'), []],
    ['with a semicolon and a comma', 'id;amount\nа-1;1,500\n', []],
    ['with ids as formulas', 'id,amount\n"=""а-1""",1.5\n', []],
    [
      'in another encoding',
      Buffer.from('id;amount\n\xE0-1;1,5\n', 'latin1'),
      ['--encoding', 'windows-1251'],
    ],
    [
      'with other titles',
      'Bestellung|Summe|Stand\nа-1|1.500|bezahlt\n',
      '--order-column bestellung --amount-column Summe --status-column Stand --status paid=bezahlt'.split(
        ' ',
      ),
    ],
    [
      'with a given delimiter',
      'id,x~amount\nа-1~1.5\n',
      ['--delimiter', '~', '--order-column', 'id,x'],
    ],
  ])('%s', async (_, content, options) => {
    await write('report.csv', `${HEADER}\nа-1,1.50,EUR,sale,approved\n`)
    await write('my.csv', content)
    const args = ['reconcile', 'report.csv', '--orders', 'my.csv', ...options]
    const { code, stdout, stderr } = await runHere(args, { folder })
    expect(stdout + stderr).toContain('1 order agrees, 0 differ.')
    expect(code).toBe(0)
  })
})

test('knows the statuses of common shops, and currencies as numbers', async () => {
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
    ([kind], at) =>
      `${at},1,${at % 2 === 0 ? 'AUD' : 36},sale,${kind === 'unpaid' ? 'declined' : 'approved'}`,
  )
  const others = words
    .map(([kind], at) => `${at},1,AUD,${types[kind]},approved`)
    .filter((row) => !row.includes('sale'))
  await write('report.csv', `${[HEADER, ...sales, ...others].join('\n')}\n`)
  const orders = words.map(([, word], at) => `${at},1,036,${word}`)
  await write('orders.csv', `id,amount,currency,status\n${orders.join('\n')}\n`)
  const { code, stdout } = await runHere(['reconcile', 'report.csv', '--orders', 'orders.csv'], {
    folder,
  })
  expect(stdout).toContain('9 orders agree, 0 differ.')
  expect(code).toBe(0)
})

describe('ends with exit code 2 and says where the fault is', () => {
  test.each<[string, string | Buffer, string]>([
    ['an amount', 'id,amount\na,1\nb,1 EUR\n', 'my.csv, line 3: expected an amount, got "1 EUR"\n'],
    ['a currency', 'id,amount,currency\na,1,€\n', 'my.csv, line 2: expected a currency code'],
    [
      'a number of no currency',
      'id,amount,currency\na,1,000\n',
      'my.csv, line 2: expected a currency code such as EUR or 978, got "000"',
    ],
    [
      'an unknown status',
      'id,amount,status\na,1,Lost\n',
      'my.csv, line 2: unknown status "Lost"; say',
    ],
    ['a missing field', 'id,amount\n"a\nb",1\nb\n', 'my.csv, line 4: expected 2 fields, as in'],
    ['an open quote', 'id,amount\na,"1\n', 'my.csv, line 2: nothing closes a quote'],
    [
      'another encoding',
      Buffer.from('id,amount\na,1\n\xE0,1\n', 'latin1'),
      'my.csv, line 3: the order id is not UTF-8 text; name the encoding with --encoding\n',
    ],
    [
      'no order id',
      'x,amount\n',
      'my.csv, line 1: no column is known to hold the order id; name the column with --order-column; the columns are x, amount\n',
    ],
    [
      'no amount',
      'id,x\n',
      'no column is known to hold the amount; name the column with --amount-column',
    ],
    ['an empty file', '', 'my.csv: the file is empty\n'],
    [
      'a spreadsheet',
      Buffer.from('504b030414', 'hex'),
      'my.csv: the file is a spreadsheet (XLSX) or a ZIP file',
    ],
    [
      'a compressed file',
      gzipSync('id,amount\n'),
      'my.csv: the file is compressed (gzip): unpack it first\n',
    ],
  ])('%s', async (_, content, message) => {
    await write('report.csv', `${HEADER}\n`)
    await write('my.csv', content)
    const args = ['reconcile', 'report.csv', '--orders', 'my.csv']
    const { code, stdout, stderr } = await runHere(args, { folder })
    expect(stderr).toContain(
      `counterfoil: ${message.startsWith('no ') ? 'my.csv, line 1: ' : ''}${message}`,
    )
    expect(stderr).toContain('\nSee: counterfoil reconcile --help\n')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  test.each<[readonly string[], string]>([
    [['none.csv', '--orders', 'report.csv'], 'none.csv: cannot read the file: ENOENT'],
    [['report.csv', '--orders', '.'], '.: cannot read the file: EISDIR'],
    [['report.csv'], 'missing --orders'],
    [
      ['report.csv', '--orders', 'report.csv', '--amount-column', 'Sum'],
      'report.csv, line 1: no column Sum (--amount-column); the columns are Merchant_OID,',
    ],
    [['report.csv', '--orders', 'report.csv', '--status', 'shipped'], 'Expected paid, unpaid,'],
    [['report.csv', '--orders', 'report.csv', '--encoding', 'klingon'], 'unknown encoding klingon'],
    [
      ['report.csv', '--orders', 'report.csv', '--decimal-separator', ';'],
      '--decimal-separator: expected . or , got ";"',
    ],
    [['report.csv', '--orders', 'report.csv', '-o', '-'], 'use --json to print all differences'],
    [['report.csv', '--orders', 'report.csv', '-o', 'no/such.csv'], 'cannot write no/such.csv'],
  ])('%j', async (args, message) => {
    await write('report.csv', `${HEADER}\na,1,EUR,sale,approved\n`)
    const { code, stderr } = await runHere(['reconcile', ...args], { folder })
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})
