import { addDecimals, isAtLeast } from './decimals.ts'
import { type OrderRow, parseOrderId, parseRow } from './order-row.ts'
import type { OrderStatus } from './order-statuses.ts'
import type { Partitions } from './partitions.ts'

/** In what an order differs. */
export const DIFFERENCE_KINDS = [
  'missing-in-orders',
  'missing-in-report',
  'status',
  'amount',
  'currency',
  'repeated',
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

/** What one file says about an order. */
export interface OrderSide {
  /** The line of the order's first row. */
  readonly line: number
  readonly rows: number
  readonly amount: string | undefined
  readonly currency: string | undefined
  readonly status: OrderStatus | undefined
}

interface ReportSide extends OrderSide {
  readonly hasPayment: boolean
}

/** An order in which the files differ. */
export interface Difference {
  readonly orderId: string
  readonly kinds: readonly DifferenceKind[]
  readonly orders?: OrderSide
  readonly report?: OrderSide
}

/** Orders that are no differences. */
export interface Agreement {
  /** Orders that are in both files, and equal. */
  agree: number
  /** Orders of the shop that nobody paid, and that the report does not have. */
  unpaidInOrdersOnly: number
  /** Orders of the report that nobody paid, or whose payment is before its period, and that the shop does not have. */
  withoutPaymentInReportOnly: number
}

/** Options of {@link compareOrders}. */
export interface CompareOptions {
  /** Adds up the rows of the shop that have the same order id. */
  readonly sumOrders: boolean
}

/** Compares the orders of one partition after the other. Returns their differences, and counts all other orders. */
export function* compareOrders(
  partitions: Partitions,
  options: CompareOptions,
  agreement: Agreement,
): Generator<readonly Difference[]> {
  for (const lines of partitions.read()) {
    const orders = new Map<string, OrderRow[]>()
    for (const line of lines) {
      const { idAsJson, row } = parseRow(line)
      const rows = orders.get(idAsJson)
      if (rows) rows.push(row)
      else orders.set(idAsJson, [row])
    }
    const differences: Difference[] = []
    for (const [idAsJson, rows] of orders) {
      const difference = compare(rows, options, agreement)
      if (difference) differences.push({ orderId: parseOrderId(idAsJson), ...difference })
    }
    yield differences
  }
}

function compare(
  rows: readonly OrderRow[],
  { sumOrders }: CompareOptions,
  agreement: Agreement,
): Omit<Difference, 'orderId'> | undefined {
  const shop = rows.filter(({ kind }) => kind === 'order')
  const ours = describeShop(shop)
  const theirs = describeReport(rows.filter(({ kind }) => kind !== 'order'))
  const isRepeated = shop.length > 1 && !(sumOrders && isUniform(shop))
  const kinds = isRepeated ? (['repeated'] as const) : kindsOf(ours, theirs)
  if (kinds.length > 0) {
    return { kinds, ...(ours && { orders: ours }), ...(theirs && { report: theirs }) }
  }
  if (ours && theirs) agreement.agree += 1
  else if (ours) agreement.unpaidInOrdersOnly += 1
  else agreement.withoutPaymentInReportOnly += 1
  return undefined
}

function kindsOf(ours: OrderSide | undefined, theirs: ReportSide | undefined): DifferenceKind[] {
  if (!ours) return theirs?.hasPayment ? ['missing-in-orders'] : []
  if (!theirs) return ours.status === 'unpaid' ? [] : ['missing-in-report']
  return differencesOf(ours, theirs)
}

function differencesOf(ours: OrderSide, theirs: OrderSide): DifferenceKind[] {
  const kinds: DifferenceKind[] = []
  // Orders without a status are orders that somebody paid.
  const isSame =
    ours.status === undefined ? theirs.status !== 'unpaid' : ours.status === theirs.status
  if (!isSame) kinds.push('status')
  if (isBoth(ours.amount, theirs.amount) && ours.amount !== theirs.amount) kinds.push('amount')
  if (isBoth(ours.currency, theirs.currency) && ours.currency !== theirs.currency) {
    kinds.push('currency')
  }
  return kinds
}

function isBoth(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined
}

function describeShop(rows: readonly OrderRow[]): OrderSide | undefined {
  const [first] = rows
  if (!first) return undefined
  const { line, status, currency } = first
  const amount = status === 'unpaid' ? undefined : sum(rows)
  return { line, rows: rows.length, amount, currency: currency || undefined, status }
}

function describeReport(rows: readonly OrderRow[]): ReportSide | undefined {
  const [first] = rows
  if (!first) return undefined
  const payments = rows.filter(({ kind }) => kind === 'payment')
  const currencies = [...new Set(payments.map(({ currency }) => currency))]
  return {
    line: first.line,
    rows: rows.length,
    // Amounts of different currencies have no sum.
    amount: payments.length === 0 || currencies.length > 1 ? undefined : sum(payments),
    currency: currencies.join('+') || undefined,
    status: statusOf(rows, payments),
    hasPayment: payments.length > 0,
  }
}

function statusOf(rows: readonly OrderRow[], payments: readonly OrderRow[]): OrderStatus {
  if (rows.some(({ kind }) => kind === 'chargeback')) return 'charged-back'
  const refunds = rows.filter(({ kind }) => kind === 'refund')
  if (refunds.length > 0 && areReturned(payments, refunds)) return 'refunded'
  return payments.length > 0 ? 'paid' : 'unpaid'
}

/** Whether the refunds return the payments of every currency. */
function areReturned(payments: readonly OrderRow[], refunds: readonly OrderRow[]): boolean {
  const paid = Map.groupBy(payments, ({ currency }) => currency)
  const returned = Map.groupBy(refunds, ({ currency }) => currency)
  return [...paid].every(([currency, rows]) => {
    return isAtLeast(sum(returned.get(currency) ?? []), sum(rows))
  })
}

function isUniform(rows: readonly OrderRow[]): boolean {
  const [first] = rows
  return rows.every(({ status, currency }) => {
    return status === first?.status && currency === first?.currency
  })
}

function sum(rows: readonly OrderRow[]): string {
  const [first = '0', ...others] = rows.map(({ amount }) => amount)
  return others.reduce(addDecimals, first)
}
