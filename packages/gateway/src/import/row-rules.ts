import type { LedgerTable } from '../ledger/model.ts'
import { literals } from '../clickhouse/literals.ts'

/** A rule between the columns of a row. Each column alone is valid. */
export interface RowRule {
  /** The rule applies to files that have all of these columns. */
  readonly columns: readonly string[]
  /** SQL over `value_<column>`: whether a row breaks the rule; never NULL. */
  readonly when: string
  /** The column at fault, and its expected value. */
  readonly reason: string
}

/** Amounts of a transaction that are never negative. The type tells in which direction the money moves. */
const NEVER_NEGATIVE = ['amount', 'settlement_amount', 'reserve_amount']

/** Types that take money from the merchant. */
const TAKING_TYPES = ['reversal', 'chargeback', 'payout']

/** The rules of each table. */
export const ROW_RULES: Readonly<Partial<Record<LedgerTable, readonly RowRule[]>>> = {
  transactions: [
    ...NEVER_NEGATIVE.map((name) => ({
      columns: [name],
      when: `ifNull(value_${name}, 0) < 0`,
      reason: `${name}: expected 0 or more, whatever the transaction_type`,
    })),
    {
      columns: ['net_amount', 'transaction_type'],
      // A comparison, because the engine takes much longer to prepare an AND.
      when: `(ifNull(value_net_amount, 0) > 0) > NOT has(${literals(TAKING_TYPES)}, ifNull(value_transaction_type, ''))`,
      reason: `net_amount: expected 0 or less for a transaction_type that takes money (${TAKING_TYPES.join(', ')})`,
    },
  ],
  statements: [
    {
      columns: ['opening', 'payable', 'paid_out', 'closing'],
      when: 'ifNull(value_opening + value_payable - value_paid_out - value_closing, 0) != 0',
      reason: 'closing: expected opening + payable - paid_out',
    },
  ],
}
