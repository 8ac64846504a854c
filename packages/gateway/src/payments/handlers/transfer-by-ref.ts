import { OPERATIONS } from '@counterfoil/protocol'
import { answerAccepted } from './answer-accepted.ts'
import type { OperationHandler } from './handler.ts'
import { receiverNameOf, toCard } from './legs.ts'

/** Sends money from the deposit to a card. The customer of the transaction is the receiver. */
export const transferByRef: OperationHandler = {
  answer: answerAccepted,
  legs: (form) => [
    toCard(form, 'destination-card-no', 'transfer', {
      customer_name: receiverNameOf(form, OPERATIONS['transfer-by-ref']),
      phone: form.texts.get('receiver_phone') ?? null,
    }),
  ],
}
