// @module-tag long

import { expect, test } from 'vitest'
import { verifyLedger } from '../../../ledger/src/rules/verify-ledger.ts'
import { askReport, type ReportRow, serveLedger } from '../oracles/reports-kit.ts'

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

const INSERTS = [
  ...MOVEMENTS.map(movement),
  `INSERT INTO statements
  (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
  payout_reference, company_id, manager_id, reseller_id)
  SELECT ${STATEMENT}, merchant_id, project_id, 'NOK', toDate32('2026-08-20'), 0, 20, 20, 0,
    'BANK-1', company_id, manager_id, reseller_id
  FROM transactions WHERE transaction_id = '${FIRST_ID}'`,
]

const served = await serveLedger(INSERTS, '202608')

async function ask(
  report: string,
  inputs: Record<string, string>,
  columns?: readonly string[],
): Promise<readonly ReportRow[]> {
  const period = { dateFrom: '2026-08-01', dateTo: '2026-09-01' }
  const { rows } = await askReport(served, served.logins.operator, report, {
    inputs: { ...period, ...inputs },
    ...(columns && { columns }),
  })
  return rows
}

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
  const statementId = STATEMENT
  expect(await ask('settlement-statement', { statementId }, ['Payout_reference'])).toEqual([
    { Payout_reference: 'BANK-1' },
  ])
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
