import type { AsyncResponse } from '@counterfoil/protocol'
import { type Order, transactionIdOf } from '../order.ts'

/** Returns the ids that every answer holds. */
export function idsOf({ form }: Order, serialNumber: string) {
  const orderId = form.texts.get('client_orderid') ?? ''
  return {
    'serial-number': serialNumber,
    'client-order-id': orderId,
    'merchant-order-id': orderId,
  }
}

/** Makes the answer to an order whose transactions are in progress. */
export function answerAccepted(order: Order, serialNumber: string): AsyncResponse {
  const { answerId } = order.operation
  const ids = idsOf(order, serialNumber)
  return {
    type: 'async-response',
    ...ids,
    ...(answerId && { [answerId]: transactionIdOf(order, 0) }),
  }
}
