import type { OutboxEntry } from '../store/outbox.ts'
import { formatInstant } from '../instants.ts'
import { HANDLERS } from './handlers/handlers.ts'
import type { Row } from './handlers/legs.ts'
import { type Order, orderIdOf, transactionIdOf } from './order.ts'
import { simulate } from './simulate.ts'

const AT_ONCE = new Date(0)

/**
 * The versions of an order's transactions. While an outcome is awaited, the transaction is there as `processing`, and
 * what follows is due when it happens. What is not awaited is due whatever a clock says, which may be set back.
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
