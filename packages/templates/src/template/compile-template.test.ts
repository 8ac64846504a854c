import { join } from 'node:path'
import { neutraliseText } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { openKeptChecks } from '../../../gateway/test/kit/kept-checks.ts'
import { useScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { printed } from '../../../engine/src/dialect/print-columns.ts'
import { type Choice, compileTemplate, compileTotals, PLAIN_SELECT } from './compile-template.ts'
import { loadCatalogue } from './load-templates.ts'
import type { Template } from './template.ts'
import {
  type ColumnKind,
  PLAIN_STYLE,
  type ValueStyle,
} from '../../../engine/src/dialect/column-kinds.ts'

const REPORTS = join(import.meta.dirname, '../../../../reports')

const ledger = await useScratchLedger()

async function print(kind: ColumnKind, sql: string, change: Partial<ValueStyle> = {}) {
  const row = z.object({ text: z.string() })
  const [read] = await readRows(ledger.engine, row, {
    sql: `SELECT ${printed(kind, sql, { ...PLAIN_STYLE, ...change })} AS text`,
    parameters: { timezone: 'Europe/Berlin' },
  })
  return read?.text
}

describe('prints a column by its kind', () => {
  test.each<[ColumnKind, sql: string, text: string]>([
    ['text', '\'a "b"\'', 'a "b"'],
    ['text', 'CAST(NULL AS Nullable(String))', ''],
    ['text', "toLowCardinality('sale')", 'sale'],
    ['text', "'a' -- and a comment", 'a'],
    ['id', 'toInt64(9223372036854775807)', '9223372036854775807'],
    ['money', "toDecimal64('1234567.5', 4)", '1234567.500'],
    ['money', "toDecimal64('-0.01', 4)", '-0.010'],
    ['money', "toDecimal128('99999999999999999.999', 4)", '99999999999999999.999'],
    ['money', 'CAST(NULL AS Nullable(Decimal(20, 4)))', ''],
    ['integer', '42', '42'],
    ['rate', "toDecimal64('1.085', 8)", '1.085'],
    ['rate', "toDecimal64('0.00000001', 8)", '0.00000001'],
    ['ratio', "toDecimal64('0.5', 8)", '0.5000'],
    ['ratio', '1 / 3', '0.3333'],
    ['date', "toDate32('2026-01-31')", '31.01.2026'],
    ['date', 'CAST(NULL AS Nullable(Date32))', ''],
    ['time', "toDateTime64('2026-07-31 22:30:59.999', 3, 'UTC')", '2026-08-01 00:30:59'],
    ['time', "CAST(NULL AS Nullable(DateTime64(3, 'UTC')))", ''],
  ])('%s: %s', async (kind, sql, text) => {
    expect(await print(kind, sql)).toBe(text)
  })

  test.each<[decimals: number, amount: string, text: string]>([
    [0, '2559', '2559'],
    [0, '0', '0'],
    [0, '-5.5', '-5.5'],
    [0, '302.98', '302.98'],
    [0, '0.001', '0.001'],
    [1, '5', '5.0'],
    [1, '5.25', '5.25'],
    [2, '5', '5.00'],
    [2, '-0.10', '-0.10'],
    [2, '1.125', '1.125'],
    [3, '1.125', '1.125'],
  ])(
    'prints at least %i fraction digits of an amount, and more if it has them: %s',
    async (decimals, amount, text) => {
      const sql = `toDecimal64('${amount}', 4)`
      expect(await print('money', sql, { decimals })).toBe(text)
      const commas = { decimals, decimalSeparator: ',' } as const
      expect(await print('money', sql, commas)).toBe(text.replace('.', ','))
    },
  )

  test('a decimal comma applies to amounts, rates and ratios only', async () => {
    const commas = { decimalSeparator: ',' } as const
    expect(await print('ratio', '0.5', commas)).toBe('0,5000')
    expect(await print('rate', "toDecimal64('1.085', 8)", commas)).toBe('1,085')
    expect(await print('text', "'1.5'", commas)).toBe('1.5')
    expect(await print('id', "'1.5'", commas)).toBe('1.5')
  })

  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\n1',
    '   -1',
    '\u{200B} =1',
    '\u{FF1D}1',
    '\u{FE66}1',
    '\u{2212}1',
  ])('makes the formula in the text %j harmless on request', async (text) => {
    const sql = `'${text}'`
    expect(await print('text', sql)).toBe(text)
    expect(await print('text', sql, { neutralise: true })).toBe(`'${text}`)
  })

  test('no invisible character hides a formula in a text or a title', async () => {
    const unseen = Array.from({ length: 0x11_0000 }, (_, point) => point).filter((point) => {
      return /[\p{Z}\p{Cc}\p{Cf}\p{M}\p{DI}\u2800]/u.test(String.fromCodePoint(point))
    })
    const texts = unseen.map((point) => `${String.fromCodePoint(point)}=1`)
    expect(texts.filter((text) => neutraliseText(text) === text)).toEqual([])
    const hex = texts.map((text) => Buffer.from(text).toString('hex')).join()
    const text = printed('text', 'text', { ...PLAIN_STYLE, neutralise: true })
    const sql = `SELECT hex(text) AS hidden
      FROM (SELECT unhex(arrayJoin(splitByChar(',', {hex:String}))) AS text)
      WHERE NOT startsWith(${text}, '\\'')`
    const row = z.object({ hidden: z.string() })
    expect(await readRows(ledger.engine, row, { sql, parameters: { hex } })).toEqual([])
  })

  test('only a text that begins like a formula gets an apostrophe', async () => {
    const neutralise = true
    for (const text of ['', ' ', ' 1', 'a=1', '1-1', '.=1', 'a\n=1', '\u{2013}1', '\u{AC00}=1']) {
      expect(await print('text', `'${text}'`, { neutralise })).toBe(text)
    }
    expect(await print('money', "toDecimal64('-5', 4)", { neutralise })).toBe('-5.000')
    expect(await print('integer', '-5', { neutralise })).toBe('-5')
    expect(await print('ratio', '-0.5', { neutralise })).toBe('-0.5000')
    expect(await print('id', '-5', { neutralise })).toBe('-5')
    expect(await print('id', "'-5'", { neutralise })).toBe('-5')
  })

  test('an id that begins like a formula is made harmless too', async () => {
    expect(await print('id', "'=1'", { neutralise: true })).toBe("'=1")
    expect(await print('id', "'-5+1'", { neutralise: true })).toBe("'-5+1")
  })

  test.each([
    ['toInt64(1000010000000000123)', '="1000010000000000123"'],
    ["'0012'", '="0012"'],
    ["'1E5'", '="1E5"'],
    ["'=1'", '="=1"'],
    [`'a"&HYPERLINK("b")&"'`, '="a""&HYPERLINK(""b"")&"""'],
    ["''", ''],
    ['CAST(NULL AS Nullable(Int64))', ''],
  ])('prints the id %s as the text %s', async (sql, text) => {
    expect(await print('id', sql, { idsAsText: true })).toBe(text)
    expect(await print('id', sql, { idsAsText: true, neutralise: true })).toBe(text)
    const plain = await print('id', sql)
    expect(await print('text', sql, { idsAsText: true })).toBe(plain)
  })

  test.each([
    ['ISO', '2026-08-01', '2026-08-01 00:30:59'],
    ['DD.MM.YYYY', '01.08.2026', '01.08.2026 00:30:59'],
    ['MM/DD/YYYY', '08/01/2026', '08/01/2026 00:30:59'],
    ['mixed', '01.08.2026', '2026-08-01 00:30:59'],
  ] as const)('the date format %s prints a day as %s', async (dateFormat, date, time) => {
    const instant = "toDateTime64('2026-07-31 22:30:59.999', 3, 'UTC')"
    const day = `toTimeZone(${instant}, {timezone:String})`
    expect(await print('date', "toDate32('2026-08-01')", { dateFormat })).toBe(date)
    expect(await print('date', day, { dateFormat })).toBe(date)
    expect(await print('time', instant, { dateFormat })).toBe(time)
  })
})

