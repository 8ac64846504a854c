import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findDelimiter } from '../src/reconcile/read-files.ts'
import { folder, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'

useFolder()

const HEADER = 'Merchant_OID,Amount,Currency,Transaction_type,Status'

async function write(name: string, content: string | Buffer): Promise<void> {
  await writeFile(join(folder, name), content)
}

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
  await write('report.csv', `${[HEADER, ...sales, ...others].join('\n')}\n`)
  const orders = words.map(([, word], at) => `${at},1,aud,${word}`)
  await write('orders.csv', `id,amount,currency,status\n${orders.join('\n')}\n`)
  const { code, stdout } = await runHere(['reconcile', 'report.csv', '--orders', 'orders.csv'], {
    folder,
  })
  expect(stdout).toContain('9 orders agree, 0 differ.')
  expect(code).toBe(0)
})

test.each<[string, string | Buffer, readonly string[], string]>([
  ['an amount', 'id,amount\na,1\nb,1 EUR\n', [], 'my.csv: row 2: expected an amount with up to 4'],
  ['a currency', 'id,amount,currency\na,1,€\n', [], 'my.csv: row 1: expected a currency code'],
  ['a status', 'id,amount,status\na,1,Lost\n', [], 'my.csv: row 1: unknown status "Lost"; say'],
  ['a missing field', 'id,amount\n"a\nb",1\nb\n', [], 'my.csv: row 2 has fewer than 2 fields'],
  ['an open quote', 'id,amount\na,"1\n', [], 'my.csv: the report ends inside row 1'],
  [
    'a file in no such encoding',
    '\xE0',
    ['--encoding', 'klingon'],
    'my.csv: The "klingon" encoding',
  ],
  [
    'a spreadsheet',
    Buffer.from('504b0304ff', 'hex'),
    [],
    'my.csv: the bytes are not valid utf-8. Save',
  ],
  [
    'no order id',
    'x,amount\na,1\n',
    [],
    'my.csv: no column is known to hold the order (--order-column); the columns are x, amount\n',
  ],
  [
    'no such column',
    'id,x\na,1\n',
    ['--amount-column', 'Sum'],
    'my.csv: no column is titled Sum (--amount-column); the columns are id, x\n',
  ],
  ['an empty file', '', [], 'my.csv: the report ends inside the header'],
  ['an unknown kind of status', '', ['--status', 'shipped'], 'Expected paid, unpaid,'],
  ['a separator', '', ['--decimal-separator', ';'], 'Allowed choices are ., ,.'],
  ['no folder', 'id,amount\na,1\n', ['-o', 'no/such.csv'], 'cannot write no/such.csv: ENOENT'],
  ['no file', '', ['--orders', 'none.csv'], 'none.csv: cannot read the file: ENOENT'],
])('ends with exit code 2 for %s', async (_, content, options, message) => {
  await write('report.csv', `${HEADER}\na,1,EUR,sale,approved\n`)
  await write('my.csv', content)
  const args = ['reconcile', 'report.csv', '--orders', 'my.csv', ...options]
  const { code, stdout, stderr } = await runHere(args, { folder })
  expect(stderr).toContain(message)
  expect(stderr).toContain('\nSee: counterfoil reconcile --help\n')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})

test.each([
  ['id;total,net;status\n1;2;3\n', ';'],
  ['"a;b;c;d",e,f\n', ','],
  ['id\ttotal\n', '\t'],
  ['id|total|status\n', '|'],
  ['id\n', ','],
])('finds the delimiter of %j', (text, delimiter) => {
  expect(findDelimiter(text)).toBe(delimiter)
})
