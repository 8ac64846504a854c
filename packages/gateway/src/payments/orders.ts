import type { KeyObject } from 'node:crypto'
import * as z from 'zod'
import { formatInstant, LIMITS } from '@counterfoil/common'
import { type Queries, readRows } from '@counterfoil/engine'
import type { TRANSACTION_COLUMNS } from '@counterfoil/ledger'
import {
  type EligibilityResponse,
  type Operation,
  type OperationAnswer,
  type OperationName,
} from '@counterfoil/protocol'
import type { Outbox, OutboxEntry } from '@counterfoil/store'
import type { ReducedForm } from './cards.ts'
import type { Endpoint } from './endpoints.ts'
import { simulate } from './simulate.ts'

/** An accepted order: an operation, and everything that its transactions need. */
interface Order {
  readonly operation: Operation
  readonly form: ReducedForm
  readonly endpoint: Endpoint
  /** The unique number of the order. */
  readonly number: number
  readonly acceptedAt: Date
}

// This range is far from the ids of imported transactions. Each order has ten ids.
const IDS = { base: 2n * 10n ** 18n, step: 10n }

/** The ids of orders and their transactions. An import into the sandbox refuses them. */
export const OWN_IDS = { first: IDS.base, last: ledgerIdOf(LIMITS.ordersMax) + IDS.step - 1n }

/** Returns the ledger's id of an order's transaction, by its place from 0. The answer to the order names the first. */
function transactionIdOf({ number }: Order, place: number): string {
  return String(ledgerIdOf(number) + BigInt(place + 1))
}

const lastRow = z.object({ last: z.string() }).transform(({ last }) => BigInt(last))

/** Finds a missing master key and the last order number at the start, and not at an order. */
export async function prepareOutbox(
  outbox: Outbox,
  engine: Queries,
  hashKeyOf: (keyVersion: number) => KeyObject,
): Promise<void> {
  for (const version of await outbox.listKeyVersions()) hashKeyOf(version)
  await outbox.raiseNumbers(await lastOrderNumber(engine))
}

/** Reads the highest order number in the ledger, or 0 if there is none. Ignores ids outside the range of orders. */
async function lastOrderNumber(engine: Queries): Promise<number> {
  const { first, last } = OWN_IDS
  const [highest = 0n] = await readRows(engine, lastRow, {
    sql: `SELECT toString(max(toInt64OrZero(order_id))) AS last FROM transactions
      WHERE length(order_id) = length({first:String}) AND order_id BETWEEN {first:String} AND {last:String}`,
    parameters: { first: String(first), last: String(last) },
  })
  return highest > IDS.base ? Number((highest - IDS.base) / IDS.step) : 0
}

function ledgerIdOf(number: number): bigint {
  return IDS.base + IDS.step * BigInt(number)
}

/** Some columns of a transaction. Identifiers and amounts are texts, so that no digit is lost. */
type Row = { readonly [Column in keyof typeof TRANSACTION_COLUMNS]?: string | number | null }

interface Leg {
  /** The field of the card that decides the outcome. */
  readonly decidedBy: string
  readonly columns: Row
}

/** Makes the answer to an order. The transactions of a transfer or a payout are in progress then. */
export function answerOrder(order: Order, serialNumber: string): OperationAnswer {
  const { operation, form } = order
  const orderId = form.texts.get('client_orderid') ?? ''
  const ids = {
    'serial-number': serialNumber,
    'client-order-id': orderId,
    'merchant-order-id': orderId,
  }
  const { answerId } = operation
  return answerId === undefined
    ? { type: 'pan-eligibility-response', ...ids, ...eligibilityOf(form) }
    : { type: 'async-response', ...ids, [answerId]: transactionIdOf(order, 0) }
}

function eligibilityOf({
  cards,
}: ReducedForm): Pick<EligibilityResponse, 'status' | 'can-send' | 'bin' | 'last-four-digits'> {
  const card = cards.get('sending-card-number')
  const { reason, afterSeconds } = simulate(card, undefined)
  const known = card && {
    ...(card.bin !== null && { bin: card.bin }),
    'last-four-digits': card.last4,
  }
  if (afterSeconds > 0 || reason.status === 'unknown') return { status: 'unknown', ...known }
  if (reason.status === 'error') return { status: 'error', ...known }
  return { status: 'approved', 'can-send': reason.status === 'approved', ...known }
}

const AT_ONCE = new Date(0)

/**
 * Makes the outbox entries of an order: one for each version of its transactions. A transaction with a delayed outcome
 * first gets the version `processing`. The versions after it are due when the outcome happens. Entries before the first
 * delay are due at once, even if a clock is set back. If a transaction is not approved, the order makes none after it.
 */
