// @module-tag long

import { beforeAll, describe, expect, test } from 'vitest'
import { verifyLedger } from '../../../ledger/src/rules/verify-ledger.ts'
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

const STATEMENT = '99900000011'
const FIRST_ID = 5_000_000_000_000_000_100n

/** What a statement in NOK settles: a type, its amount, the gateway's fee and the net amount. */
const MOVEMENTS = [
  ['sale', 20, 2, 18],
  ['chargeback', 20, 2, -22],
  ['chargeback_reversal', 20, 0, 20],
  ['reversal', 7, 0, -7],
  ['refund_reversal', 7, 0, 7],
  ['representment', 5, 0, 5],
  ['fee', 0, 3, -3],
  ['adjustment', -4, 0, -4],
  ['reserve_release', 6, 0, 6],
] as const

const movement = ([type, amount, fee, net]: (typeof MOVEMENTS)[number], at: number): string => {
  const original = !['sale', 'fee', 'adjustment', 'reserve_release'].includes(type)
  return `INSERT INTO transactions
  SELECT * REPLACE (${FIRST_ID + BigInt(at)} AS transaction_id, '${type}' AS transaction_type,
    ${original ? FIRST_ID : 'NULL'} AS original_transaction_id, 'movement' AS client_order_id,
    ${type === 'fee' ? fee : amount} AS amount, 'NOK' AS currency, 'NOK' AS settlement_currency, NULL AS fx_rate,
    ${type === 'fee' ? 'NULL' : amount} AS settlement_amount, ${fee} AS gateway_fee, ${net} AS net_amount,
    'approved' AS status, NULL AS reserve_amount, NULL AS reserve_release, NULL AS reseller_commission,
    NULL AS manager_commission, ${STATEMENT} AS statement_id,
    toDate32('2026-08-20') AS bank_date)
  FROM (SELECT * FROM transactions FINAL WHERE merchant_id = '1' AND transaction_type = 'sale'
    AND client_order_id != 'movement' ORDER BY transaction_id LIMIT 1)`
}

const OF_MOVEMENTS = [
  ...MOVEMENTS.map(movement),
  `INSERT INTO statements
  (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
  payout_reference, company_id, manager_id, reseller_id)
  SELECT ${STATEMENT}, merchant_id, project_id, 'NOK', toDate32('2026-08-20'), 0, 20, 20, 0,
    'BANK-1', company_id, manager_id, reseller_id
  FROM transactions WHERE transaction_id = '${FIRST_ID}'`,
]

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

/** Asks for a report of August. */
async function ask(
  report: string,
  inputs: Readonly<Record<string, string>> = {},
  role: 'operator' | 'manager' | 'merchant' = 'operator',
): Promise<readonly ReportRow[]> {
  const wanted = { inputs: { ...AUGUST, ...inputs } }
  return (await askReport(served, served.logins[role], report, wanted)).rows
}

/** The rows of the three statements in CHF. */
async function askAs(role: 'operator' | 'manager' | 'merchant', report = 'settlement-statement') {
  const ids = ['99900000001', '99900000002', '99900000003']
  return (await ask(report, {}, role)).filter((row) => ids.includes(row['Statement_id'] ?? ''))
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

describe('with a statement of all movements', () => {
  beforeAll(async () => {
    for (const insert of OF_MOVEMENTS) await served.gateway.engine.execute(insert)
  })

  test('every type of movement has its place in a statement, and its rows add up to payable', async () => {
    expect(await ask('settlement-statement', { statementId: STATEMENT })).toEqual([
      expect.objectContaining({
        Sales_amount: '20.000',
        Refunds_count: '1',
        Refunds_amount: '0.000',
        Chargebacks_amount: '-5.000',
        Fees: '7.000',
        Reserve_released: '6.000',
        Payable: '20.000',
        // The adjustment.
        Other_movements: '-4.000',
        Balance_gap: '0.000',
      }),
    ])
    const reference = { inputs: { statementId: STATEMENT }, columns: ['Payout_reference'] }
    const { operator } = served.logins
    const { rows } = await askReport(served, operator, 'settlement-statement', reference)
    expect(rows).toEqual([{ Payout_reference: 'BANK-1' }])
    const details = await ask('settlement-details', { statementId: STATEMENT })
    const nets = details.map((row) => [row['Type'], Number(row['Net_amount'])])
    expect(nets).toEqual(MOVEMENTS.map(([type, , , net]) => [type, net]))
  })

  test('chargebacks that come back raise the net of a day, and have rows beside refunds and chargebacks', async () => {
    const days = await ask('daily-totals', { groupBy: 'day' })
    expect(days.filter((row) => row['Currency'] === 'NOK')).toEqual([
      expect.objectContaining({ Count: '9', Net: '25.000', Refunded: '0.000' }),
    ])
    const events = await ask('refunds-chargebacks', {
      types: 'chargeback_reversal,refund_reversal,representment',
    })
    expect(events.map((row) => [row['Type'], row['Original_amount']])).toEqual([
      ['chargeback_reversal', '20.000'],
      ['refund_reversal', '20.000'],
      ['representment', '20.000'],
    ])
  })

  test('rules find nothing in the statement and its transactions', async () => {
    const tomorrowMs = Date.parse('2027-01-01')
    const faults = await verifyLedger(served.gateway.engine, { severities: {}, tomorrowMs })
    const own = faults.filter(({ ids }) => {
      return ids.some((id) => id === STATEMENT || BigInt(id) >= FIRST_ID)
    })
    expect(own).toEqual([])
  })
})
