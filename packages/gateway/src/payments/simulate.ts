import { type Reason, REASONS } from '@counterfoil/ledger'
import type { Card } from './cards.ts'

/** The outcome of a payment in the sandbox. */
export interface SimulatedOutcome {
  readonly reason: Reason
  /** How long the payment is `processing` before. */
  readonly afterSeconds: number
}

/** A test card and a test amount with their outcome (docs/sandbox.md, "Test cards and amounts"). */
export interface Scenario extends SimulatedOutcome {
  readonly card: string
  /** Units of any currency. The fraction does not matter. */
  readonly amount: string
}

const PROCESSING_SECONDS = 5

const scenario = (
  card: string,
  amount: string,
  isIt: (reason: Reason) => boolean,
  afterSeconds = 0,
): Scenario => {
  const reason = REASONS.find(isIt)
  if (!reason) throw new Error(`expected a reason for the card ${card}`)
  return { card, amount, reason, afterSeconds }
}

const isApproved = ({ status }: Reason): boolean => status === 'approved'
const isDeclinedWith = (code: string) => {
  return ({ status, response }: Reason): boolean => status === 'declined' && response === code
}
const hasError = (code: number) => {
  return ({ error }: Reason): boolean => error === code
}

const APPROVED = scenario('9001000000000000', '9000', isApproved)

/** All scenarios. No card scheme uses these first digits. */
export const SCENARIOS: readonly Scenario[] = [
  APPROVED,
  scenario('9001000000000018', '9001', isDeclinedWith('05')),
  scenario('9001000000000026', '9002', isDeclinedWith('51')),
  scenario('9001000000000034', '9003', isDeclinedWith('54')),
  scenario('9001000000000042', '9004', hasError(2001)),
  scenario('9001000000000059', '9005', hasError(2004)),
  scenario('9001000000000067', '9006', hasError(3001)),
  scenario('9001000000000075', '9007', hasError(3004)),
  scenario('9001000000000083', '9008', isApproved, PROCESSING_SECONDS),
  scenario('9001000000000091', '9009', isDeclinedWith('05'), PROCESSING_SECONDS),
]

const byCard = new Map(SCENARIOS.map((one) => [one.card.slice(0, 6) + one.card.slice(-4), one]))
const byAmount = new Map(SCENARIOS.map((one) => [one.amount, one]))

/**
 * Returns the outcome of a payment: that of its test card, or else that of its test amount. Any other payment is
 * approved.
 */
export function simulate(card: Card | undefined, amount: string | undefined): SimulatedOutcome {
  const [units = ''] = amount?.split('.') ?? []
  return (card && byCard.get(`${card.bin}${card.last4}`)) ?? byAmount.get(units) ?? APPROVED
}
