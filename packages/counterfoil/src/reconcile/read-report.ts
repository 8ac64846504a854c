import type { TransactionRow } from './comparison.ts'
import { sumDecimals } from './decimals.ts'
import { readStatus, type StatusWords } from './order-statuses.ts'
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

type Add = (row: TransactionRow) => void

const KINDS: ReadonlyMap<string, TransactionRow['kind']> = new Map([
  ['reversal', 'refund'],
  ['chargeback', 'chargeback'],
])

/** Types that belong to no order of a shop. */
const OTHER_TYPES = new Set(['payout', 'transfer', 'account_verification', 'pan_eligibility'])

/** The columns of `order-reconciliation` that add up to the money that was paid. */
const RECONCILIATION = ['Net_amount', 'Refunded', 'Charged_back'] as const

/**
 * Reads the gateway's report: `transactions-list`, `order-reconciliation`, or any file with a row for each transaction.
 *
 * @throws {UsageError} which names the file and the line
 */
export async function readReport(
  source: Source,
  rules: TransactionRules,
  add: Add,
  context: ReadContext,
): Promise<TableSummary> {
  return await readTable(source, context, (table) => {
    const orderAt = table.require('order', 'the order id')
    const currencyAt = table.find('currency')
    const readId = (fields: readonly string[]) => table.readId(fields[orderAt] ?? '')
    const readCurrency = (fields: readonly string[]) => {
      return currencyAt === undefined ? '' : table.readCurrency(fields[currencyAt] ?? '')
    }
    const columns = source.titles.amount === undefined ? findReconciliation(table) : undefined
    const read = { table, readId, readCurrency, add }
    return columns ? openReconciliation(read, columns) : openTransactions(read, rules)
  })
}

interface Read {
  readonly table: Table
  readonly readId: (fields: readonly string[]) => string | undefined
  readonly readCurrency: (fields: readonly string[]) => string
  readonly add: Add
}

function openTransactions(
  { table, readId, readCurrency, add }: Read,
  { paymentTypes, words }: TransactionRules,
): UseRow {
  const amountAt = table.require('amount', 'the amount')
  const typeAt = table.find('type')
  const statusAt = table.find('status')
  return (fields, line) => {
    const type = typeAt === undefined ? undefined : (fields[typeAt] ?? '').trim().toLowerCase()
    const isPayment = type === undefined || paymentTypes.has(type)
    if (!isPayment && OTHER_TYPES.has(type)) return
    const id = readId(fields)
    if (id === undefined) return
    const isApproved =
      statusAt === undefined || readStatus(fields[statusAt] ?? '', words) === 'paid'
    const kind = isPayment ? 'payment' : (KINDS.get(type) ?? 'event')
    if (!isApproved || kind === 'event') {
      return add({ id, line, kind: 'event', amount: null, currency: '' })
    }
    const amount = table.readAmount(fields[amountAt] ?? '')
    add({ id, line, kind, amount, currency: readCurrency(fields) })
  }
}

/** Finds the columns of `order-reconciliation`. Returns `undefined` if the file is another report. */
function findReconciliation(table: Table): readonly number[] | undefined {
  const columns = RECONCILIATION.map((title) => table.findTitled([title]))
  if (columns.includes(undefined)) return undefined
  table.found.add('status')
  return columns.map(Number)
}

/** Reads `order-reconciliation`, which has one row for each order. */
function openReconciliation(
  { table, readId, readCurrency, add }: Read,
  columns: readonly number[],
): UseRow {
  return (fields, line) => {
    const id = readId(fields)
    if (id === undefined) return
    const currency = readCurrency(fields)
    const amounts = columns.map((column) => table.readAmount(fields[column] ?? ''))
    const [, refunded = '0', chargedBack = '0'] = amounts
    const parts: readonly (readonly [TransactionRow['kind'], string])[] = [
      ['payment', sumDecimals(amounts)],
      ['refund', refunded],
      ['chargeback', chargedBack],
    ]
    const moved = parts.filter(([, amount]) => amount !== '0')
    if (moved.length === 0) add({ id, line, kind: 'event', amount: null, currency: '' })
    for (const [kind, amount] of moved) add({ id, line, kind, amount, currency })
  }
}
