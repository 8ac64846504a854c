import {
  CHARGEBACK_RATIO,
  DAILY_TOTALS,
  FEES_AND_COMMISSIONS,
  PAYOUTS_TRANSFERS,
} from '../oracles/recompute-figures.ts'
import type { Checked, Inputs } from '../kit/reports-kit.ts'

export const YEAR = { dateFrom: '2025-11-01', dateTo: '2026-11-01' }
export const QUARTER = { dateFrom: '2026-02-01', dateTo: '2026-05-01' }
export const MONTH = { dateFrom: '2026-03-01', dateTo: '2026-04-01' }
// A ledger of some thousand rows reaches these thresholds.
export const REACHABLE = {
  ...YEAR,
  minChargebacks: '1',
  warningRatio: '0.02',
  excessiveRatio: '0.2',
}

/** Parameters that change a report. */
export const CHANGES: readonly (readonly [Checked, usual: Inputs, changed: Inputs])[] = [
  [CHARGEBACK_RATIO, REACHABLE, { ratioBasis: 'previous-month' }],
  [CHARGEBACK_RATIO, REACHABLE, { warningRatio: '0.15' }],
  [CHARGEBACK_RATIO, REACHABLE, { excessiveRatio: '0.5' }],
  [CHARGEBACK_RATIO, REACHABLE, { minChargebacks: '2' }],
  [CHARGEBACK_RATIO, REACHABLE, { statuses: 'approved,declined' }],
  [CHARGEBACK_RATIO, REACHABLE, { types: 'sale' }],
  [CHARGEBACK_RATIO, REACHABLE, { types: 'capture,transfer' }],
  [CHARGEBACK_RATIO, REACHABLE, { timezone: 'Asia/Tokyo' }],
  [CHARGEBACK_RATIO, REACHABLE, { timezone: 'America/New_York', ratioBasis: 'previous-month' }],
  [DAILY_TOTALS, QUARTER, { groupBy: 'day' }],
  [DAILY_TOTALS, QUARTER, { groupBy: 'merchant' }],
  [DAILY_TOTALS, QUARTER, { groupBy: 'status' }],
  [DAILY_TOTALS, QUARTER, { groupBy: 'merchant,type' }],
  [DAILY_TOTALS, QUARTER, { groupBy: 'day,type,status' }],
  [DAILY_TOTALS, QUARTER, { statuses: 'approved,unknown' }],
  [DAILY_TOTALS, QUARTER, { types: 'sale,reversal,chargeback', groupBy: 'day' }],
  [FEES_AND_COMMISSIONS, QUARTER, { per: 'month' }],
  [FEES_AND_COMMISSIONS, QUARTER, { per: 'month', dateAxis: 'settled', timezone: 'Asia/Tokyo' }],
  [FEES_AND_COMMISSIONS, QUARTER, { statuses: 'declined' }],
  [FEES_AND_COMMISSIONS, QUARTER, { types: 'sale,reversal' }],
  [PAYOUTS_TRANSFERS, {}, { statuses: 'declined,error' }],
  [PAYOUTS_TRANSFERS, {}, { statuses: 'processing,unknown' }],
  [PAYOUTS_TRANSFERS, {}, { types: 'payout' }],
]
