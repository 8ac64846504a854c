import { ORDER_STATUSES, type OrderStatus } from './order-statuses.ts'

const ROW_KINDS = ['order', 'payment', 'refund', 'chargeback', 'event'] as const

/**
 * What a row is for its order:
 *
 * - `order`: the row of the shop
 * - `payment`: money that the payer paid
 * - `refund`, `chargeback`: money that went back
 * - `event`: anything else, such as a declined attempt
 */
export type RowKind = (typeof ROW_KINDS)[number]

/** A row of either file, as much of it as the comparison needs. */
export interface OrderRow {
  readonly kind: RowKind
  readonly line: number
  /** A canonical decimal. Empty if the comparison does not need it. */
  readonly amount: string
  /** Empty if the file does not say it. */
  readonly currency: string
  /** Of rows of the shop, if its file has a column for it. */
  readonly status?: OrderStatus | undefined
}

/** Writes a row as one line. */
export function formatRow(orderId: string, row: OrderRow): string {
  const { kind, status, line, amount, currency } = row
  const codes = `${ROW_KINDS.indexOf(kind)}${status ? ORDER_STATUSES.indexOf(status) : ''}`
  return `${codes}\t${line}\t${amount}\t${currency}\t${JSON.stringify(orderId)}`
}

/** Parses a line of {@link formatRow}. The order id stays JSON, because most of the ids are not printed. */
export function parseRow(text: string): { readonly idAsJson: string; readonly row: OrderRow } {
  const [codes = '', line, amount = '', currency = '', idAsJson = ''] = text.split('\t')
  const [kind, status] = codes
  return {
    idAsJson,
    row: {
      kind: ROW_KINDS[Number(kind)] ?? 'event',
      line: Number(line),
      amount,
      currency,
      status: status === undefined ? undefined : ORDER_STATUSES[Number(status)],
    },
  }
}

/** Parses the order id that {@link parseRow} returns. */
export function parseOrderId(idAsJson: string): string {
  return String(JSON.parse(idAsJson))
}
