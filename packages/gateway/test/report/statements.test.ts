// @module-tag long

import { expect, test } from 'vitest'
import { askReport, checkReport, type ReportRow, serveLedger } from '../oracles/reports-kit.ts'
import { SETTLEMENT_STATEMENT, settlementDetails } from '../oracles/settlements.ts'

// An account in CHF of merchant 1: statements of a Friday, a Monday and a Tuesday, and a gap of 7 before the Tuesday.
// The Monday's statement settles a sale of each case. The merchant had another manager when the first sale was made.
const STATEMENTS = `INSERT INTO statements
  (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
  company_id, manager_id, reseller_id)
  SELECT 99900000000 + place, merchant_id, project_id, 'CHF', toDate32('2026-08-07') + days[place],
    [0, 0, 60][place], [0, 53, 0][place], 0, [0, 53, 60][place], company_id, 1, reseller_id
  FROM (SELECT * FROM transactions FINAL WHERE merchant_id = '1' AND transaction_type = 'sale'
    ORDER BY transaction_id LIMIT 1) AS sale
  CROSS JOIN (SELECT [0, 3, 4] AS days, arrayJoin([1, 2, 3]) AS place) AS places`

const sale = (id: number, change: string): string => `INSERT INTO transactions
  SELECT * REPLACE (${change}, 5000000000000000000 + ${id} AS transaction_id, 99900000002 AS statement_id,
    ifNull(settled_at, created_at) AS settled_at, toDate32('2026-08-10') AS bank_date)
  FROM (SELECT * REPLACE (1 AS manager_id, 'approved' AS status, 'CHF' AS settlement_currency,
    20 AS settlement_amount, 2 AS gateway_fee, NULL AS reserve_amount, NULL AS reserve_release, 18 AS net_amount)
    FROM transactions FINAL WHERE merchant_id = '1' AND transaction_type = 'sale' ORDER BY transaction_id LIMIT 1)`

const INSERTS = [
  STATEMENTS,
  sale(1, '3 AS manager_id'),
  sale(2, "'declined' AS status, NULL AS net_amount"),
  sale(3, "'processing' AS status, NULL AS net_amount"),
  sale(4, "'NOK' AS settlement_currency"),
  // A Saturday's reserve: the Monday releases it, and the Tuesday does not release it again.
  sale(
    5,
    "3 AS manager_id, 5 AS reserve_amount, toDate32('2026-08-08') AS reserve_release, 13 AS net_amount",
  ),
]

const served = await serveLedger(INSERTS, '202608')

const AUGUST = { dateFrom: '2026-08-01', dateTo: '2026-09-01' }

/** The rows of the three statements. */
async function askAs(role: 'operator' | 'manager' | 'merchant', report = 'settlement-statement') {
  const { rows } = await askReport(served, served.logins[role], report, { inputs: AUGUST })
  const ids = ['99900000001', '99900000002', '99900000003']
  return rows.filter((row: ReportRow) => ids.includes(row['Statement_id'] ?? ''))
}

test('counts approved transactions in its own currency, and says what they do not explain', async () => {
  const [friday, monday, tuesday] = await askAs('operator')
  expect(friday).toMatchObject({ Reserve_released: '0.000', Balance_gap: '0.000' })
  expect(monday).toMatchObject({
    Sales_count: '2',
    Sales_amount: '40.000',
    Fees: '4.000',
    Reserve_held: '5.000',
    Reserve_released: '5.000',
    Payable: '53.000',
    Other_movements: '17.000',
    Balance_gap: '0.000',
  })
  expect(tuesday).toMatchObject({
    Reserve_released: '0.000',
    Other_movements: '0.000',
    Balance_gap: '7.000',
  })
})

test('is the same for every role that sees it, whoever managed the merchant at the time of a sale', async () => {
  const rows = await askAs('operator')
  expect(await askAs('manager')).toEqual(rows)
  expect(await askAs('merchant')).toEqual(rows)
  await checkReport(served, SETTLEMENT_STATEMENT, AUGUST)
})

test('releases a reserve once, with the first statement on or after its day', async () => {
  const rows = await askAs('merchant', 'settlement-details')
  const releases = rows.filter((row) => row['Type'] === 'reserve_release')
  expect(releases).toEqual([
    expect.objectContaining({ Statement_id: '99900000002', Net_amount: '5.000' }),
  ])
  // A period, a filter or a single statement does not move the release to another statement.
  const statementId = '99900000003'
  for (const inputs of [{ statementId }, { dateFrom: '2026-08-11' }]) {
    const asked = await askReport(served, served.logins.operator, 'settlement-statement', {
      inputs,
      filters: { managers: [1] },
    })
    const row = asked.rows.find((one) => one['Statement_id'] === statementId)
    expect(row).toMatchObject({ Reserve_released: '0.000', Balance_gap: '7.000' })
  }
  for (const role of ['operator', 'manager', 'merchant'] as const) {
    await checkReport(served, settlementDetails(role), AUGUST)
  }
})
