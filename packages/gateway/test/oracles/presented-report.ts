import { parse } from 'csv-parse/sync'
import * as z from 'zod'
import type { Answer } from '../kit/ask.ts'

/** Texts that break a careless writer. */
export const TEXTS = [
  'plain',
  'a "quoted" word',
  '"',
  'two\r\nlines',
  'lone\rCR',
  'lone\nLF',
  'a,b',
  'a;b',
  'a\tb',
  'a|b',
  'a\\b',
  "it's",
  'a^b',
  'a]b',
  '[a-b',
  '0',
  '1e5',
  ' ',
  '\\N',
  '=1+1',
  '+1',
  '-5.00',
  '@SUM(A1)',
  '\t=1',
  '\r',
  '-',
  'NULL',
  '',
  ' =1',
  'a=1',
  '漢字 😀',
  '\u2028',
  '\ufeffBOM',
  '\u0001\u007f',
  '{a:String} %s $1 \\0',
]
/** Amounts with different numbers of digits. */
export const AMOUNTS = '0 -5 302.98 0.001 -0.01 1234567.5 2559 -1000 99.999 12'.split(' ')

/** A column of each kind, one that is empty, one that merchants do not see, and one that appears only on request. */
export const REPORT = `
identifier: every-kind
title: Every kind
description: For tests of how a report is written.
roles: [operator, merchant]
formats: [CSV]
columns:
  - {name: Text, kind: text, sql: order_description, about: a text}
  - {name: Id, kind: id, sql: transaction_id, about: an id}
  - {name: Code, kind: id, sql: order_description, about: an id that is a text}
  - {name: Money, kind: money, sql: amount, about: an amount}
  - {name: Integer, kind: integer, sql: -toInt32(toInt64(transaction_id) % 1000), about: a number}
  - {name: Date, kind: date, sql: 'toTimeZone(created_at, {timezone:String})', about: a day}
  - {name: Time, kind: time, sql: created_at, about: a time}
  - {name: Ratio, kind: ratio, sql: toFloat64(amount) / 3, about: a share}
  - {name: Rate, kind: rate, sql: "CAST(amount / 7, 'Decimal(18, 8)')", about: a rate}
  - {name: Nothing, kind: money, sql: gateway_fee, about: no amount}
  - {name: Zone, kind: text, sql: '{timezoneName:String}', about: the time zone}
  - {name: Hidden, kind: text, sql: status, about: a secret, roles: [operator]}
  - {name: Wanted, kind: text, sql: client_order_id, about: the order, optional: true}
order: [merchant_id, created_at, transaction_id]
`
/** Its columns, except the one that merchants do not see. */
export const KINDS = {
  Text: 'text',
  Id: 'id',
  Code: 'id',
  Money: 'money',
  Integer: 'integer',
  Date: 'date',
  Time: 'time',
  Ratio: 'ratio',
  Rate: 'rate',
  Nothing: 'money',
  Zone: 'text',
  Wanted: 'text',
} as const
/** The name of a column. */
export type Name = keyof typeof KINDS
/** The names of the columns, in the report's order. */
export const NAMES = Object.keys(KINDS) as Name[]

/** A report with totals. Merchants do not see one of the summed columns. */
export const TOTALS = `
identifier: with-totals
title: With totals
description: For tests of totals.
roles: [operator, merchant]
formats: [CSV]
parameters:
  - {name: least, title: At least this, type: INPUT_NUMBER, condition: 'amount >= {least:Decimal(38, 8)}'}
columns:
  - {name: Type, kind: text, sql: transaction_type, about: the type}
  - {name: Currency, kind: text, sql: currency, about: the currency}
  - {name: Amount, kind: money, sql: amount, about: the amount}
  - {name: Count, kind: integer, sql: '1', about: one}
  - {name: Margin, kind: money, sql: -amount, about: a secret, roles: [operator]}
order: [merchant_id, created_at, transaction_id]
totals:
  by: [Type, Currency]
  columns: [Amount, Count, Margin]
`

