import { OPERATIONS } from '@counterfoil/protocol'
import type { ReducedForm } from '../cards.ts'
import { answerAccepted } from './answer-accepted.ts'
import type { OperationHandler } from './handler.ts'
import { type Leg, receiverNameOf, toCard } from './legs.ts'

/** Pays out to a card or a bank account. The gateway keeps only the last characters of the account. */
export const payout: OperationHandler = {
  answer: answerAccepted,
  legs: (form) => [form.cards.has('credit_card_number') ? toReceiversCard(form) : toAccount(form)],
}

function toReceiversCard(form: ReducedForm): Leg {
  const customer_name =
    receiverNameOf(form, OPERATIONS.payout) ?? form.texts.get('card_printed_name') ?? null
  return toCard(form, 'credit_card_number', 'payout', { customer_name })
}

function toAccount(form: ReducedForm): Leg {
  const { texts } = form
  // Splits by character, because half of a surrogate pair is no valid UTF-8.
  const account = Array.from(texts.get('account_number') ?? '')
  return {
    decidedBy: '',
    columns: {
      transaction_type: 'payout',
      payment_method: 'bank_account',
      customer_name: receiverNameOf(form, OPERATIONS.payout) ?? texts.get('account_name') ?? null,
      dest_bank: texts.get('bank_name') ?? null,
      // The last four characters of a short account number would reveal too much.
      dest_account_mask: `**** ${account.length >= 8 ? account.slice(-4).join('') : ''}`.trimEnd(),
    },
  }
}
