import {
  DECLINE_ANALYSIS,
  ORDER_RECONCILIATION,
  REFUNDS_CHARGEBACKS,
} from '../oracles/recompute-orders.ts'
import { SETTLEMENT_STATEMENT, settlementDetails } from '../oracles/recompute-settlements.ts'
import type { Role } from '../../src/store/store.ts'
import type { Checked, Inputs, Wanted } from '../kit/reports-kit.ts'

export const YEAR = { dateFrom: '2025-11-01', dateTo: '2026-11-01' }
export const MONTH = { dateFrom: '2026-03-01', dateTo: '2026-04-01' }
export const DETAILS = {
  operator: settlementDetails('operator'),
  manager: settlementDetails('manager'),
  merchant: settlementDetails('merchant'),
}

/** Parameters that change a report. */
export const CHANGES: readonly (readonly [Checked, usual: Inputs, changed: Inputs])[] = [
  [ORDER_RECONCILIATION, YEAR, { timezone: 'Asia/Tokyo' }],
  [ORDER_RECONCILIATION, MONTH, { timezone: 'America/New_York' }],
  [ORDER_RECONCILIATION, YEAR, { onlyDifferences: 'true' }],
  [ORDER_RECONCILIATION, YEAR, { statuses: 'approved' }],
  [ORDER_RECONCILIATION, YEAR, { statuses: 'declined,filtered' }],
  [ORDER_RECONCILIATION, YEAR, { types: 'capture' }],
  [ORDER_RECONCILIATION, YEAR, { types: 'reversal,chargeback', onlyDifferences: 'false' }],
  [SETTLEMENT_STATEMENT, {}, YEAR],
  [SETTLEMENT_STATEMENT, YEAR, { types: 'chargeback' }],
  [SETTLEMENT_STATEMENT, YEAR, { types: 'payout,transfer', statuses: 'approved' }],
  [DETAILS.operator, MONTH, { types: 'sale,reserve_release' }],
  [DETAILS.manager, YEAR, { types: 'payout' }],
  [DETAILS.merchant, YEAR, { types: 'reversal', statuses: 'approved' }],
  [DECLINE_ANALYSIS, YEAR, { groupBy: 'decline_group' }],
  [DECLINE_ANALYSIS, YEAR, { groupBy: 'card_brand' }],
  [DECLINE_ANALYSIS, YEAR, { groupBy: 'issuer_country' }],
  [DECLINE_ANALYSIS, YEAR, { groupBy: 'gate' }],
  [DECLINE_ANALYSIS, YEAR, { groupBy: 'response_code,card_brand' }],
  [
    DECLINE_ANALYSIS,
    YEAR,
    { groupBy: 'decline_group,response_code,card_brand,issuer_country,gate' },
  ],
  [DECLINE_ANALYSIS, { ...YEAR, groupBy: 'gate,decline_group' }, { minAttempts: '40' }],
  [DECLINE_ANALYSIS, YEAR, { statuses: 'declined' }],
  [DECLINE_ANALYSIS, YEAR, { statuses: 'filtered,error' }],
  [DECLINE_ANALYSIS, YEAR, { types: 'preauth' }],
  [DECLINE_ANALYSIS, YEAR, { ...MONTH, timezone: 'America/New_York' }],
  [REFUNDS_CHARGEBACKS, {}, { ...YEAR, timezone: 'Asia/Tokyo' }],
  [REFUNDS_CHARGEBACKS, YEAR, { dateAxis: 'processed', timezone: 'America/New_York' }],
  [REFUNDS_CHARGEBACKS, YEAR, { dateAxis: 'bank' }],
  [REFUNDS_CHARGEBACKS, YEAR, { dateAxis: 'settled', timezone: 'Asia/Tokyo' }],
  [REFUNDS_CHARGEBACKS, YEAR, { dateAxis: 'due', timezone: 'America/New_York' }],
  [REFUNDS_CHARGEBACKS, YEAR, { types: 'chargeback,dispute' }],
  [REFUNDS_CHARGEBACKS, YEAR, { statuses: 'declined,error,unknown' }],
]

/** The reports of the golden files. */
export const KEPT: readonly (readonly [Checked, Role, Wanted])[] = [
  [ORDER_RECONCILIATION, 'merchant', { inputs: { ...MONTH, onlyDifferences: 'true' } }],
  [SETTLEMENT_STATEMENT, 'merchant', { inputs: { ...MONTH, dateTo: '2026-03-12' } }],
  [
    DETAILS.operator,
    'operator',
    {
      inputs: { dateFrom: '2026-03-23', dateTo: '2026-04-01' },
      filters: { merchants: [2] },
    },
  ],
  [DECLINE_ANALYSIS, 'operator', { inputs: YEAR, filters: { currencies: ['EUR'] } }],
  [REFUNDS_CHARGEBACKS, 'operator', { inputs: { ...MONTH, timezone: 'Europe/Berlin' } }],
]
