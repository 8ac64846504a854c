import { answerAccepted } from './answer-accepted.ts'
import type { OperationHandler } from './handler.ts'
import { toCard } from './legs.ts'

/** Sends money from the deposit to a card. */
export const transferByRef: OperationHandler = {
  answer: answerAccepted,
  legs: (form) => [toCard(form, 'destination-card-no', 'transfer')],
}
