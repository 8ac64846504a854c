import type { AsyncResponse } from '@counterfoil/protocol'
import { type Order, transactionIdOf } from '../order.ts'

/** What every answer says of its order. */
export function idsOf({ form }: Order, serialNumber: string) {
  const orderId = form.texts.get('client_orderid') ?? ''
  return {
    'serial-number': serialNumber,
    'client-order-id': orderId,
    'merchant-order-id': orderId,
  }
}

/** What an order is answered with whose transactions are under way. */
export function answerAccepted(order: Order, serialNumber: string): AsyncResponse {
  const { answerId } = order.operation
  const ids = idsOf(order, serialNumber)
  return {
    type: 'async-response',
    ...ids,
    ...(answerId && { [answerId]: transactionIdOf(order, 0) }),
  }
}
