import type { Operation } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
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

/** The ids of orders and their transactions. An import into the sandbox refuses them. */
export const OWN_IDS = { first: IDS.base, last: orderId(LIMITS.ordersMax) + IDS.step - 1n }

/** The ledger's id of an order. */
export function orderIdOf({ number }: Order): string {
  return String(orderId(number))
}

/** The ledger's id of an order's transaction, by its place from 0; the first is what the order is answered with. */
export function transactionIdOf({ number }: Order, place: number): string {
  return String(orderId(number) + BigInt(place + 1))
}

const lastRow = z.object({ last: z.string() }).transform(({ last }) => BigInt(last))

/** Reads the highest number of an order in the ledger; 0 where there is none. Ids out of the range are of others. */
export async function lastOrderNumber(engine: Engine): Promise<number> {
  const { first, last } = OWN_IDS
  const [highest = 0n] = await readRows(engine, lastRow, {
    sql: `SELECT max(order_id) AS last FROM transactions
      WHERE order_id BETWEEN {first:Int64} AND {last:Int64}`,
    parameters: { first: String(first), last: String(last) },
  })
  return highest > IDS.base ? Number((highest - IDS.base) / IDS.step) : 0
}

function orderId(number: number): bigint {
  return IDS.base + IDS.step * BigInt(number)
}
