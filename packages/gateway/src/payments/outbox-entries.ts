import type { OutboxEntry } from '@counterfoil/store'
import { formatInstant } from '@counterfoil/common'
import { HANDLERS, type Row } from './handlers.ts'
import { type Order, orderIdOf, transactionIdOf } from './order.ts'
import { simulate } from './simulate.ts'

const AT_ONCE = new Date(0)

/**
 * Makes the outbox entries of an order: one for each version of its transactions. A transaction with a delayed outcome
 * first gets the version `processing`. The versions after it are due when the outcome happens. Entries before the first
 * delay are due at once, even if a clock is set back.
 */
export function outboxEntries(order: Order): readonly OutboxEntry[] {
  const { operation, form, number } = order
  const entries: OutboxEntry[] = []
  let startsAt = order.acceptedAt
  let dueAt = AT_ONCE
  for (const [place, leg] of HANDLERS[operation.name].legs(form).entries()) {
    const amount = place === 0 ? form.texts.get('amount') : undefined
    const { reason, afterSeconds } = simulate(form.cards.get(leg.decidedBy), amount)
    const endsAt = new Date(startsAt.getTime() + afterSeconds * 1000)
    const common: Row = {
      ...commonColumns(order),
      ...leg.columns,
      transaction_id: transactionIdOf(order, place),
      created_at: formatInstant(startsAt.getTime()),
    }
    if (afterSeconds > 0) {
      entries.push(entry(common, dueAt, startsAt, { status: 'processing', row_version: 1 }))
      dueAt = endsAt
    }
    const isCard = leg.columns.payment_method === 'card'
    const approval = String(number % 1_000_000).padStart(6, '0')
    entries.push(
      entry(common, dueAt, endsAt, {
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

function commonColumns(order: Order): Row {
  const { texts } = order.form
  const { exponent: _, currency, ...ids } = order.endpoint
  return {
    ...ids,
    currency,
    order_id: orderIdOf(order),
    client_order_id: texts.get('client_orderid') ?? '',
    amount: texts.get('amount') ?? '0',
    email: texts.get('email') ?? null,
    phone: texts.get('phone') ?? null,
    ip: texts.get('ipaddress') ?? null,
    order_description: texts.get('order_desc') ?? null,
    purpose: texts.get('purpose') ?? null,
  }
}

function entry(common: Row, dueAt: Date, updatedAt: Date, version: Row): OutboxEntry {
  const updated: Row = { updated_at: formatInstant(updatedAt.getTime()) }
  return { dueAt, rows: JSON.stringify({ ...common, ...updated, ...version }) }
}
