import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { describe, expect, test } from 'vitest'
import { type Answer, ask, parameters } from '../kit/ask.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const LONG = `${'x'.repeat(32_758)}😀${'y'.repeat(20)}`
/** The texts that every format gets, and texts that are hard for XML and for spreadsheets. */
const TEXTS = [
  ...HARD_TEXTS.filter(({ length }) => length <= 32_767),
  'a "quoted" <word> & \'another\'',
  '=HYPERLINK("http://example.com","x")',
  'inner  spaces',
  'NUL \u0000 and \u0001\u001c\u001d\u001e\u001f\u007f',
  '_x0041_',
  '_x0041_x0042_ _x005F_x0041_',
  '\ufffe\uffff',
  ']]> <!-- ${curly:String} {a:String} %s $1 \\0 \\N',
  'z'.repeat(32_767),
  '😀'.repeat(16_383),
  LONG,
]
/** The mark takes 7 characters. The emoji would be cut in two. */
const CUT = `${'x'.repeat(32_758)}😀… [cut]`
const AMOUNTS = ['302.98', '-5', '0', '0.001', '-0.01', '1234567.5', '99.999', '12']
const FIRST_ID = 9_223_372_036_854_770_000n
const CURRENCIES = ['EUR', 'JPY', 'KWD']
const EXPONENTS = [2, 0, 3]

const REPORT = `
identifier: every-kind
title: Every kind
description: For tests of workbooks.
note: Each amount is in another currency.
roles: [operator, merchant]
parameters:
  - {name: least, title: At least this, type: INPUT_NUMBER, condition: 'amount >= {least:Decimal(38, 8)}'}
columns:
  - {name: Text, kind: text, sql: order_description, about: a text}
  - {name: Id, kind: id, sql: transaction_id, about: an id}
  - {name: Code, kind: id, sql: order_description, about: an id that is a text}
  - {name: Amount, kind: money, sql: amount, about: an amount}
  - name: Currency
    kind: text
    sql: "['EUR', 'JPY', 'KWD'][toUInt8(toInt64(transaction_id) % 3) + 1]"
    about: its currency
  - name: Fee
    kind: money
    currency: Fee_currency
    sql: amount
    about: another amount
  - {name: Fee_currency, kind: text, sql: "'JPY'", about: its currency}
  - name: Large
    kind: money
    sql: "CAST('-1234567890123.4567', 'Decimal(38, 4)')"
    about: more digits than a spreadsheet keeps
  - {name: Integer, kind: integer, sql: -toInt32(toInt64(transaction_id) % 1000), about: a number}
  - {name: Large_integer, kind: integer, sql: toInt64(transaction_id), about: a large number}
  - {name: Date, kind: date, sql: 'toTimeZone(created_at, {timezone:String})', about: a day}
  - {name: Old_date, kind: date, sql: "toDate32('1900-02-28')", about: a day before spreadsheets agree}
  - {name: First_date, kind: date, sql: "toDate32('1900-03-01')", about: the first day on which they do}
  - {name: Time, kind: time, sql: created_at, about: a time}
  - {name: Ratio, kind: ratio, sql: toFloat64(amount) / 3, about: a share}
  - {name: No_ratio, kind: ratio, sql: toFloat64(amount) / 0, about: no number}
  - {name: Rate, kind: rate, sql: "CAST(amount / 7, 'Decimal(18, 8)')", about: a rate}
  - {name: Nothing, kind: money, sql: gateway_fee, about: no amount}
  - {name: No_time, kind: time, sql: processed_at, about: no time}
order: [merchant_id, created_at, transaction_id]
totals:
  by: [Currency]
  columns: [Amount, Integer, Nothing]
`
const { sandbox, gateway } = await serveSandbox([0], ({ folder }) => {
  const reports = join(folder, 'own-reports')
  mkdirSync(reports)
  writeFileSync(join(reports, 'every-kind.yaml'), REPORT)
  return { reports }
})
const ROWS = TEXTS.map((description, index) => ({
  id: FIRST_ID + BigInt(index),
  createdAt: `2026-07-31 22:${10 + Math.ceil(index / 2)}:${index % 2 === 0 ? 59 : 29}.999`,
  amount: AMOUNTS[index % AMOUNTS.length] ?? '',
  description,
}))
await gateway.engine.execute(
  "INSERT INTO currencies (currency, exponent) VALUES ('EUR', 2), ('JPY', 0), ('KWD', 3)",
)
await insertRows(gateway.engine, ROWS)

const BERLIN = parameters({ timezone: 'Europe/Berlin' })

async function askFor(request: object, reportFormat = 'XLSX'): Promise<Answer> {
  const usual = { reportIdentifier: 'every-kind', reportFormat, ...BERLIN }
  return await ask(gateway, sandbox.logins.merchant, { ...usual, ...request })
}

function configuration(values: Readonly<Record<string, string>>) {
  const configurationReportParameters = Object.entries(values).map(([name, value]) => {
    return { type: 'INPUT_TEXT' as const, name, value }
  })
  return { configurationReportParameters }
}

/** Reads a workbook: the rows of its first sheet by title, its other parts, and the sheet about the report. */
async function read(answer: Answer) {
  expect(answer.status).toBe(200)
  const { sheets } = await readXlsx(answer.bytes, { readStyles: true })
  const [sheet, about] = sheets
  if (!sheet || !about) throw new Error('expected two sheets')
  const [titles = [], ...rows] = sheet.rows
  const column = (title: string) => rows.map((row) => row[titles.indexOf(title)])
  const formats = (title: string) => {
    return rows.map((_, index) => {
      return sheet.cells?.get(`${index + 1},${titles.indexOf(title)}`)?.style?.numFmt
    })
  }
  return { sheets, sheet, titles, rows, column, formats, about: about.rows }
}

