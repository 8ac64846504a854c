import type { OperationAnswer } from '@counterfoil/protocol'
import type { ReducedForm } from '../cards.ts'
import type { Order } from '../order.ts'
import type { Leg } from './legs.ts'

/** What is an operation's own: how an order is answered, and which transactions it makes. */
export interface OperationHandler {
  readonly answer: (order: Order, serialNumber: string) => OperationAnswer
  /** One after the other: where one is not approved, there are none after it. */
  readonly legs: (form: ReducedForm) => readonly Leg[]
}
