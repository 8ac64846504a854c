import { answerAccepted } from './answer-accepted.ts'
import type { OperationHandler } from './handler.ts'
import { fullName, toCard } from './legs.ts'

/** Sends money from the deposit to a card; its customer is the receiver. */
export const transferByRef: OperationHandler = {
  answer: answerAccepted,
  legs: (form) => [
    toCard(form, 'destination-card-no', 'transfer', {
      customer_name: fullName(form, 'receiver_'),
      phone: form.texts.get('receiver_phone') ?? null,
    }),
  ],
}
