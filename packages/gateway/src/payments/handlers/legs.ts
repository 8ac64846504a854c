import { joinName, type Operation } from '@counterfoil/protocol'
import type { TRANSACTION_COLUMNS } from '@counterfoil/ledger'
import type { ReducedForm } from '../cards.ts'

/** Some columns of a transaction. Identifiers and amounts are texts, so that no digit is lost. */
export type Row = { readonly [Column in keyof typeof TRANSACTION_COLUMNS]?: string | number | null }

/** One of the transactions of an order. */
export interface Leg {
  /** The field of the card that decides the outcome. */
  readonly decidedBy: string
  readonly columns: Row
}

/** The names of a form's fields of a card. */
export interface CardFields {
  readonly number: string
  readonly holder: string
  readonly reference: string
}

/** Returns the receiver's name as one text, from the fields that the operation declares. */
export function receiverNameOf({ texts }: ReducedForm, { receiverName = [] }: Operation) {
  return joinName(receiverName.flatMap((field) => texts.get(field) ?? [])) || null
}

/** Makes a transaction from the card of some fields. The form names the card by its number or its reference. */
export function fromCard(
  { texts, cards }: ReducedForm,
  { number, holder, reference }: CardFields,
  type: 'transfer' | 'pan_eligibility',
): Leg {
  const card = cards.get(number)
  return {
    decidedBy: number,
    columns: {
      transaction_type: type,
      payment_method: 'card',
      bin: card?.bin ?? null,
      last4: card?.last4 ?? null,
      card_holder: texts.get(holder) ?? null,
      card_ref_id: texts.get(reference) ?? null,
    },
  }
}

/** Makes a transaction to the card of a field. `receiver` holds the columns about its owner. */
export function toCard(
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
