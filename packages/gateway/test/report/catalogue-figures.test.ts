// @module-tag long

import { describe, expect, test } from 'vitest'
import {
  checksOf,
  testChanges,
  testGolden,
  testTotals,
  valuesOf,
} from '../oracles/catalogue-tests.ts'
import {
  CHARGEBACK_RATIO,
  DAILY_TOTALS,
  FEES_AND_COMMISSIONS,
  PAYOUTS_TRANSFERS,
  TRANSACTIONS_LIST,
} from '../oracles/figures.ts'
import { LATEST } from '../oracles/ledger-sql.ts'
import {
  askReport,
  columnsOf,
  forFirstRole,
  problemOf,
  serveLedger,
} from '../oracles/reports-kit.ts'

const YEAR = { dateFrom: '2025-11-01', dateTo: '2026-11-01' }
const QUARTER = { dateFrom: '2026-02-01', dateTo: '2026-05-01' }
const MONTH = { dateFrom: '2026-03-01', dateTo: '2026-04-01' }
// A ledger of some thousand rows reaches these thresholds.
const REACHABLE = {
  ...YEAR,
  minChargebacks: '1',
  warningRatio: '0.02',
  excessiveRatio: '0.2',
}

// No generated ledger has transfers in two legs. The leg to the receiver charges no card.
const TWO_LEGS = `
INSERT INTO transactions
SELECT transfers.* REPLACE (
  toInt64(transaction_id) + leg * 1000000000000 AS transaction_id, row_version + 1 AS row_version,
  if(leg, NULL, last4) AS last4, if(leg, NULL, bin) AS bin, if(leg, NULL, card_ref_id) AS card_ref_id,
  if(leg, dest_bin, NULL) AS dest_bin, if(leg, dest_last4, NULL) AS dest_last4, if(leg, dest_bank, NULL) AS dest_bank,
  if(leg, NULL, settlement_currency) AS settlement_currency, if(leg, NULL, gateway_fee) AS gateway_fee
)
FROM (SELECT * FROM transactions FINAL WHERE transaction_type = 'transfer' AND toInt64(order_id) % 3 = 0) AS transfers
CROSS JOIN (SELECT arrayJoin([0, 1]) AS leg) AS legs`

const served = await serveLedger([TWO_LEGS], '202510')
const check = checksOf(served)

const AXES = ['created', 'processed', 'bank', 'settled'] as const
const TIMEZONES = ['Asia/Tokyo', 'America/New_York'] as const

test('writes the optional columns of transactions-list on request', async () => {
  const rows = await check(TRANSACTIONS_LIST, {})
  expect(await served.read(`SELECT count() AS rows FROM ${LATEST}`)).toEqual([
    { rows: String(rows.length) },
  ])
})

describe.each([TRANSACTIONS_LIST, DAILY_TOTALS, FEES_AND_COMMISSIONS, PAYOUTS_TRANSFERS])(
  '$identifier goes by the axis',
  (report) => {
    test.each(AXES)('%s', async (dateAxis) => {
      for (const [index, timezone] of TIMEZONES.entries()) {
        const checked = index === 0 ? report : forFirstRole(report)
        const rows = await check(checked, { ...MONTH, dateAxis, timezone })
        expect(rows.length).toBeGreaterThan(10)
      }
    })
  },
)

testChanges(check, 0, [
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
])

const CHARGEBACK_SUMS = ['Sales_count', 'Sales_amount', 'Cb_count', 'Cb_amount', 'Fraud_count']
const FEE_SUMS = [
  'Turnover Gateway_fee Processor_cost Interchange Scheme_fee Reseller_commission',
  'Manager_commission Margin',
].flatMap((line) => line.split(' '))

testTotals(served, check, YEAR, [
  [CHARGEBACK_RATIO, ['Currency'], CHARGEBACK_SUMS],
  [DAILY_TOTALS, ['Currency', 'Type', 'Status'], ['Count', 'Amount', 'Refunded', 'Net']],
  [FEES_AND_COMMISSIONS, ['Currency'], FEE_SUMS],
  [PAYOUTS_TRANSFERS, ['Kind', 'Direction', 'Status', 'Currency'], ['Amount_out']],
  [TRANSACTIONS_LIST, 'Currency Transaction_type Dispute_stage Status'.split(' '), ['Amount']],
])

const NIGHT = { dateFrom: '2026-03-28', dateTo: '2026-03-30', timezone: 'Europe/Berlin' }
const JULY = { dateFrom: '2026-07-01', dateTo: '2026-08-01' }
const DAY = { dateFrom: '2026-03-29', dateTo: '2026-03-30' }

testGolden(served, [
  [TRANSACTIONS_LIST, 'manager', { inputs: NIGHT, columns: columnsOf(TRANSACTIONS_LIST) }],
  [
    CHARGEBACK_RATIO,
    'operator',
    { inputs: { ...REACHABLE, ...JULY }, filters: { merchants: [2, 9] } },
  ],
  [DAILY_TOTALS, 'operator', { inputs: { ...DAY, groupBy: 'type,status' } }],
  [
    FEES_AND_COMMISSIONS,
    'operator',
    { inputs: { ...MONTH, per: 'month' }, filters: { merchants: [1, 2] } },
  ],
  [PAYOUTS_TRANSFERS, 'merchant', { inputs: MONTH }],
])

describe('chargeback-ratio', () => {
  test('shows who is near a threshold and who is above it', async () => {
    const rows = await check(CHARGEBACK_RATIO, REACHABLE)
    expect(valuesOf(rows, 'Threshold_state')).toEqual(new Set(['ok', 'warning', 'excessive']))
    const usual = await check(CHARGEBACK_RATIO, YEAR)
    expect(usual).toHaveLength(rows.length)
  })

  test('has complete months that begin in the period', async () => {
    const full = await check(CHARGEBACK_RATIO, { dateFrom: '2026-02-01', dateTo: '2026-04-01' })
    expect(valuesOf(full, 'Month')).toEqual(new Set(['2026-02', '2026-03']))
    const partial = await check(CHARGEBACK_RATIO, { dateFrom: '2026-01-15', dateTo: '2026-03-02' })
    expect(partial).toEqual(full)
  })
})

test('keeps every row of a settlement currency in fees-and-commissions filtered by currency', async () => {
  const all = await check(FEES_AND_COMMISSIONS, QUARTER)
  const { identifier } = FEES_AND_COMMISSIONS
  for (const currency of valuesOf(all, 'Currency')) {
    const wanted = { inputs: QUARTER, filters: { currencies: [currency ?? ''] } }
    const { rows } = await askReport(served, served.logins.operator, identifier, wanted)
    expect(rows).toEqual(all.filter((row) => row['Currency'] === currency))
  }
})

test.each([
  ['chargeback-ratio', 'reseller'],
  ['payouts-transfers', 'reseller'],
] as const)('has no report %s for a %s', async (identifier, role) => {
  expect((await problemOf(served, role, identifier, { inputs: YEAR })).code).toBe('unknown-report')
})
