import { type Reason, REASONS } from '@counterfoil/ledger'
import type { Card } from './cards.ts'

interface SimulatedOutcome {
  readonly reason: Reason
  /** How long the payment is `processing` before. */
  readonly afterSeconds: number
}

/** A test card and a test amount with their outcome (docs/sandbox.md, "Test cards and amounts"). */
interface Scenario extends SimulatedOutcome {
  readonly card: string
  /** Units of any currency. The fraction does not matter. */
  readonly amount: string
}

const scenario = (
  card: string,
  amount: string,
  errorCode: Reason['error'],
  afterSeconds = 0,
): Scenario => {
  const reason = REASONS.find(({ error }) => error === errorCode)
  if (!reason) throw new Error(`expected a reason for the card ${card}`)
  return { card, amount, reason, afterSeconds }
}

const APPROVED = scenario('9001000000000000', '9000', null)

/** All scenarios. No card scheme uses these first digits. */
export const SCENARIOS: readonly Scenario[] = [
  APPROVED,
  scenario('9001000000000018', '9001', 1005),
  scenario('9001000000000026', '9002', 1181),
  scenario('9001000000000034', '9003', 1184),
  scenario('9001000000000042', '9004', 2001),
  scenario('9001000000000059', '9005', 2004),
  scenario('9001000000000067', '9006', 3001),
  scenario('9001000000000075', '9007', 3004),
  scenario('9001000000000083', '9008', null, 5),
  scenario('9001000000000091', '9009', 1005, 5),
]

/**
 * Returns the outcome of a payment: that of its test card, or else that of its test amount. Any other payment is
 * approved.
 */
export function simulate(card: Card | undefined, amount: string | undefined): SimulatedOutcome {
  const digits = `${card?.bin}${card?.last4}`
  const [units = ''] = amount?.split('.') ?? []
  return (
    SCENARIOS.find((one) => one.card.slice(0, 6) + one.card.slice(-4) === digits) ??
    SCENARIOS.find((one) => one.amount === units) ??
    APPROVED
  )
}