/** The values of each configuration parameter that a test combines with the others. */
export const CHOICES = {
  header: ['on', 'off'],
  quote: ['all', 'minimal'],
  lineEnd: ['CRLF', 'LF'],
  bom: ['off', 'on'],
  decimals: ['3', '2', '1', '0'],
  decimalSeparator: ['.', ','],
  dateFormat: ['mixed', 'ISO', 'DD.MM.YYYY', 'MM/DD/YYYY'],
  ids: ['plain', 'text'],
  neutralise: ['off', 'on'],
  totals: ['off'],
}

/** The configuration parameters of a request. */
export type Configuration = Readonly<Record<string, string>>

/** Converts a cell of the plain report to what a configuration prints. */
export function printed(name: Name, cell: string, configuration: Configuration): string {
  const {
    decimals = '3',
    decimalSeparator = '.',
    neutralise = 'off',
    ids,
    dateFormat,
  } = configuration
  const kind = KINDS[name]
  if (kind === 'id' && ids === 'text') return cell && `="${cell.replaceAll('"', '""')}"`
  const isText = kind === 'text' || (kind === 'id' && !/^-?\d+$/.test(cell))
  if (isText && neutralise === 'on' && /^(?:[\t\r\n]|\s*[-=+@＝＋－＠])/.test(cell))
    return `'${cell}`
  if (kind === 'date' || kind === 'time') return withDay(cell, dateFormat)
  if (kind === 'ratio' || kind === 'rate') return cell.replace('.', decimalSeparator)
  if (kind !== 'money' || cell === '') return cell
  const [integer = '', fraction = ''] = cell.split('.')
  const digits = fraction.replace(/0+$/, '').padEnd(Number(decimals), '0')
  return digits === '' ? integer : `${integer}${decimalSeparator}${digits}`
}

/** Converts the day in a date or time of the plain report to a date format. */
function withDay(cell: string, dateFormat: string | undefined): string {
  const [day = '', time = ''] = cell.split(' ')
  const [year, month, date] = day.includes('-') ? day.split('-') : day.split('.').toReversed()
  const written: Readonly<Record<string, string>> = {
    ISO: `${year}-${month}-${date}`,
    'DD.MM.YYYY': `${date}.${month}.${year}`,
    'MM/DD/YYYY': `${month}/${date}/${year}`,
  }
  return `${written[dateFormat ?? ''] ?? day} ${time}`.trim()
}

/** Computes the expected bytes of a report, as text. */
export function expectedFile(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { header, quote, lineEnd, bom, delimiter = ',' }: Configuration,
): string {
  const isMinimal = quote === 'minimal' && titles.length > 1
  const needsQuotes = (cell: string): boolean => {
    return [delimiter, ',', '"', '\r', '\n'].some((character) => cell.includes(character))
  }
  const field = (cell: string): string => {
    return isMinimal && !needsQuotes(cell) ? cell : `"${cell.replaceAll('"', '""')}"`
  }
  const lines = header === 'off' ? rows : [titles, ...rows]
  const end = lineEnd === 'LF' ? '\n' : '\r\n'
  const text = lines.map((cells) => cells.map(field).join(delimiter) + end).join('')
  return (bom === 'on' ? '\ufeff' : '') + text
}

/** Adds amounts of the plain report. */
export function sumOf(amounts: readonly string[]): string {
  const thousandths = amounts.map((amount) => BigInt(Math.round(Number(amount) * 1000)))
  const sum = thousandths.reduce((one, other) => one + other, 0n)
  return `${sum / 1000n}.${String(sum % 1000n).padStart(3, '0')}`
}

const table = z.array(z.array(z.string()))

/**
 * Reads a report with a CSV parser that knows its configuration.
 *
 * @throws if the answer is no report
 */
export function cellsOf(
  answer: Answer,
  { lineEnd, bom, delimiter = ',' }: Configuration,
): string[][] {
  if (answer.status !== 200) throw new Error(`expected a report, got ${answer.text}`)
  const options = {
    delimiter,
    bom: bom === 'on',
    record_delimiter: lineEnd === 'LF' ? '\n' : '\r\n',
  }
  return table.parse(parse(answer.bytes, options))
}
