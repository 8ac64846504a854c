import type { OrderRow } from './comparison.ts'
import { readStatus, type StatusWords } from './order-statuses.ts'
import { type ReadContext, readTable, type Source, type TableSummary } from './read-table.ts'

/**
 * Reads the orders of a shop. Without a column for the status, an order has none.
 *
 * @throws {UsageError} which names the file and the line
 */
export async function readOrders(
  source: Source,
  words: StatusWords,
  add: (row: OrderRow) => void,
  context: ReadContext,
): Promise<TableSummary> {
  return await readTable(source, context, (table) => {
    const orderAt = table.require('order', 'the order id')
    const amountAt = table.require('amount', 'the amount')
    const currencyAt = table.find('currency')
    const statusAt = table.find('status')
    return (fields, line) => {
      const id = table.readId(fields[orderAt] ?? '')
      if (id === undefined) return
      const status = statusAt === undefined ? null : readStatus(fields[statusAt] ?? '', words)
      // The amount of an order that nobody paid is not compared, and may be absent.
      const amount = status === 'unpaid' ? null : table.readAmount(fields[amountAt] ?? '')
      const currency = currencyAt === undefined ? '' : table.readCurrency(fields[currencyAt] ?? '')
      add({ id, line, amount, currency, status })
    }
  })
}
