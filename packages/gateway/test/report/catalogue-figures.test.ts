// @module-tag long

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../../common/src/roles.ts'
import {
  CHARGEBACK_RATIO,
  DAILY_TOTALS,
  FEES_AND_COMMISSIONS,
  PAYOUTS_TRANSFERS,
  TRANSACTIONS_LIST,
} from '../oracles/figures.ts'
import {
  askReport,
  type Checked,
  checkReport,
  columnsOf,
  forFirstRole,
  problemOf,
  type ReportRow,
  type ServedLedger,
  serveLedger,
  totalsOf,
  type Wanted,
} from '../oracles/reports-kit.ts'
import { goldenText } from '../oracles/golden-text.ts'
import { type Inputs, LATEST } from '../oracles/ledger-sql.ts'

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

/** Parameters that change a report. */
const CHANGES: readonly (readonly [Checked, usual: Inputs, changed: Inputs])[] = [
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

let served: ServedLedger
beforeAll(async () => {
  served = await serveLedger([TWO_LEGS], '202510')
})
afterAll(async () => await served.close())

const AXES = ['created', 'processed', 'bank', 'settled'] as const
const TIMEZONES = ['Asia/Tokyo', 'America/New_York'] as const
const checkedRows = new Map<string, Promise<readonly ReportRow[]>>()

/** Compares a report with raw rows, once for each role that may ask for it. Returns the operator's report. */
function check(report: Checked, inputs: Inputs): Promise<readonly ReportRow[]> {
  const key = JSON.stringify([report.identifier, inputs])
  const rows = checkedRows.get(key) ?? checkReport(served, report, inputs)
  checkedRows.set(key, rows)
  return rows
}

const valuesOf = (rows: readonly ReportRow[], title: string): ReadonlySet<string | undefined> => {
  return new Set(rows.map((row) => row[title]))
}

test('writes the optional columns of transactions-list on request', async () => {
  const rows = await check(TRANSACTIONS_LIST, {})
  expect(await served.read(`SELECT count() AS rows FROM ${LATEST}`)).toEqual([
    { rows: String(rows.length) },
  ])
})

test('keeps every digit of ids in transactions-list for spreadsheets, and one date format', async () => {
  const ids = [
    'Transaction_id',
    'Merchant_OID',
    'Order_id',
    'Bin',
    'Last4',
    'Approval_code',
    'RRN',
    'ARN',
  ]
  const columns = [...ids, 'Error_code', 'Created_date', 'Date_of_report']
  const ask = async (configuration: Inputs): Promise<readonly ReportRow[]> => {
    const wanted = { inputs: MONTH, configuration, columns }
    return (await askReport(served, served.logins.operator, 'transactions-list', wanted)).rows
  }
  const plain = await ask({})
  expect(plain.some(({ Last4: last4 = '' }) => last4.startsWith('0'))).toBe(true)
  const expected = plain.map((row) => {
    const marked = [...ids, 'Error_code'].map((id) => [id, row[id] && `="${row[id]}"`])
    const created = row['Created_date']?.replace(/^(\d+)-(\d+)-(\d+)/, '$2/$3/$1')
    const today = expect.stringMatching(/^\d{2}\/\d{2}\/\d{4}$/)
    return { ...row, ...Object.fromEntries(marked), Created_date: created, Date_of_report: today }
  })
  expect(await ask({ ids: 'text', dateFormat: 'MM/DD/YYYY' })).toEqual(expected)
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

test.each(CHANGES.map(([report, usual, changed]) => ({ report, usual, changed })))(
  '$report.identifier changes with $changed',
  async ({ report, usual, changed }) => {
    const before = await check(report, usual)
    const after = await check(forFirstRole(report), { ...usual, ...changed })
    expect(JSON.stringify(after) === JSON.stringify(before)).toBe(false)
  },
)

const CHARGEBACK_SUMS = ['Sales_count', 'Sales_amount', 'Cb_count', 'Cb_amount', 'Fraud_count']
const FEE_SUMS = [
  'Turnover',
  'Gateway_fee',
  'Processor_cost',
  'Interchange',
  'Scheme_fee',
  'Reseller_commission',
  'Manager_commission',
  'Margin',
]

test.each([
  { report: CHARGEBACK_RATIO, by: ['Currency'], sums: CHARGEBACK_SUMS },
  {
    report: DAILY_TOTALS,
    by: ['Currency', 'Type', 'Status'],
    sums: ['Count', 'Amount', 'Refunded', 'Net'],
  },
  { report: FEES_AND_COMMISSIONS, by: ['Currency'], sums: FEE_SUMS },
  {
    report: PAYOUTS_TRANSFERS,
    by: ['Kind', 'Direction', 'Status', 'Currency'],
    sums: ['Amount_out'],
  },
  {
    report: TRANSACTIONS_LIST,
    by: ['Currency', 'Transaction_type', 'Dispute_stage', 'Status'],
    sums: ['Amount'],
  },
])('$report.identifier adds up to its totals', async ({ report, by, sums }) => {
  const wanted = { inputs: YEAR, configuration: { totals: 'only' } }
  const totals = await askReport(served, served.logins.operator, report.identifier, wanted)
  expect(totals.rows).toEqual(totalsOf(await check(report, YEAR), by, sums))
  expect(totals.rows.length).toBeGreaterThan(2)
})

const KEPT: readonly (readonly [Checked, Role, Wanted])[] = [
  [
    TRANSACTIONS_LIST,
    'manager',
    { inputs: { dateFrom: '2026-03-28', dateTo: '2026-03-30', timezone: 'Europe/Berlin' } },
  ],
  [
    CHARGEBACK_RATIO,
    'operator',
    {
      inputs: { ...REACHABLE, dateFrom: '2026-07-01', dateTo: '2026-08-01' },
      filters: { merchants: [2, 9] },
    },
  ],
  [
    DAILY_TOTALS,
    'operator',
    { inputs: { dateFrom: '2026-03-29', dateTo: '2026-03-30', groupBy: 'type,status' } },
  ],
  [
    FEES_AND_COMMISSIONS,
    'operator',
    { inputs: { ...MONTH, per: 'month' }, filters: { merchants: [1, 2] } },
  ],
  [PAYOUTS_TRANSFERS, 'merchant', { inputs: MONTH }],
]

test.each(KEPT.map(([kept, role, wanted]) => ({ kept, role, wanted })))(
  '$kept.identifier equals its golden file, byte for byte',
  async ({ kept, role, wanted }) => {
    const { identifier } = kept
    const own = { ...wanted, columns: columnsOf(kept) }
    const report = await askReport(served, served.logins[role], identifier, own)
    expect(report.rows.length).toBeGreaterThan(5)
    expect(report.rows.length).toBeLessThan(40)
    expect(report.answer.text).toBe(goldenText(identifier, report))
  },
)

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

describe.each(['manager', 'reseller', 'merchant'] as const)('fees-and-commissions', (role) => {
  const identifier = 'fees-and-commissions'
  const own = FEES_AND_COMMISSIONS.titles?.[role] ?? []

  test(`hides the columns of other roles from a ${role}`, async () => {
    for (const hidden of ['Processor_cost', 'Interchange', 'Scheme_fee', 'Margin']) {
      const wanted = { inputs: YEAR, columns: ['Merchant', hidden] }
      const { code, errors } = await problemOf(served, role, identifier, wanted)
      const offered = own.toSpliced(own.indexOf('Project') + 1, 0, 'Merchant_id')
      const expected = `one of this report's columns: ${offered.join(', ')}`
      expect(code).toBe('invalid-parameter')
      expect(errors).toEqual([{ pointer: '/outputReportParameters/1', expected }])
    }
  })

  test(`has only the sums that a ${role} may see`, async () => {
    const wanted = { inputs: YEAR, configuration: { totals: 'only' } }
    const { titles } = await askReport(served, served.logins[role], identifier, wanted)
    expect(titles).toEqual(['Currency', 'Rows', ...own.slice(own.indexOf('Turnover'))])
  })
})

describe.each([CHARGEBACK_RATIO, DAILY_TOTALS, FEES_AND_COMMISSIONS])(
  '$identifier',
  ({ identifier }) => {
    test('takes a year at most', async () => {
      const inputs = { dateFrom: '2025-01-01', dateTo: '2026-01-03' }
      const { code, errors } = await problemOf(served, 'operator', identifier, { inputs })
      expect(code).toBe('invalid-parameter')
      const expected = 'a period of at most 366 days, got 367'
      expect(errors).toEqual([{ pointer: '/inputReportParameters', expected }])
    })

    test('requires both bounds of its period', async () => {
      const { errors = [] } = await problemOf(served, 'operator', identifier, {})
      const expected = ['the parameter dateFrom', 'the parameter dateTo']
      expect(errors.map((error) => error.expected)).toEqual(expected)
    })
  },
)

test.each([
  ['chargeback-ratio', 'reseller'],
  ['payouts-transfers', 'reseller'],
] as const)('has no report %s for a %s', async (identifier, role) => {
  expect((await problemOf(served, role, identifier, { inputs: YEAR })).code).toBe('unknown-report')
})
