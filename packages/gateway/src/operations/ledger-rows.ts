import type { OperationName } from '@counterfoil/protocol'
import type { TRANSACTION_COLUMNS } from '../ledger/model.ts'
import type { LedgerEntry } from '../store/journal.ts'
import { formatInstant } from '../templates/instants.ts'
import type { ReducedForm } from './cards.ts'
import type { Endpoint } from './endpoints.ts'
import { simulate } from './simulate.ts'

/** An operation that is accepted, with all that its transactions are made of. */
export interface AcceptedOrder {
  readonly operation: OperationName
  readonly form: ReducedForm
  readonly endpoint: Endpoint
  /** No other operation has it. */
  readonly number: number
  readonly acceptedAt: Date
}

/** Some columns of a transaction; identifiers and amounts as text, so that no digit is lost. */
type Row = { readonly [Column in keyof typeof TRANSACTION_COLUMNS]?: string | number | null }

/** A transaction of several that an operation makes one after the other. */
interface Leg {
  /** The field of the card that decides what becomes of it. */
  readonly decidedBy: string
  readonly columns: Row
}

// Far from the ids of transactions that were not made here; ten transactions find room in an order.
const ORDER_IDS = { base: 2n * 10n ** 18n, step: 10n }

/** The id of an operation's first transaction, which it is answered with. */
export function firstTransactionId(number: number): string {
  return String(orderId(number) + 1n)
}

/**
 * The versions of an operation's transactions, each due when it happens. A transfer from a card is two of one order:
 * from the card to the account, and if that is approved, from the deposit to the card. While an outcome is awaited, the
 * transaction is there as `processing`.
 */
export function ledgerEntries(order: AcceptedOrder): readonly LedgerEntry[] {
  const { operation, form, number } = order
  const entries: LedgerEntry[] = []
  let startsAt = order.acceptedAt
  for (const [place, leg] of LEGS[operation](form).entries()) {
    const amount = place === 0 ? form.texts.get('amount') : undefined
    const { reason, afterSeconds } = simulate(form.cards.get(leg.decidedBy), amount)
    const endsAt = new Date(startsAt.getTime() + afterSeconds * 1000)
    const common: Row = {
      ...commonColumns(order),
      ...leg.columns,
      transaction_id: String(orderId(number) + 1n + BigInt(place)),
      created_at: formatInstant(startsAt.getTime()),
    }
    if (afterSeconds > 0) {
      entries.push(entry(common, startsAt, { status: 'processing', row_version: 1 }))
    }
    const isCard = leg.columns.payment_method === 'card'
    const approval = String(number % 1_000_000).padStart(6, '0')
    entries.push(
      entry(common, endsAt, {
        status: reason.status,
        row_version: 2,
        processed_at: formatInstant(endsAt.getTime()),
        response_code: isCard ? reason.response : null,
        error_code: reason.error,
        error_message: reason.message,
        decline_group: reason.group,
        filter_rule: reason.rule,
        approval_code: isCard && reason.status === 'approved' ? approval : null,
      }),
    )
    if (reason.status !== 'approved') break
    startsAt = endsAt
  }
  return entries
}

/** What each operation's transactions move, one after the other. */
const LEGS: Readonly<Record<OperationName, (form: ReducedForm) => readonly Leg[]>> = {
  'pan-eligibility': () => [],
  transfer: (form) => [
    ...(form.texts.get('deposit2card') === 'true' ? [] : [fromCard(form)]),
    toCard(form, 'destination-card-no', 'transfer'),
  ],
  'transfer-by-ref': (form) => [toCard(form, 'destination-card-no', 'transfer')],
  payout: (form) => [
    form.cards.has('credit_card_number')
      ? toCard(form, 'credit_card_number', 'payout')
      : toAccount(form),
  ],
}

function fromCard({ texts, cards }: ReducedForm): Leg {
  const decidedBy = 'credit_card_number'
  const card = cards.get(decidedBy)
  return {
    decidedBy,
    columns: {
      transaction_type: 'transfer',
      payment_method: 'card',
      bin: card?.bin ?? null,
      last4: card?.last4 ?? null,
      card_holder: texts.get('card_printed_name') ?? null,
      card_ref_id: texts.get('card_recurring_payment_id') ?? null,
    },
  }
}

function toCard({ cards }: ReducedForm, field: string, type: 'transfer' | 'payout'): Leg {
  const card = cards.get(field)
  return {
    decidedBy: field,
    columns: {
      transaction_type: type,
      payment_method: 'card',
      dest_bin: card?.bin ?? null,
      dest_last4: card?.last4 ?? null,
    },
  }
}

function toAccount({ texts }: ReducedForm): Leg {
  const account = texts.get('account_number') ?? ''
  return {
    decidedBy: '',
    columns: {
      transaction_type: 'payout',
      payment_method: 'bank_account',
      dest_bank: texts.get('bank_name') ?? null,
      // Of a short one, the last four characters are too much.
      dest_account_mask: `**** ${account.length >= 8 ? account.slice(-4) : ''}`.trimEnd(),
    },
  }
}

function commonColumns({ form: { texts }, endpoint, number }: AcceptedOrder): Row {
  const { exponent: _, currency, ...ids } = endpoint
  const names = ['first_name', 'middle_name', 'last_name'].map((name) => texts.get(name) ?? '')
  return {
    ...ids,
    currency,
    order_id: String(orderId(number)),
    client_order_id: texts.get('client_orderid') ?? '',
    amount: texts.get('amount') ?? '0',
    customer_name: names.filter(Boolean).join(' ') || (texts.get('account_name') ?? null),
    email: texts.get('email') ?? null,
    phone: texts.get('phone') ?? null,
    ip: texts.get('ipaddress') ?? null,
    order_description: texts.get('order_desc') ?? null,
    purpose: texts.get('purpose') ?? null,
  }
}

function entry(common: Row, dueAt: Date, version: Row): LedgerEntry {
  const updated: Row = { updated_at: formatInstant(dueAt.getTime()) }
  return { dueAt, rows: JSON.stringify({ ...common, ...updated, ...version }) }
}

function orderId(number: number): bigint {
  return ORDER_IDS.base + ORDER_IDS.step * BigInt(number)
}
