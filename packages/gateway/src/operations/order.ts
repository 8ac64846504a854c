import type { Operation } from '@counterfoil/protocol'
import type { ReducedForm } from './cards.ts'
import type { Endpoint } from './endpoints.ts'

/** An order that is accepted: an operation, and all that its transactions are made of. */
export interface Order {
  readonly operation: Operation
  readonly form: ReducedForm
  readonly endpoint: Endpoint
  /** No other order has it. */
  readonly number: number
  readonly acceptedAt: Date
}

// Far from the ids of transactions that were not made here; ten transactions find room in an order.
const IDS = { base: 2n * 10n ** 18n, step: 10n }

/** The ledger's id of an order. */
export function orderIdOf({ number }: Order): string {
  return String(orderId(number))
}

/** The ledger's id of an order's transaction, by its place from 0; the first is what the order is answered with. */
export function transactionIdOf({ number }: Order, place: number): string {
  return String(orderId(number) + BigInt(place + 1))
}

function orderId(number: number): bigint {
  return IDS.base + IDS.step * BigInt(number)
}
