// @module-tag long

import { describe, expect, test } from 'vitest'
import type { Role } from '../../../common/src/roles.ts'
import { OWN_ROWS } from './own-rows.ts'
import {
  checksOf,
  testChanges,
  testGolden,
  testTotals,
  valuesOf,
} from '../oracles/catalogue-tests.ts'
import { isSeenBy, LATEST } from '../oracles/ledger-sql.ts'
import { DECLINE_ANALYSIS, ORDER_RECONCILIATION, REFUNDS_CHARGEBACKS } from '../oracles/orders.ts'
import { SETTLEMENT_STATEMENT, settlementDetails } from '../oracles/settlements.ts'
import {
  askReport,
  checkReport,
  columnsOf,
  problemOf,
  type ReportRow,
  scaled,
  serveLedger,
} from '../oracles/reports-kit.ts'

const YEAR = { dateFrom: '2025-11-01', dateTo: '2026-11-01' }
const MONTH = { dateFrom: '2026-03-01', dateTo: '2026-04-01' }
const DETAILS = {
  operator: settlementDetails('operator'),
  manager: settlementDetails('manager'),
  merchant: settlementDetails('merchant'),
}

const served = await serveLedger()
const check = checksOf(served)

async function find(role: Role, type: string, column: string): Promise<string> {
  const [row] = await served.read(`SELECT ${column} AS id FROM ${LATEST}
    WHERE ${isSeenBy(served.logins[role])} AND transaction_type = '${type}' AND status = 'approved' ORDER BY id LIMIT 1`)
  return row?.['id'] ?? ''
}

const moved = await find('manager', 'reversal', 'original_transaction_id')
const sale = await find('merchant', 'sale', 'transaction_id')
for (const insert of OWN_ROWS) await served.gateway.engine.execute(insert, { moved, sale })

const isMore = (row: ReportRow, title: string, than = 0): boolean => Number(row[title]) > than

testChanges(check, 1, [
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
])

describe('filters choose rows and leave the figures of each row complete', () => {
  /** Finds the gate of a transaction, or of its original that used another gate. */
  const gateOf = async (role: Role, type: string, side: string): Promise<string> => {
    const seen = `(SELECT * FROM ${LATEST} WHERE ${isSeenBy(served.logins[role])})`
    const [row] = await served.read(`SELECT ${side}.gate_id AS gate FROM ${seen} AS event
      JOIN ${seen} AS original ON original.transaction_id = event.original_transaction_id
      WHERE event.transaction_type = '${type}' AND event.status = 'approved' AND event.gate_id != original.gate_id
      ORDER BY event.transaction_id LIMIT 1`)
    return row?.['gate'] ?? ''
  }

  test.each([
    { checked: ORDER_RECONCILIATION, role: 'merchant', type: 'reversal', side: 'original' },
    { checked: DECLINE_ANALYSIS, role: 'operator', type: 'sale', side: 'original' },
    { checked: REFUNDS_CHARGEBACKS, role: 'operator', type: 'reversal', side: 'event' },
  ] as const)('$checked.identifier', async ({ checked, role, type, side }) => {
    const gates = [await gateOf(role, type, side)]
    const all = await check(checked, YEAR)
    const rows = await checkReport(served, { ...checked, roles: [role] }, YEAR, { gates })
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(all.length)
  })
})

describe('order-reconciliation', () => {
  test('has a row for each order, whatever its outcome', async () => {
    const rows = await check(ORDER_RECONCILIATION, YEAR)
    for (const title of ['Captured', 'Refunded', 'Charged_back', 'Net_amount']) {
      expect(rows.some((row) => isMore(row, title))).toBe(true)
    }
    expect(rows.some((row) => isMore(row, 'Attempts', 1))).toBe(true)
  })

  test('counts a chargeback in three stages once', async () => {
    const rows = await check(ORDER_RECONCILIATION, YEAR)
    const own = rows.find((row) => row['Merchant_OID'] === 'own-order')
    expect(own?.['Charged_back']).toBe(own?.['Sale_amount'])
    expect(own).toMatchObject({ Net_amount: '0.000' })
    expect(own).not.toMatchObject({ Charged_back: '0.000' })
  })

  test('omits an order that was created before the period', async () => {
    const [long] =
      await served.read(`SELECT client_order_id AS id, toDate(min(created_at)) + 1 AS later
      FROM ${LATEST} WHERE ${isSeenBy(served.logins.merchant)} GROUP BY merchant_id, id, currency
      HAVING min(created_at) > '${YEAR.dateFrom}' AND max(created_at) > min(created_at) + toIntervalDay(3)
      ORDER BY id LIMIT 1`)
    const asked = { ...YEAR, clientOrderIds: long?.['id'] ?? '' }
    expect(await check(ORDER_RECONCILIATION, asked)).toHaveLength(1)
    const dateFrom = long?.['later'] ?? ''
    expect(await check(ORDER_RECONCILIATION, { ...asked, dateFrom })).toEqual([])
  })

  test('takes some thousand client order ids', async () => {
    const own = (await check(ORDER_RECONCILIATION, YEAR)).map((row) => row['Merchant_OID'])
    const wanted = new Set(own.slice(0, 300))
    const unknown = Array.from({ length: 3_000 }, (_, index) => `no-order-${index}`)
    const clientOrderIds = [...wanted, ...unknown].join(',')
    const rows = await check(ORDER_RECONCILIATION, { ...YEAR, clientOrderIds })
    expect(valuesOf(rows, 'Merchant_OID')).toEqual(wanted)
  })
})

