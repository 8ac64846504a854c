import type { KeyObject } from 'node:crypto'
import type { Operation } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { LIMITS } from '@counterfoil/common'
import type { Outbox } from '@counterfoil/store'
import type { ReducedForm } from './cards.ts'
import type { Endpoint } from './endpoints.ts'

/** An accepted order: an operation, and everything that its transactions need. */
export interface Order {
  readonly operation: Operation
  readonly form: ReducedForm
  readonly endpoint: Endpoint
  /** The unique number of the order. */
  readonly number: number
  readonly acceptedAt: Date
}

// This range is far from the ids of imported transactions. Each order has ten ids.
const IDS = { base: 2n * 10n ** 18n, step: 10n }

/** The ids of orders and their transactions. An import into the sandbox refuses them. */
export const OWN_IDS = { first: IDS.base, last: orderId(LIMITS.ordersMax) + IDS.step - 1n }

/** Returns the ledger's id of an order. */
export function orderIdOf({ number }: Order): string {
  return String(orderId(number))
}

/** Returns the ledger's id of an order's transaction, by its place from 0. The answer to the order names the first. */
export function transactionIdOf({ number }: Order, place: number): string {
  return String(orderId(number) + BigInt(place + 1))
}

const lastRow = z.object({ last: z.string() }).transform(({ last }) => BigInt(last))

/** Finds a missing master key and the last order number at the start, and not at an order. */
export async function prepareOutbox(
  outbox: Outbox,
  engine: Queries,
  hashKeyOf: (keyVersion: number) => KeyObject,
): Promise<void> {
  for (const version of await outbox.listKeyVersions()) hashKeyOf(version)
  await outbox.raiseNumbers(await lastOrderNumber(engine))
}

/** Reads the highest order number in the ledger, or 0 if there is none. Ignores ids outside the range of orders. */
async function lastOrderNumber(engine: Queries): Promise<number> {
  const { first, last } = OWN_IDS
  const [highest = 0n] = await readRows(engine, lastRow, {
    sql: `SELECT toString(max(toInt64OrZero(order_id))) AS last FROM transactions
      WHERE length(order_id) = length({first:String}) AND order_id BETWEEN {first:String} AND {last:String}`,
    parameters: { first: String(first), last: String(last) },
  })
  return highest > IDS.base ? Number((highest - IDS.base) / IDS.step) : 0
}

function orderId(number: number): bigint {
  return IDS.base + IDS.step * BigInt(number)
}
