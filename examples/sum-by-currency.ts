// Computes sales minus refunds and chargebacks for each currency, while the report arrives. It writes no file, and
// needs no more memory for ten million rows than for ten. The report has a row for every event, with a positive amount
// whatever its type, status and stage. A sum of all rows would add declined sales and refunds, so this program requests
// these columns and skips the rows that moved no money.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/sum-by-currency.ts
import { pipeline } from 'node:stream/promises'
import { CounterfoilClient } from '@counterfoil/client'
import { parse } from 'csv-parse'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const client = new CounterfoilClient({ endpoint, login, controlKey })
const { body } = await client.report('transactions-list', {
  columns: ['Transaction_type', 'Dispute_stage', 'Status', 'Amount', 'Currency'],
})

// A preauth moves no money before its capture. Payouts and transfers do not belong to this sum.
const SIGNS: Readonly<Record<string, bigint>> = {
  sale: 1n,
  capture: 1n,
  reversal: -1n,
  chargeback: -1n,
  refund_reversal: 1n,
  chargeback_reversal: 1n,
}

// A chargeback takes the money in its first stage. A later stage is a row of its own and takes no more.
const LATER_STAGES = ['second', 'arbitration']

// Integers of thousandths, because a float cannot hold money exactly. One sum for each currency.
const totals = new Map<string, bigint>()
await pipeline(
  body,
  parse({ columns: true, bom: true }),
  async (rows: AsyncIterable<Record<string, string>>) => {
    for await (const row of rows) {
      const { Transaction_type: type, Dispute_stage: stage, Status, Currency, Amount } = row
      if (!type || stage === undefined || !Status || !Currency || !Amount)
        throw new Error('The report lacks a column.')
      const isMoved = Status === 'approved' && !LATER_STAGES.includes(stage)
      const sign = isMoved ? (SIGNS[type] ?? 0n) : 0n
      totals.set(Currency, (totals.get(Currency) ?? 0n) + sign * thousandths(Amount))
    }
  },
)

// The pipeline fails unless the report is complete, so print nothing before this line.
for (const [currency, total] of totals) console.log(`${currency} ${decimal(total)}`)

/** Reads an amount with three fraction digits. */
function thousandths(amount: string): bigint {
  if (!/^-?\d+\.\d{3}$/.test(amount))
    throw new Error(`expected three fraction digits, got ${amount}`)
  return BigInt(amount.replace('.', ''))
}

/** Formats thousandths as an amount. */
function decimal(total: bigint): string {
  const digits = String(total < 0n ? -total : total).padStart(4, '0')
  return `${total < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}