describe('settlement-statement', () => {
  test('adds a transfer from a card, and subtracts the transfer to the receiver', async () => {
    const rows = await check(SETTLEMENT_STATEMENT)
    expect(rows).toContainEqual(
      expect.objectContaining({
        Currency: 'DKK',
        Transfers_in_count: '1',
        Transfers_in_amount: '100.000',
        Payouts_count: '1',
        Payouts_amount: '100.000',
        Fees: '5.000',
        Payable: '-5.000',
      }),
    )
  })

  test('goes by business days, which are the same in every time zone', async () => {
    const rows = await check(SETTLEMENT_STATEMENT, MONTH)
    for (const timezone of ['Asia/Tokyo', 'America/New_York']) {
      expect(await check(SETTLEMENT_STATEMENT, { ...MONTH, timezone })).toEqual(rows)
    }
  })

  test('has complete figures if filters choose statements', async () => {
    const all = await check(SETTLEMENT_STATEMENT, YEAR)
    const known = new Set(all.map((row) => JSON.stringify(row)))
    const [gate] = await served.read(
      `SELECT any(gate_id) AS id FROM ${LATEST} WHERE statement_id IS NOT NULL`,
    )
    for (const filters of [{ currencies: ['EUR'] }, { gates: [gate?.['id'] ?? ''] }]) {
      const wanted = { inputs: YEAR, filters, columns: columnsOf(SETTLEMENT_STATEMENT) }
      const { identifier } = SETTLEMENT_STATEMENT
      const { rows } = await askReport(served, served.logins.operator, identifier, wanted)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.length).toBeLessThan(all.length)
      expect(rows.filter((row) => !known.has(JSON.stringify(row)))).toEqual([])
    }
  })
})

describe('settlement-details', () => {
  test('add up to what each statement pays', async () => {
    const details = await check(DETAILS.operator)
    const sums = new Map<string | undefined, bigint>()
    for (const { Statement_id: id, Net_amount: net = '' } of details) {
      sums.set(id, (sums.get(id) ?? 0n) + scaled(net))
    }
    for (const { Statement_id: id, Payable: payable = '' } of await check(SETTLEMENT_STATEMENT)) {
      expect(sums.get(id) ?? 0n).toBe(scaled(payable))
      sums.delete(id)
    }
    expect(sums.size).toBe(0)
    expect(valuesOf(details, 'Type')).toContain('reserve_release')
  })

  test('show one statement on request, as does settlement-statement', async () => {
    const [row] = await check(DETAILS.merchant, MONTH)
    const statementId = row?.['Statement_id'] ?? ''
    for (const checked of [DETAILS.merchant, SETTLEMENT_STATEMENT]) {
      const rows = await check({ ...checked, roles: ['merchant'] }, { statementId })
      expect(valuesOf(rows, 'Statement_id')).toEqual(new Set([statementId]))
    }
  })
})

describe('decline-analysis', () => {
  test('refuses a status that is not a decline', async () => {
    const wanted = { inputs: { ...YEAR, statuses: 'approved' } }
    const { errors } = await problemOf(served, 'operator', 'decline-analysis', wanted)
    expect(errors?.[0]?.expected).toContain('one of declined, filtered, error')
  })
})

describe('refunds-chargebacks', () => {
  test('leaves an original empty that the login may not see', async () => {
    await check(REFUNDS_CHARGEBACKS)
    const { rows } = await askReport(served, served.logins.manager, 'refunds-chargebacks')
    const orphans = rows.filter((row) => row['Original_date'] === '')
    expect(orphans.length).toBeLessThan(rows.length)
    expect(orphans).toContainEqual(
      expect.objectContaining({
        Original_transaction_id: moved,
        Days_between: '',
        Original_amount: '',
      }),
    )
  })
})

const STATEMENT_SUMS = columnsOf(SETTLEMENT_STATEMENT)
  .slice(5)
  .filter((title) => !title.endsWith('_balance'))
const ORDER_SUMS = ['Sale_amount', 'Captured', 'Refunded', 'Charged_back', 'Net_amount', 'Attempts']
const DECLINE_SUMS = ['Declines', 'Amount', 'Recovered_by_retry']
const DETAIL_KEYS = ['Statement_id', 'Type', 'Settlement_currency']
const DETAIL_SUMS = ['Settlement_amount', 'Fee_gateway', 'Reserve_held', 'Net_amount']

testTotals(served, check, MONTH, [
  [ORDER_RECONCILIATION, ['Currency'], ORDER_SUMS],
  [SETTLEMENT_STATEMENT, ['Currency'], STATEMENT_SUMS],
  [DETAILS.merchant, DETAIL_KEYS, DETAIL_SUMS],
  [DECLINE_ANALYSIS, ['Currency'], DECLINE_SUMS],
  [REFUNDS_CHARGEBACKS, ['Type', 'Stage', 'Currency', 'Status'], ['Amount']],
])

testGolden(served, [
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
])

test('serves no report to other roles', async () => {
  const reports = [ORDER_RECONCILIATION, SETTLEMENT_STATEMENT, DETAILS.operator, DECLINE_ANALYSIS]
  for (const { identifier } of [...reports, REFUNDS_CHARGEBACKS]) {
    expect((await problemOf(served, 'reseller', identifier)).code).toBe('unknown-report')
  }
  for (const role of ['operator', 'manager'] as const) {
    const { code } = await problemOf(served, role, ORDER_RECONCILIATION.identifier)
    expect(code).toBe('unknown-report')
  }
})
