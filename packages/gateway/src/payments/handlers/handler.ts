import type { OperationAnswer } from '@counterfoil/protocol'
import type { ReducedForm } from '../cards.ts'
import type { Order } from '../order.ts'
import type { Leg } from './legs.ts'

/** The part of an operation that differs from other operations: its answer and its transactions. */
export interface OperationHandler {
  readonly answer: (order: Order, serialNumber: string) => OperationAnswer
  /** The transactions in order. If one is not approved, the order makes none after it. */
  readonly legs: (form: ReducedForm) => readonly Leg[]
}
