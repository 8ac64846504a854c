import { answerAccepted } from './answer-accepted.ts'
import type { OperationHandler } from './handler.ts'
import { type CardFields, fromCard, toCard } from './legs.ts'

const SOURCE: CardFields = {
  number: 'credit_card_number',
  holder: 'card_printed_name',
  reference: 'card_recurring_payment_id',
}

/** Takes money from a card to the account, then sends it from the deposit to a card. With `deposit2card` only sends. */
export const transfer: OperationHandler = {
  answer: answerAccepted,
  legs: (form) => {
    const last = toCard(form, 'destination-card-no', 'transfer')
    const isFromDeposit = form.texts.get('deposit2card') === 'true'
    return isFromDeposit ? [last] : [fromCard(form, SOURCE, 'transfer'), last]
  },
}