export function outboxEntries(order: Order): readonly OutboxEntry[] {
  const { operation, form, number } = order
  const entries: OutboxEntry[] = []
  let startsAt = order.acceptedAt
  let dueAt = AT_ONCE
  for (const [place, { decidedBy, columns }] of LEGS[operation.name](order).entries()) {
    const amount = place === 0 ? form.texts.get('amount') : undefined
    const { reason, afterSeconds } = simulate(form.cards.get(decidedBy), amount)
    const endsAt = new Date(startsAt.getTime() + afterSeconds * 1000)
    const common: Row = {
      ...commonColumns(order),
      ...columns,
      transaction_id: transactionIdOf(order, place),
      created_at: formatInstant(startsAt.getTime()),
    }
    const add = (updatedAt: Date, version: Row): void => {
      const updated: Row = { updated_at: formatInstant(updatedAt.getTime()) }
      entries.push({ dueAt, rows: JSON.stringify({ ...common, ...updated, ...version }) })
    }
    if (afterSeconds > 0) {
      add(startsAt, { status: 'processing', row_version: 1 })
      dueAt = endsAt
    }
    const isCard = columns.payment_method === 'card'
    const approval = String(number % 1_000_000).padStart(6, '0')
    add(endsAt, {
      status: reason.status,
      row_version: 2,
      processed_at: formatInstant(endsAt.getTime()),
      response_code: isCard ? reason.response : null,
      error_code: reason.error,
      error_message: reason.message,
      decline_group: reason.group,
      filter_rule: reason.rule,
      approval_code: isCard && reason.status === 'approved' ? approval : null,
    })
    if (reason.status !== 'approved') break
    startsAt = endsAt
  }
  return entries
}

function commonColumns(order: Order): Row {
  const { texts } = order.form
  const { exponent: _, currency, ...ids } = order.endpoint
  return {
    ...ids,
    currency,
    order_id: String(ledgerIdOf(order.number)),
    client_order_id: texts.get('client_orderid') ?? '',
    amount: texts.get('amount') ?? '0',
    email: texts.get('email') ?? null,
    phone: texts.get('phone') ?? null,
    ip: texts.get('ipaddress') ?? null,
    order_description: texts.get('order_desc') ?? null,
    purpose: texts.get('purpose') ?? null,
  }
}

/** The transactions of an order in their order, by the name of its operation. */
const LEGS: Readonly<Record<OperationName, (order: Order) => readonly Leg[]>> = {
  /** The question whether a card can send money makes a transaction that moves none. */
  'pan-eligibility': ({ form }) => [
    fromCard(form, 'pan_eligibility', {
      number: 'sending-card-number',
      holder: 'card-printed-name',
      reference: 'sending-card-ref-id',
    }),
  ],
  /** Takes money from a card to the account, then sends it from the deposit to a card. With `deposit2card` only sends. */
  transfer: ({ form }) => {
    const last = toCard(form, 'destination-card-no', 'transfer')
    if (form.texts.get('deposit2card') === 'true') return [last]
    const first = fromCard(form, 'transfer', {
      number: 'credit_card_number',
      holder: 'card_printed_name',
      reference: 'card_recurring_payment_id',
    })
    return [first, last]
  },
  /** Sends money from the deposit to a card. The customer of the transaction is the receiver. */
  'transfer-by-ref': ({ form }) => {
    const parts = ['receiver_first_name', 'receiver_middle_name', 'receiver_last_name']
    const customer_name = nameIn(form, ...parts)
    const phone = form.texts.get('receiver_phone') ?? null
    return [toCard(form, 'destination-card-no', 'transfer', { customer_name, phone })]
  },
  /** Pays out to a card or a bank account. */
  payout: ({ form }) => {
    const name = nameIn(form, 'first_name', 'last_name')
    if (!form.cards.has('credit_card_number')) return [toAccount(form, name)]
    const customer_name = name ?? form.texts.get('card_printed_name') ?? null
    return [toCard(form, 'credit_card_number', 'payout', { customer_name })]
  },
}

/** Returns the parts of a name as one text. */
function nameIn({ texts }: ReducedForm, ...fields: readonly string[]): string | null {
  return fields.flatMap((field) => texts.get(field) ?? []).join(' ') || null
}

/** Makes a transaction from the card of some fields. The form names the card by its number or its reference. */
function fromCard(
  { texts, cards }: ReducedForm,
  transaction_type: string,
  fields: { readonly number: string; readonly holder: string; readonly reference: string },
): Leg {
  const card = cards.get(fields.number)
  return {
    decidedBy: fields.number,
    columns: {
      transaction_type,
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
  transaction_type: string,
  receiver: Row = {},
): Leg {
  const card = cards.get(field)
  const dest = { dest_bin: card?.bin ?? null, dest_last4: card?.last4 ?? null }
  return {
    decidedBy: field,
    columns: { transaction_type, payment_method: 'card', ...dest, ...receiver },
  }
}

/** Makes a payout to a bank account. The gateway keeps only the last characters of the account. */
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
