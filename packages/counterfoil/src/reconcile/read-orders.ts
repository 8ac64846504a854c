import { formatRow } from './order-row.ts'
import { readStatus, type StatusWords } from './order-statuses.ts'
import type { Partitions } from './partitions.ts'
import { type ReadContext, readTable, type Source, type TableSummary } from './read-table.ts'

/** The orders of a shop, and what was read of them. */
export interface OrdersSummary extends TableSummary {
  readonly hasCurrency: boolean
  readonly hasStatus: boolean
}

/**
 * Reads the orders of a shop into partitions. Without a column for the status, an order has none.
 *
 * @throws {UsageError} which names the file and the line
 */
export async function readOrders(
  source: Source,
  words: StatusWords,
  partitions: Partitions,
  context: ReadContext,
): Promise<OrdersSummary> {
  let [hasCurrency, hasStatus] = [false, false]
  const summary = await readTable(source, context, (table) => {
    const orderAt = table.require('order', 'the order id')
    const amountAt = table.require('amount', 'the amount')
    const currencyAt = table.find('currency')
    const statusAt = table.find('status')
    hasCurrency = currencyAt !== undefined
    hasStatus = statusAt !== undefined
    return (fields, line) => {
      const orderId = table.readId(fields[orderAt] ?? '')
      if (orderId === undefined) return
      const status = statusAt === undefined ? undefined : readStatus(fields[statusAt] ?? '', words)
      // The amount of an order that nobody paid is not compared, and may be absent.
      const amount = status === 'unpaid' ? '' : table.readAmount(fields[amountAt] ?? '')
      const currency = currencyAt === undefined ? '' : table.readCurrency(fields[currencyAt] ?? '')
      partitions.add(orderId, formatRow(orderId, { kind: 'order', line, amount, currency, status }))
    }
  })
  return { ...summary, hasCurrency, hasStatus }
}
