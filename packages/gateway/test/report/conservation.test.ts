// @module-tag long

import { expect, test } from 'vitest'
import fc from 'fast-check'
import {
  askReport,
  checkReport,
  columnsOf,
  type ReportRow,
  scaled,
  serveLedger,
} from '../oracles/reports-kit.ts'
import type { Inputs } from '../oracles/ledger-sql.ts'
import { settlementDetails } from '../oracles/settlements.ts'

// The axes are those that docs/protocol.md names: `bank`, and the business days of statements. A reserve is released after half a year.
const served = await serveLedger([], '202509')

const MONEY = ['sale', 'capture', 'reversal', 'chargeback', 'payout', 'transfer']

/** Adds up amounts by keys. Sums of zero are left out. */
function sums(rows: readonly ReportRow[], keys: readonly string[], amount: string) {
  const added = new Map<string, bigint>()
  for (const row of rows) {
    const key = keys.map((title) => row[title]).join(' ')
    added.set(key, (added.get(key) ?? 0n) + scaled(row[amount] || '0'))
  }
  return new Map([...added].filter(([, sum]) => sum !== 0n))
}

const day = fc.integer({ min: 0, max: 200 }).map((days) => new Date(Date.UTC(2026, 3, 1 + days)))
const asked = fc.record({
  role: fc.constantFrom('operator', 'merchant'),
  timezone: fc.constantFrom('UTC', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/New_York'),
  first: day,
  length: fc.integer({ min: 1, max: 60 }),
})

test('list, totals, fees, details and statements agree in every zone and period', async () => {
  const check = fc.asyncProperty(asked, async ({ role, timezone, first, length }) => {
    const dateFrom = first.toISOString().slice(0, 10)
    const dateTo = new Date(first.getTime() + length * 86_400_000).toISOString().slice(0, 10)
    const period = { dateFrom, dateTo, timezone }
    const bank = { ...period, dateAxis: 'bank', statuses: 'approved' }
    const read = async (report: string, inputs: Inputs, columns: string) => {
      const wanted = { inputs, columns: columns.split(' ') }
      return (await askReport(served, served.logins[role], report, wanted)).rows
    }
    const listed = 'Transaction_id Merchant_id Statement_id Transaction_type Amount Currency'
    const list = await read('transactions-list', bank, listed)
    const totals = await read('daily-totals', bank, 'Merchant_id Type Amount Currency')
    const charged = 'Merchant_id Turnover Gateway_fee Currency'
    const fees = await read('fees-and-commissions', bank, charged)
    const amounts = 'Settlement_amount Settlement_currency Fee_gateway Net_amount'
    const detailed = `Transaction_id Merchant_id Statement_id Type ${amounts}`
    const details = await read('settlement-details', period, detailed)
    const balances = 'Sales_amount Fees Payable Other_movements Balance_gap'
    const stated = `Merchant_id Statement_id Currency ${balances}`
    const statements = await read('settlement-statement', period, stated)
    const settled = details.filter((row) => row['Type'] !== 'reserve_release')
    const idsOf = (rows: readonly ReportRow[]) => new Set(rows.map((row) => row['Transaction_id']))
    expect(list).toHaveLength(settled.length)
    expect(idsOf(list)).toEqual(idsOf(settled))
    expect(sums(list, ['Merchant_id', 'Transaction_type', 'Currency'], 'Amount')).toEqual(
      sums(totals, ['Merchant_id', 'Type', 'Currency'], 'Amount'),
    )
    expect(list.filter((row) => !MONEY.includes(row['Transaction_type'] ?? ''))).toEqual([])
    const own = ['Merchant_id', 'Currency']
    const inDetails = ['Merchant_id', 'Settlement_currency']
    expect(sums(fees, own, 'Gateway_fee')).toEqual(sums(settled, inDetails, 'Fee_gateway'))
    expect(sums(statements, own, 'Fees')).toEqual(sums(fees, own, 'Gateway_fee'))
    expect(sums(statements, own, 'Sales_amount')).toEqual(sums(fees, own, 'Turnover'))
    const perStatement = ['Statement_id']
    const payable = sums(statements, perStatement, 'Payable')
    expect(sums(details, perStatement, 'Net_amount')).toEqual(payable)
    expect(sums(statements, perStatement, 'Other_movements').size).toBe(0)
    expect(sums(statements, perStatement, 'Balance_gap').size).toBe(0)
  })
  await fc.assert(check, { numRuns: 6, seed: 1 })
})

test('details are the same in a zone of half hours, and lose only zeros with the fewest digits', async () => {
  const june = { dateFrom: '2026-06-01', dateTo: '2026-07-01' }
  const inputs = { ...june, timezone: 'Australia/Lord_Howe' }
  const details = settlementDetails('operator')
  const rows = await checkReport(served, details, june)
  expect(rows.length).toBeGreaterThan(30)
  expect(await checkReport(served, details, inputs)).toEqual(rows)
  const wanted = { inputs, configuration: { decimals: '0' }, columns: columnsOf(details) }
  const short = await askReport(served, served.logins.operator, 'settlement-details', wanted)
  const shortened = rows.map((row) => {
    const cells = Object.entries(row).map(([title, cell]) => {
      const isMoney = /^(Amount|Settlement_amount|Fee_|Reserve_|Net_)/.test(title)
      return [title, isMoney ? cell.replace(/\.?0*$/, '') : cell]
    })
    return Object.fromEntries(cells)
  })
  expect(short.rows).toEqual(shortened)
})
