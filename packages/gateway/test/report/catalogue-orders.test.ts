// @module-tag long

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../../common/src/roles.ts'
import { OWN_ROWS } from './own-rows.ts'
import { exportLedger, scaled, seenBy, type Transaction } from '../oracles/exported-ledger.ts'
import {
  DECLINE_ANALYSIS,
  ORDER_RECONCILIATION,
  REFUNDS_CHARGEBACKS,
} from '../oracles/recompute-orders.ts'
import { SETTLEMENT_STATEMENT, settlementDetails } from '../oracles/recompute-settlements.ts'
import {
  askReport,
  type Checked,
  checkReport,
  forFirstRole,
  groupBy,
  type Inputs,
  problemOf,
  type ReportRow,
  type ServedLedger,
  serveLedger,
  sum,
  totalsOf,
  type Wanted,
} from '../oracles/reports-kit.ts'
import { goldenText } from '../oracles/golden-text.ts'

const YEAR = { dateFrom: '2025-11-01', dateTo: '2026-11-01' }
const MONTH = { dateFrom: '2026-03-01', dateTo: '2026-04-01' }
const DETAILS = {
  operator: settlementDetails('operator'),
  manager: settlementDetails('manager'),
  merchant: settlementDetails('merchant'),
}

/** Parameters that change a report. */
const CHANGES: readonly (readonly [Checked, usual: Inputs, changed: Inputs])[] = [
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
const KEPT: readonly (readonly [Checked, Role, Wanted])[] = [
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

let served: ServedLedger
let moved: string
beforeAll(async () => {
  served = await serveLedger()
  const { gateway, logins, ledger } = served
  const find = (role: Role, type: string): Transaction | undefined => {
    const isWanted = (row: Transaction) =>
      row.transaction_type === type && row.status === 'approved'
    return seenBy(logins[role], ledger.transactions).find(isWanted)
  }
  moved = String(find('manager', 'reversal')?.original_transaction_id)
  const sale = String(find('merchant', 'sale')?.transaction_id)
  for (const insert of OWN_ROWS) await gateway.engine.execute(insert, { moved, sale })
  served = { ...served, ledger: await exportLedger(gateway.engine) }
})
afterAll(async () => await served.close())

const DAY_MS = 86_400_000

const checkedRows = new Map<string, Promise<readonly ReportRow[]>>()

/** Compares a report with raw rows, once for each role that may ask for it. Returns the report of the first role. */
const check = async (checked: Checked, inputs: Inputs = {}): Promise<readonly ReportRow[]> => {
  const key = JSON.stringify([checked, inputs])
  const rows = checkedRows.get(key) ?? checkReport(served, checked, inputs)
  checkedRows.set(key, rows)
  return await rows
}

const orderOf = (row: Transaction): string => {
  return [row.merchant_id, row.client_order_id, row.currency].join()
}

const valuesOf = (rows: readonly ReportRow[], title: string): ReadonlySet<string | undefined> => {
  return new Set(rows.map((row) => row[title]))
}

const isMore = (row: ReportRow, title: string, than = 0): boolean => Number(row[title]) > than

test.each(CHANGES.map(([checked, usual, changed]) => ({ checked, usual, changed })))(
  '$checked.identifier changes with $changed',
  async ({ checked, usual, changed }) => {
    const before = await check(checked, usual)
    const after = await check(forFirstRole(checked), { ...usual, ...changed })
    expect(after.length).toBeGreaterThan(0)
    expect(JSON.stringify(after) === JSON.stringify(before)).toBe(false)
  },
)

describe('filters choose rows and leave the figures of each row complete', () => {
  /** Finds the gates of a transaction and of its original that used another gate. */
  const gatesOf = (role: Role, type: string): Record<'event' | 'original', string> => {
    const seen = seenBy(served.logins[role], served.ledger.transactions)
    const known = new Map(seen.map((row) => [row.transaction_id, row]))
    const [gates] = seen.flatMap((row) => {
      const original = known.get(row.original_transaction_id ?? '')
      const isMoved = row.transaction_type === type && row.status === 'approved'
      return isMoved && original && original.gate_id !== row.gate_id
        ? [{ event: row.gate_id, original: original.gate_id }]
        : []
    })
    if (!gates) throw new Error(`expected a ${type} whose original went through another gate`)
    return gates
  }

  test.each([
    { checked: ORDER_RECONCILIATION, role: 'merchant', type: 'reversal', side: 'original' },
    { checked: DECLINE_ANALYSIS, role: 'operator', type: 'sale', side: 'original' },
    { checked: REFUNDS_CHARGEBACKS, role: 'operator', type: 'reversal', side: 'event' },
  ] as const)('$checked.identifier', async ({ checked, role, type, side }) => {
    const gates = [gatesOf(role, type)[side]]
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
    const orders = groupBy(seenBy(served.logins.merchant, served.ledger.transactions), orderOf)
    const spans = orders.map((events) => events.map((row) => row.created_at))
    const long = spans.findIndex((instants) => {
      const first = Math.min(...instants)
      return first > Date.parse(YEAR.dateFrom) && Math.max(...instants) > first + 3 * DAY_MS
    })
    const first = Math.min(...(spans[long] ?? []))
    const clientOrderIds = orders[long]?.[0].client_order_id ?? ''
    const dayAfter = new Date(first + DAY_MS).toISOString().slice(0, 10)
    const asked = { ...YEAR, clientOrderIds }
    expect(await check(ORDER_RECONCILIATION, asked)).toHaveLength(1)
    expect(await check(ORDER_RECONCILIATION, { ...asked, dateFrom: dayAfter })).toEqual([])
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
  test('has figures that add up to what it pays', async () => {
    const rows = await check(SETTLEMENT_STATEMENT)
    expect(rows.length).toBeGreaterThan(100)
    for (const row of rows) {
      const amount = (title: string): bigint => scaled(row[title] ?? '')
      const credited = ['Sales_amount', 'Transfers_in_amount', 'Reserve_released'].map(amount)
      const debited = sum(['Refunds_amount', 'Chargebacks_amount', 'Payouts_amount'].map(amount))
      const retained = amount('Fees') + amount('Reserve_held')
      expect(sum(credited) - debited - retained).toBe(amount('Payable'))
      const closing = amount('Opening_balance') + amount('Payable') - amount('Paid_out')
      expect(closing).toBe(amount('Closing_balance'))
    }
  })

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

  test('opens with the closing balance of the previous statement', async () => {
    const accountOf = (row: ReportRow) =>
      [row['Merchant'], row['Project'], row['Currency']].join('|')
    for (const rows of groupBy(await check(SETTLEMENT_STATEMENT), accountOf)) {
      const closed = rows.map((row) => row['Closing_balance'])
      const opened = rows.map((row) => row['Opening_balance'])
      expect(opened.slice(1)).toEqual(closed.slice(0, -1))
    }
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
    const gate = served.ledger.transactions.find((row) => row.statement_id !== null)?.gate_id ?? ''
    for (const filters of [{ currencies: ['EUR'] }, { gates: [gate] }]) {
      const wanted = { inputs: YEAR, filters, columns: SETTLEMENT_STATEMENT.columns ?? [] }
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

  test.each(['manager', 'merchant'] as const)(
    'show a %s the fee and not its parts',
    async (role) => {
      await check(DETAILS[role], YEAR)
      for (const hidden of ['Fee_processor', 'Fee_interchange', 'Fee_scheme']) {
        const wanted = { inputs: YEAR, columns: [hidden] }
        const { errors } = await problemOf(served, role, 'settlement-details', wanted)
        expect(errors?.[0]?.pointer).toBe('/outputReportParameters/0')
        expect(errors?.[0]?.expected).not.toContain(hidden)
      }
    },
  )

  test('print rates with the decimal separator of the request', async () => {
    const ask = async (decimalSeparator: string): Promise<readonly string[]> => {
      const wanted = { inputs: MONTH, configuration: { decimalSeparator }, columns: ['Fx_rate'] }
      const { rows } = await askReport(served, served.logins.operator, 'settlement-details', wanted)
      return rows.map(({ Fx_rate: rate = '' }) => rate)
    }
    const rates = await ask('.')
    expect(rates.some((rate) => rate.includes('.'))).toBe(true)
    expect(await ask(',')).toEqual(rates.map((rate) => rate.replace('.', ',')))
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
  test('has shares that add up to 1 in each currency', async () => {
    const rows = await check(DECLINE_ANALYSIS, YEAR)
    for (const group of groupBy(rows, (row) => row['Currency'] ?? '')) {
      const total = group.reduce((sumSoFar, row) => sumSoFar + Number(row['Share']), 0)
      // Each share is rounded to four digits.
      expect(Math.abs(total - 1)).toBeLessThan(0.000_06 * group.length)
    }
    expect(rows.some((row) => isMore(row, 'Recovered_by_retry'))).toBe(true)
  })

  test('refuses a status that is not a decline', async () => {
    const wanted = { inputs: { ...YEAR, statuses: 'approved' } }
    const { errors } = await problemOf(served, 'operator', 'decline-analysis', wanted)
    expect(errors?.[0]?.expected).toContain('one of declined, filtered, error')
  })
})

describe('refunds-chargebacks', () => {
  test('has every kind of return with its original', async () => {
    const rows = await check(REFUNDS_CHARGEBACKS)
    const types = ['reversal', 'chargeback', 'dispute', 'retrieval', 'fraud']
    expect(valuesOf(rows, 'Type')).toEqual(new Set(types))
    expect(rows.filter((row) => row['Original_date'] === '')).toEqual([])
  })

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

describe.each([ORDER_RECONCILIATION, DECLINE_ANALYSIS])('$identifier', ({ identifier, roles }) => {
  test('takes a year at most', async () => {
    const inputs = { dateFrom: '2025-01-01', dateTo: '2026-01-03' }
    const { errors } = await problemOf(served, roles[0] ?? 'operator', identifier, { inputs })
    const expected = 'a period of at most 366 days, got 367'
    expect(errors).toEqual([{ pointer: '/inputReportParameters', expected }])
  })
})

const STATEMENT_SUMS = (SETTLEMENT_STATEMENT.columns ?? [])
  .slice(5)
  .filter((title) => !title.endsWith('_balance'))
const ORDER_SUMS = ['Sale_amount', 'Captured', 'Refunded', 'Charged_back', 'Net_amount', 'Attempts']
const DECLINE_SUMS = ['Declines', 'Amount', 'Recovered_by_retry']
const DETAIL_KEYS = ['Statement_id', 'Type', 'Settlement_currency']
const DETAIL_SUMS = ['Settlement_amount', 'Fee_gateway', 'Reserve_held', 'Net_amount']

test.each([
  { checked: ORDER_RECONCILIATION, by: ['Currency'], sums: ORDER_SUMS },
  { checked: SETTLEMENT_STATEMENT, by: ['Currency'], sums: STATEMENT_SUMS },
  { checked: DETAILS.merchant, by: DETAIL_KEYS, sums: DETAIL_SUMS },
  { checked: DECLINE_ANALYSIS, by: ['Currency'], sums: DECLINE_SUMS },
  { checked: REFUNDS_CHARGEBACKS, by: ['Type', 'Stage', 'Currency', 'Status'], sums: ['Amount'] },
])('$checked.identifier adds up to its totals', async ({ checked, by, sums }) => {
  const { identifier, roles } = checked
  const login = served.logins[roles[0] ?? 'operator']
  const wanted = { inputs: MONTH, configuration: { totals: 'only' } }
  const totals = await askReport(served, login, identifier, wanted)
  expect(totals.rows).toEqual(totalsOf(await check(checked, MONTH), by, sums))
  expect(totals.rows.length).toBeGreaterThan(1)
})

test.each(KEPT.map(([checked, role, wanted]) => ({ checked, role, wanted })))(
  '$checked.identifier equals its golden file, byte for byte',
  async ({ checked: { identifier }, role, wanted }) => {
    const report = await askReport(served, served.logins[role], identifier, wanted)
    expect(report.rows.length).toBeGreaterThanOrEqual(5)
    expect(report.rows.length).toBeLessThanOrEqual(40)
    expect(report.answer.text).toBe(goldenText(identifier, report))
  },
)

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