/** The number format of an amount. It hides no digit of the amount. */
function shown(exponent: number, amount: string): string {
  const digits = Math.max(exponent, amount.split('.')[1]?.length ?? 0)
  return `#,##0${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`
}

const usualAnswer = await askFor({})
const usual = await read(usualAnswer)

describe('a workbook of every kind', () => {
  const { about, column, formats, sheet, sheets, titles } = usual

  test('holds the texts and ids of the ledger, and no formula', () => {
    const texts = TEXTS.map((text) => (text === LONG ? CUT : text === '' ? null : text))
    expect(column('Text')).toEqual(texts)
    expect(column('Code')).toEqual(texts)
    expect(column('Id')).toEqual(ROWS.map(({ id }) => String(id)))
    expect(usualAnswer.trailers['counterfoil-rows']).toBe(String(TEXTS.length))
    const cells = sheets.flatMap(({ cells: own }) => [...(own?.values() ?? [])])
    expect(cells.length).toBeGreaterThan(TEXTS.length * 10)
    expect(cells.filter(({ formula }) => formula !== undefined)).toEqual([])
  })

  test('holds amounts as numbers, with the fraction digits of their currencies', () => {
    expect(column('Amount')).toEqual(ROWS.map(({ amount }) => Number(amount)))
    expect(column('Fee')).toEqual(ROWS.map(({ amount }) => Number(amount)))
    expect(formats('Amount')).toEqual(
      ROWS.map(({ id, amount }) => shown(EXPONENTS[Number(id % 3n)] ?? 0, amount)),
    )
    expect(column('Currency')).toEqual(ROWS.map(({ id }) => CURRENCIES[Number(id % 3n)]))
    expect(formats('Fee')).toEqual(ROWS.map(({ amount }) => shown(0, amount)))
    expect(column('Nothing')).toEqual(ROWS.map(() => null))
  })

  test('writes numbers of more than 15 digits as text', () => {
    expect(column('Large')).toEqual(ROWS.map(() => '-1234567890123.4567'))
    expect(column('Large_integer')).toEqual(ROWS.map(({ id }) => String(id)))
    expect(column('Integer')).toEqual(ROWS.map(({ id }) => 0 - Number(id % 1000n)))
    const notes = about.filter(([label]) => label === 'Note').map(([, note]) => note)
    expect(notes).toEqual(['Each amount is in another currency.'])
  })

  test('holds days and times in the time zone of the report', async () => {
    const times = ROWS.map(({ createdAt }) => {
      return new Date(Date.parse(`${createdAt.slice(0, 19).replace(' ', 'T')}Z`) + 2 * 3_600_000)
    })
    expect(column('Time')).toEqual(times)
    expect(times[0]?.toISOString()).toBe('2026-08-01T00:10:59.000Z')
    expect(column('Date')).toEqual(ROWS.map(() => new Date('2026-08-01T00:00:00Z')))
    expect(column('Old_date')).toEqual(ROWS.map(() => '1900-02-28'))
    expect(column('First_date')).toEqual(ROWS.map(() => new Date('1900-03-01T00:00:00Z')))
    expect(column('No_time')).toEqual(ROWS.map(() => null))
    expect(formats('Time')[0]).toBe(String.raw`yyyy\-mm\-dd\ hh:mm:ss`)
    expect(formats('Date')[0]).toBe(String.raw`yyyy\-mm\-dd`)
    const american = await read(await askFor(configuration({ dateFormat: 'MM/DD/YYYY' })))
    expect(american.formats('Time')[0]).toBe(String.raw`mm\/dd\/yyyy\ hh:mm:ss`)
    expect(american.formats('Date')[0]).toBe(String.raw`mm\/dd\/yyyy`)
    expect(american.rows).toEqual(usual.rows)
  })

  test('holds ratios and rates as CSV does', async () => {
    const csv = await askFor(
      {
        outputReportParameters: ['Ratio', 'No_ratio', 'Rate'],
        ...configuration({ quote: 'minimal' }),
      },
      'CSV',
    )
    const lines = csv.text.trim().split('\r\n').slice(1)
    const cells = lines.map((line) => line.split(','))
    expect(cells).toHaveLength(ROWS.length)
    expect(column('Ratio')).toEqual(cells.map(([ratio]) => Number(ratio)))
    expect(column('No_ratio')).toEqual(cells.map(([, none]) => none))
    expect(column('Rate')).toEqual(cells.map(([, , rate]) => Number(rate)))
  })

  test('has a frozen header, a filter and widths that fit the rows', () => {
    expect(sheet.freezePane).toEqual({ rows: 1 })
    expect(sheet.autoFilter?.range).toBe(`A1:S${TEXTS.length + 1}`)
    const widths = sheet.columns?.map(({ width }) => width)
    expect(widths).toHaveLength(titles.length)
    expect(widths?.[titles.indexOf('Text')]).toBe(60)
    expect(widths?.[titles.indexOf('Id')]).toBe(String(FIRST_ID).length + 3)
    expect(widths?.[titles.indexOf('Currency')]).toBe('Currency'.length + 4)
  })
})

test('a report without rows is a workbook with its header', async () => {
  const answer = await askFor(parameters({ least: '999999999', timezone: 'Europe/Berlin' }))
  const { titles, rows, about } = await read(answer)
  expect(rows).toEqual([])
  expect(titles).toHaveLength(19)
  expect(about).toContainEqual(['Least', '999999999', null, null, null])
  expect(about.map(([label]) => label)).not.toContain('Note')
  expect(answer.trailers['counterfoil-rows']).toBe('0')
})