const TEMPLATE: Template = {
  identifier: 'x',
  title: 'X',
  description: 'X',
  roles: ['operator'],
  formats: ['CSV'],
  rows: 'transactions',
  currencies: 'currency',
  condition: 'amount > 0 -- not 0',
  period: {
    axes: {
      created: { sql: 'created_at', kind: 'time' },
      bank: { sql: 'bank_date', kind: 'date' },
    },
    required: false,
  },
  parameters: [
    {
      name: 'a',
      title: 'A',
      type: 'INPUT_TEXT',
      required: false,
      list: false,
      condition: 'x = {a:String} OR 1',
    },
    { name: 'b', title: 'B', type: 'INPUT_TEXT', required: false, list: false },
  ],
  columns: [
    { name: 'Of two words', kind: 'id', sql: 'order_id', about: 'X', optional: false },
    { name: 'Sum', kind: 'integer', sql: 'reserve', about: 'X', optional: false },
  ],
  order: ['merchant_id', 'created_at + 1 DESC'],
}
const ALL: Choice = { columns: TEMPLATE.columns, hasValue: () => true, select: PLAIN_SELECT }

test('compiles a report to one SELECT, with each piece in its own parentheses', () => {
  const [first] = TEMPLATE.columns
  const columns = first ? [first] : []
  expect(compileTemplate(TEMPLATE, { ...ALL, columns })).toBe(`SELECT
  ifNull(toString((order_id
)), '')
FROM transactions
WHERE (amount > 0 -- not 0
)
  AND (created_at
) >= {dateFrom:DateTime64(3, 'UTC')}
  AND (created_at
) < {dateTo:DateTime64(3, 'UTC')}
  AND (x = {a:String} OR 1
)
ORDER BY (merchant_id
), (created_at + 1
) DESC`)
})

