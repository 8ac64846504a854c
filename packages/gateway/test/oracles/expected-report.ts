import type { ReportRequest } from '@counterfoil/protocol'
import { FILTERED_COLUMNS } from '../kit/filtered-columns.ts'
import type { LedgerRow } from '../kit/ledger-rows.ts'
import type { Login } from '../kit/sandbox.ts'

/** The options of an expected report: those of the request, with bounds as instants. */
export interface Expected {
  readonly viewer: Pick<Login, 'role' | 'sees'>
  readonly filters?: ReportRequest['filters']
  readonly fromMs?: number
  readonly toMs?: number
  readonly timezone?: string
  readonly statuses?: readonly string[]
  readonly types?: readonly string[]
  readonly delimiter?: string
  readonly now: Date
}

const HEADER = [
  'Merchant_Name',
  'Transaction_id',
  'Merchant_OID',
  'Created_date',
  'Amount',
  'Currency',
  'Transaction_type',
  'Order_description',
  'Date_of_report',
]

/** Computes the report `transactions-list` from exported rows, in plain JavaScript. */
export function expectedReport(rows: readonly LedgerRow[], expected: Expected) {
  const { timezone = 'UTC', delimiter = ',', now } = expected
  const chosen = rows.filter((row) => isIn(row, expected)).toSorted(byKey)
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const printed = (date: Date | number) => {
    const [, day, month, year, time] =
      /^(\d+)\/(\d+)\/(\d+), ([\d:]+)$/.exec(clock.format(date)) ?? []
    return { time: `${year}-${month}-${day} ${time}`, day: `${day}.${month}.${year}` }
  }
  const dateOfReport = printed(now).day
  const lines = chosen.map((row) => [
    row.merchant_name,
    row.transaction_id,
    row.client_order_id,
    printed(row.created_ms).time,
    threeDigits(row.amount),
    row.currency,
    row.transaction_type,
    row.order_description ?? '',
    dateOfReport,
  ])
  const quote = (field: string) => `"${field.replaceAll('"', '""')}"`
  const csv = [HEADER, ...lines].map((line) => `${line.map(quote).join(delimiter)}\r\n`).join('')
  return { rows: chosen.length, csv }
}

/** Finds the first line in which two reports differ, and returns some lines of each from there. */
export function firstDifference(actual: string, expected: string): object | undefined {
  if (actual === expected) return undefined
  const [one, other] = [actual.split('\r\n'), expected.split('\r\n')]
  const line = one.findIndex((text, index) => text !== other[index])
  const from = line < 0 ? one.length : line
  return { line: from, actual: one.slice(from, from + 3), expected: other.slice(from, from + 3) }
}

function isIn(row: LedgerRow, expected: Expected): boolean {
  const { viewer, filters = {}, fromMs = -Infinity, toMs = Infinity, statuses, types } = expected
  const own = viewer.role === 'operator' || viewer.sees.includes(row[`${viewer.role}_id`] ?? '')
  const filtered = Object.entries(FILTERED_COLUMNS).every(([name, column]) => {
    const values = filters[name as keyof typeof FILTERED_COLUMNS] ?? []
    const wanted = values.map(String)
    return wanted.length === 0 || wanted.includes(row[column] ?? '')
  })
  return (
    own &&
    filtered &&
    row.created_ms >= fromMs &&
    row.created_ms < toMs &&
    (statuses?.includes(row.status) ?? true) &&
    (types?.includes(row.transaction_type) ?? true)
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function byKey(a: LedgerRow, b: LedgerRow): number {
  return (
    compare(a.merchant_id, b.merchant_id) ||
    a.created_ms - b.created_ms ||
    compare(a.transaction_id, b.transaction_id)
  )
}

function threeDigits(amount: string): string {
  const [integer, fraction = ''] = amount.split('.')
  return `${integer}.${fraction.padEnd(3, '0').slice(0, 3)}`
}
