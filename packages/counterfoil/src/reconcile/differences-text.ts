import { currencyDigits, neutraliseText } from '@counterfoil/protocol'
import { jsonLine } from '../print/json-line.ts'
import type { Difference, OrderSide } from './comparison.ts'

const TITLES = [
  'Order_id',
  'Difference',
  'Orders_amount',
  'Report_amount',
  'Orders_currency',
  'Report_currency',
  'Orders_status',
  'Report_status',
  'Orders_line',
  'Report_line',
]

/** The header row of the CSV file of differences. */
export const CSV_HEADER = csvLine(TITLES)

/** Writes a difference as a row of CSV. Buyers may choose order ids, so none becomes a formula of a spreadsheet. */
export function differenceAsCsv({ orderId, kinds, orders, report }: Difference): string {
  const values = (side: OrderSide | undefined) => [
    formatAmount(side),
    side?.currency,
    side?.status,
    side && String(side.line),
  ]
  const [ours, theirs] = [values(orders), values(report)]
  const pairs = ours.flatMap((value, index) => [value ?? '', theirs[index] ?? ''])
  return csvLine([neutraliseText(orderId), kinds.join(' '), ...pairs])
}

/** Writes a difference as a line of JSON. */
export function differenceAsJson({ orderId, kinds, orders, report }: Difference): string {
  return jsonLine({ orderId, differs: kinds, orders: asJson(orders), report: asJson(report) })
}

/** Writes an amount with the fraction digits of its currency, at least. */
export function formatAmount(side: Pick<OrderSide, 'amount' | 'currency'> | undefined): string {
  if (side?.amount === undefined) return ''
  const [whole = '', fraction = ''] = side.amount.split('.')
  const padded = fraction.padEnd(currencyDigits(side.currency ?? '') ?? 0, '0')
  return padded === '' ? whole : `${whole}.${padded}`
}

function asJson(side: OrderSide | undefined): Record<string, unknown> | undefined {
  if (!side) return undefined
  const { line, rows, currency, status } = side
  return { line, rows, amount: formatAmount(side) || undefined, currency, status }
}

function csvLine(values: readonly string[]): string {
  return `${values.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')}\r\n`
}