test('gives formats the currency of each amount, also of totals', () => {
  const own = { about: 'X', optional: false } as const
  const columns = [
    { name: 'Currency', kind: 'text', sql: 'currency', ...own },
    { name: 'Paid_in', kind: 'text', sql: 'settlement_currency', ...own },
    { name: 'Amount', kind: 'money', sql: 'amount', ...own },
    { name: 'Fee', kind: 'money', sql: 'gateway_fee', currency: 'Paid_in', ...own },
    { name: 'Rows', kind: 'integer', sql: '1', ...own },
  ] as const
  const [currency, paidIn, amount, fee, rows] = columns
  const currencies: (string | undefined)[] = []
  const select: Choice['select'] = (selected) => {
    currencies.push(...selected.map(({ currencySql }) => currencySql))
    return ['1']
  }
  const template = { ...TEMPLATE, columns }
  compileTemplate(template, { ...ALL, columns: [amount, fee, rows, currency], select })
  expect(currencies.splice(0)).toEqual(['currency', 'settlement_currency', undefined, undefined])
  compileTotals(template, { by: [rows, paidIn], sums: [fee, amount] }, { ...ALL, select })
  // The totals do not separate the currencies of Amount.
  expect(currencies).toEqual([undefined, undefined, undefined, 'key_1', undefined])
})

test('loads every report of the repository, with the engine’s time zones', {
  tags: ['long'],
}, async () => {
  const checks = openKeptChecks(ledger.folder)
  const { reports, timezones } = await loadCatalogue(REPORTS, ledger.engine, { checks })
  const list = reports.get('transactions-list')
  const usual = list?.template.columns.filter(({ optional }) => !optional)
  expect(usual).toHaveLength(9)
  expect([...(list?.tables ?? [])]).toEqual(['transactions'])
  expect([...timezones]).toEqual(
    expect.arrayContaining(['UTC', 'Europe/Berlin', 'America/New_York']),
  )
  for (const timezone of timezones) {
    expect(() => new Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow()
  }
})
