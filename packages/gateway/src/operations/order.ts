import type { Operation } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
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

const lastRow = z.object({ last: z.string() }).transform(({ last }) => BigInt(last))

/** The highest number of an order that the ledger has; 0 where there is none. */
export async function lastOrderNumber(engine: Engine): Promise<number> {
  const sql = 'SELECT max(order_id) AS last FROM transactions WHERE order_id > {base:Int64}'
  const [last = 0n] = await readRows(engine, lastRow, {
    sql,
    parameters: { base: String(IDS.base) },
  })
  return last > IDS.base ? Number((last - IDS.base) / IDS.step) : 0
}

function orderId(number: number): bigint {
  return IDS.base + IDS.step * BigInt(number)
}
