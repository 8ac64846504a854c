import { addDecimals } from './decimals.ts'
import { formatRow, type RowKind } from './order-row.ts'
import { readStatus, type StatusWords } from './order-statuses.ts'
import type { Partitions } from './partitions.ts'
import {
  type ReadContext,
  readTable,
  type Source,
  type Table,
  type TableSummary,
  type UseRow,
} from './read-table.ts'

/** Which transactions count, and how. */
export interface TransactionRules {
  /** The types whose approved amounts make up the amount of an order. */
  readonly paymentTypes: ReadonlySet<string>
  readonly words: StatusWords
}

/** A report, and what was read of it. */
export interface ReportSummary extends TableSummary {
  readonly hasCurrency: boolean
  /** Whether the report says which transactions were approved. */
  readonly hasStatus: boolean
}

type Add = (
  kind: RowKind,
  orderId: string,
  line: number,
  values?: { amount: string; currency: string },
) => void

const KINDS: Readonly<Record<string, RowKind>> = { reversal: 'refund', chargeback: 'chargeback' }

/** Types that belong to no order of a shop. */
const OTHER_TYPES = new Set(['payout', 'transfer', 'account_verification', 'pan_eligibility'])

/** The columns of `order-reconciliation` that add up to the money that was paid. */
const RECONCILIATION = ['Net_amount', 'Refunded', 'Charged_back'] as const

/**
 * Reads the gateway's report into partitions: `transactions-list`, `order-reconciliation`, or any file with a row for
 * each transaction.
 *
 * @throws {UsageError} which names the file and the line
 */
export async function readReport(
  source: Source,
  rules: TransactionRules,
  partitions: Partitions,
  context: ReadContext,
): Promise<ReportSummary> {
  let [hasCurrency, hasStatus] = [false, false]
  const add: Add = (kind, orderId, line, { amount, currency } = { amount: '', currency: '' }) => {
    partitions.add(orderId, formatRow(orderId, { kind, line, amount, currency }))
  }
  const summary = await readTable(source, context, (table) => {
    const orderAt = table.require('order', 'the order id')
    const currencyAt = table.find('currency')
    hasCurrency = currencyAt !== undefined
    const read = { table, orderAt, currencyAt, add }
    const orders = source.titles.amount === undefined ? openReconciliation(read) : undefined
    if (orders) {
      hasStatus = true
      return orders
    }
    const statusAt = table.find('status')
    hasStatus = statusAt !== undefined
    return openTransactions(read, statusAt, rules)
  })
  return { ...summary, hasCurrency, hasStatus }
}

interface Read {
  readonly table: Table
  readonly orderAt: number
  readonly currencyAt: number | undefined
  readonly add: Add
}

function openTransactions(
  { table, orderAt, currencyAt, add }: Read,
  statusAt: number | undefined,
  { paymentTypes, words }: TransactionRules,
): UseRow {
  const amountAt = table.require('amount', 'the amount')
  const typeAt = table.find('type')
  return (fields, line) => {
    const type = typeAt === undefined ? undefined : (fields[typeAt] ?? '').trim().toLowerCase()
    const isPayment = type === undefined || paymentTypes.has(type)
    if (!isPayment && OTHER_TYPES.has(type)) return
    const orderId = table.readId(fields[orderAt] ?? '')
    if (orderId === undefined) return
    const isApproved =
      statusAt === undefined || readStatus(fields[statusAt] ?? '', words) === 'paid'
    const kind = isPayment ? 'payment' : (KINDS[type] ?? 'event')
    if (!isApproved || kind === 'event') return add('event', orderId, line)
    const amount = table.readAmount(fields[amountAt] ?? '')
    const currency = currencyAt === undefined ? '' : table.readCurrency(fields[currencyAt] ?? '')
    add(kind, orderId, line, { amount, currency })
  }
}

/** Returns `undefined` if the file is not the report `order-reconciliation`, which has one row for each order. */
function openReconciliation({ table, orderAt, currencyAt, add }: Read): UseRow | undefined {
  const [netAt, refundedAt, chargedBackAt] = RECONCILIATION.map((title) =>
    table.findTitled([title]),
  )
  if (netAt === undefined || refundedAt === undefined || chargedBackAt === undefined)
    return undefined
  return (fields, line) => {
    const orderId = table.readId(fields[orderAt] ?? '')
    if (orderId === undefined) return
    const currency = currencyAt === undefined ? '' : table.readCurrency(fields[currencyAt] ?? '')
    const refunded = table.readAmount(fields[refundedAt] ?? '')
    const chargedBack = table.readAmount(fields[chargedBackAt] ?? '')
    const net = table.readAmount(fields[netAt] ?? '')
    const paid = addDecimals(net, addDecimals(refunded, chargedBack))
    const parts: readonly (readonly [RowKind, string])[] = [
      ['payment', paid],
      ['refund', refunded],
      ['chargeback', chargedBack],
    ]
    const moved = parts.filter(([, amount]) => amount !== '0')
    if (moved.length === 0) add('event', orderId, line)
    for (const [kind, amount] of moved) add(kind, orderId, line, { amount, currency })
  }
}
