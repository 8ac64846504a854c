import type { EligibilityResponse } from '@counterfoil/protocol'
import type { Order } from '../order.ts'
import { simulate } from '../simulate.ts'
import { idsOf } from './answer-accepted.ts'
import type { OperationHandler } from './handler.ts'
import { type CardFields, fromCard } from './legs.ts'

const CARD: CardFields = {
  number: 'sending-card-number',
  holder: 'card-printed-name',
  reference: 'sending-card-ref-id',
}

/** Answers whether a card can send money. The order makes a transaction that moves no money. */
export const panEligibility: OperationHandler = {
  answer: (order, serialNumber) => ({
    type: 'pan-eligibility-response',
    ...idsOf(order, serialNumber),
    ...resultOf(order),
  }),
  legs: (form) => [fromCard(form, CARD, 'pan_eligibility')],
}

type Result = Pick<EligibilityResponse, 'status' | 'can-send' | 'bin' | 'last-four-digits'>

function resultOf({ form }: Order): Result {
  const card = form.cards.get(CARD.number)
  const { reason, afterSeconds } = simulate(card, undefined)
  const known = card && {
    ...(card.bin !== null && { bin: card.bin }),
    'last-four-digits': card.last4,
  }
  if (afterSeconds > 0 || reason.status === 'unknown') return { status: 'unknown', ...known }
  if (reason.status === 'error') return { status: 'error', ...known }
  return { status: 'approved', 'can-send': reason.status === 'approved', ...known }
}
