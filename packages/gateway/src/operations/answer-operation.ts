import type { EligibilityResponse, Operation, OperationAnswer } from '@counterfoil/protocol'
import { type AcceptedOrder, firstTransactionId } from './ledger-rows.ts'
import { simulate } from './simulate.ts'

/** What an accepted operation is answered with: that it is under way, or for a question about a card its result. */
export function answerOperation(
  { answerId }: Operation,
  { form, number }: AcceptedOrder,
  serialNumber: string,
): OperationAnswer {
  const orderId = form.texts.get('client_orderid') ?? ''
  const ids = {
    'serial-number': serialNumber,
    'client-order-id': orderId,
    'merchant-order-id': orderId,
  }
  if (answerId === undefined) {
    return { type: 'pan-eligibility-response', ...ids, ...eligibility(form) }
  }
  return { type: 'async-response', ...ids, [answerId]: firstTransactionId(number) }
}

type Ids = 'type' | 'serial-number' | 'client-order-id' | 'merchant-order-id'

function eligibility({ cards }: AcceptedOrder['form']): Omit<EligibilityResponse, Ids> {
  const card = cards.get('sending-card-number')
  const { reason, afterSeconds } = simulate(card, undefined)
  const known = card && { bin: card.bin, 'last-four-digits': card.last4 }
  if (afterSeconds > 0 || reason.status === 'unknown') return { status: 'unknown', ...known }
  if (reason.status === 'error') return { status: 'error', ...known }
  return { status: 'approved', 'can-send': reason.status === 'approved', ...known }
}
