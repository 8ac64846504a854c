import type { OrderRow, TransactionRow } from './comparison.ts'
import { sumDecimals } from './decimals.ts'
import { readStatus, SHOP_WORDS, type StatusWords, TRANSACTION_WORDS } from './order-statuses.ts'
import { type ReadContext, readTable, type Source, type TableSummary } from './read-table.ts'

const KINDS: ReadonlyMap<string | undefined, TransactionRow['kind']> = new Map([
  ['reversal', 'refund'],
  ['chargeback', 'chargeback'],
])

/** Types that belong to no order of a shop. */
const OTHER_TYPES = ['payout', 'transfer', 'account_verification', 'pan_eligibility']

/** The columns of `order-reconciliation` that add up to the money that was paid. */
const RECONCILIATION = ['Net_amount', 'Refunded', 'Charged_back'] as const

/**
 * Reads the orders of a shop. Without a column for the status, an order has none.
 *
 * @param words what the shop's own words for statuses mean
 * @throws {UsageError} which names the file and the line
 */
export async function readOrders(
  source: Source,
  words: StatusWords,
  add: (row: OrderRow) => void,
  context: ReadContext,
): Promise<TableSummary> {
  const statuses = new Map([...SHOP_WORDS, ...words])
  return await readTable(source, context, (table) => {
    const { readId, readCurrency } = table.open()
    const amountAt = table.require('amount', 'the amount')
    const statusAt = table.find('status')
    return (fields, line) => {
      const id = readId(fields)
      if (id === undefined) return
      const status = statusAt === undefined ? null : readStatus(fields[statusAt] ?? '', statuses)
      // The amount of an order that nobody paid is not compared, and may be absent.
      const amount = status === 'unpaid' ? null : table.readAmount(fields[amountAt] ?? '')
      add({ id, line, amount, currency: readCurrency(fields), status })
    }
  })
}

/**
 * Reads the gateway's report: `transactions-list`, `order-reconciliation`, or any file with a row for each transaction.
 *
 * @param paymentTypes the types whose approved amounts make up the amount of an order
 * @throws {UsageError} which names the file and the line
 */
export async function readReport(
  source: Source,
  words: StatusWords,
  paymentTypes: readonly string[],
  add: (row: TransactionRow) => void,
  context: ReadContext,
): Promise<TableSummary> {
  const statuses = new Map([...TRANSACTION_WORDS, ...words])
  const addEvent = (id: string, line: number) => {
    add({ id, line, kind: 'event', amount: null, currency: '' })
  }
  return await readTable(source, context, (table) => {
    const { readId, readCurrency } = table.open()
    const columns = RECONCILIATION.map((title) => table.findTitled([title]))
    // `order-reconciliation` has one row for each order.
    if (!columns.includes(undefined)) {
      table.found.add('status')
      return (fields, line) => {
        const id = readId(fields)
        if (id === undefined) return
        const currency = readCurrency(fields)
        const amounts = columns.map((column) => table.readAmount(fields[Number(column)] ?? ''))
        const [, refund = '0', chargeback = '0'] = amounts
        const parts = [
          { kind: 'payment', amount: sumDecimals(amounts) },
          { kind: 'refund', amount: refund },
          { kind: 'chargeback', amount: chargeback },
        ] as const
        const moved = parts.filter(({ amount }) => amount !== '0')
        if (moved.length === 0) addEvent(id, line)
        for (const part of moved) add({ id, line, ...part, currency })
      }
    }
    const amountAt = table.require('amount', 'the amount')
    const typeAt = table.find('type')
    const statusAt = table.find('status')
    return (fields, line) => {
      const type = typeAt === undefined ? undefined : (fields[typeAt] ?? '').trim().toLowerCase()
      const isPayment = type === undefined || paymentTypes.includes(type)
      if (!isPayment && OTHER_TYPES.includes(type)) return
      const id = readId(fields)
      if (id === undefined) return
      const isApproved =
        statusAt === undefined || readStatus(fields[statusAt] ?? '', statuses) === 'paid'
      const kind = isPayment ? 'payment' : KINDS.get(type)
      if (!isApproved || kind === undefined) return addEvent(id, line)
      const amount = table.readAmount(fields[amountAt] ?? '')
      add({ id, line, kind, amount, currency: readCurrency(fields) })
    }
  })
}
