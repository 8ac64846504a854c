import {
  type AsyncResponse,
  type EligibilityResponse,
  type OperationAnswer,
  type OperationName,
} from '@counterfoil/protocol'
import type { TRANSACTION_COLUMNS } from '@counterfoil/ledger'
import type { ReducedForm } from './cards.ts'
import { type Order, transactionIdOf } from './order.ts'
import { simulate } from './simulate.ts'

/** Some columns of a transaction. Identifiers and amounts are texts, so that no digit is lost. */
export type Row = { readonly [Column in keyof typeof TRANSACTION_COLUMNS]?: string | number | null }

/** One of the transactions of an order. */
export interface Leg {
  /** The field of the card that decides the outcome. */
  readonly decidedBy: string
  readonly columns: Row
}

/** The part of an operation that differs from other operations: its answer and its transactions. */
interface OperationHandler {
  readonly answer: (order: Order, serialNumber: string) => OperationAnswer
  /** The transactions in order. If one is not approved, the order makes none after it. */
  readonly legs: (form: ReducedForm) => readonly Leg[]
}

/** The handlers by the name of the operation. */
export const HANDLERS: Readonly<Record<OperationName, OperationHandler>> = {
  /** Answers whether a card can send money. The order makes a transaction that moves no money. */
  'pan-eligibility': {
    answer: (order, serialNumber) => ({
      type: 'pan-eligibility-response',
      ...idsOf(order, serialNumber),
      ...eligibilityOf(order),
    }),
    legs: (form) => [
      fromCard(form, 'pan_eligibility', {
        number: 'sending-card-number',
        holder: 'card-printed-name',
        reference: 'sending-card-ref-id',
      }),
    ],
  },
  /** Takes money from a card to the account, then sends it from the deposit to a card. With `deposit2card` only sends. */
  transfer: {
    answer: answerAccepted,
    legs: (form) => {
      const last = toCard(form, 'destination-card-no', 'transfer')
      if (form.texts.get('deposit2card') === 'true') return [last]
      const first = fromCard(form, 'transfer', {
        number: 'credit_card_number',
        holder: 'card_printed_name',
        reference: 'card_recurring_payment_id',
      })
      return [first, last]
    },
  },
  /** Sends money from the deposit to a card. The customer of the transaction is the receiver. */
  'transfer-by-ref': {
    answer: answerAccepted,
    legs: (form) => [
      toCard(form, 'destination-card-no', 'transfer', {
        customer_name: nameIn(
          form,
          'receiver_first_name',
          'receiver_middle_name',
          'receiver_last_name',
        ),
        phone: form.texts.get('receiver_phone') ?? null,
      }),
    ],
  },
  /** Pays out to a card or a bank account. The gateway keeps only the last characters of the account. */
  payout: {
    answer: answerAccepted,
    legs: (form) => {
      const name = nameIn(form, 'first_name', 'last_name')
      if (!form.cards.has('credit_card_number')) return [toAccount(form, name)]
      const customer_name = name ?? form.texts.get('card_printed_name') ?? null
      return [toCard(form, 'credit_card_number', 'payout', { customer_name })]
    },
  },
}

/** Makes the answer to an order whose transactions are in progress. */
function answerAccepted(order: Order, serialNumber: string): AsyncResponse {
  const { answerId } = order.operation
  return {
    type: 'async-response',
    ...idsOf(order, serialNumber),
    ...(answerId && { [answerId]: transactionIdOf(order, 0) }),
  }
}

/** Returns the ids that every answer holds. */
function idsOf({ form }: Order, serialNumber: string) {
  const orderId = form.texts.get('client_orderid') ?? ''
  return {
    'serial-number': serialNumber,
    'client-order-id': orderId,
    'merchant-order-id': orderId,
  }
}

function eligibilityOf({
  form,
}: Order): Pick<EligibilityResponse, 'status' | 'can-send' | 'bin' | 'last-four-digits'> {
  const card = form.cards.get('sending-card-number')
  const { reason, afterSeconds } = simulate(card, undefined)
  const known = card && {
    ...(card.bin !== null && { bin: card.bin }),
    'last-four-digits': card.last4,
  }
  if (afterSeconds > 0 || reason.status === 'unknown') return { status: 'unknown', ...known }
  if (reason.status === 'error') return { status: 'error', ...known }
  return { status: 'approved', 'can-send': reason.status === 'approved', ...known }
}

/** Returns the parts of a name as one text. */
function nameIn({ texts }: ReducedForm, ...fields: readonly string[]): string | null {
  return fields.flatMap((field) => texts.get(field) ?? []).join(' ') || null
}

/** Makes a transaction from the card of some fields. The form names the card by its number or its reference. */
function fromCard(
  { texts, cards }: ReducedForm,
  type: 'transfer' | 'pan_eligibility',
  fields: { readonly number: string; readonly holder: string; readonly reference: string },
): Leg {
  const card = cards.get(fields.number)
  return {
    decidedBy: fields.number,
    columns: {
      transaction_type: type,
      payment_method: 'card',
      bin: card?.bin ?? null,
      last4: card?.last4 ?? null,
      card_holder: texts.get(fields.holder) ?? null,
      card_ref_id: texts.get(fields.reference) ?? null,
    },
  }
}

/** Makes a transaction to the card of a field. `receiver` holds the columns about its owner. */
function toCard(
  { cards }: ReducedForm,
  field: string,
  type: 'transfer' | 'payout',
  receiver: Row = {},
): Leg {
  const card = cards.get(field)
  return {
    decidedBy: field,
    columns: {
      transaction_type: type,
      payment_method: 'card',
      dest_bin: card?.bin ?? null,
      dest_last4: card?.last4 ?? null,
      ...receiver,
    },
  }
}

/** Makes a payout to a bank account. */
function toAccount({ texts }: ReducedForm, receiverName: string | null): Leg {
  // Splits by character, because half of a surrogate pair is no valid UTF-8.
  const account = Array.from(texts.get('account_number') ?? '')
  return {
    decidedBy: '',
    columns: {
      transaction_type: 'payout',
      payment_method: 'bank_account',
      customer_name: receiverName ?? texts.get('account_name') ?? null,
      dest_bank: texts.get('bank_name') ?? null,
      // The last four characters of a short account number would reveal too much.
      dest_account_mask: `**** ${account.length >= 8 ? account.slice(-4).join('') : ''}`.trimEnd(),
    },
  }
}
