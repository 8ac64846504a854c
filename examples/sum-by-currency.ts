// Adds up a report's amounts, per currency, while it comes: no file, and as little memory for ten million rows.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... node examples/sum-by-currency.ts
import { pipeline } from 'node:stream/promises'
import { createClient } from '@counterfoil/client'
import { parse } from 'csv-parse'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const client = await createClient({ endpoint, login, controlKey })
const { body } = await client.requestReport({ reportIdentifier: 'transactions-list' })

// Whole thousandths, because a float cannot hold money; never across currencies.
const totals = new Map<string, bigint>()
await pipeline(
  body,
  parse({ columns: true, bom: true }),
  async (rows: AsyncIterable<Record<string, string>>) => {
    for await (const { Currency, Amount } of rows) {
      if (!Currency || !Amount) throw new Error('expected the columns Currency and Amount')
      totals.set(Currency, (totals.get(Currency) ?? 0n) + thousandths(Amount))
    }
  },
)

// Only here is the report known to be complete: had it not been, the pipeline would have failed.
for (const [currency, total] of totals) console.log(`${currency} ${decimal(total)}`)

/** Reads an amount with three fraction digits. */
function thousandths(amount: string): bigint {
  if (!/^-?\d+\.\d{3}$/.test(amount))
    throw new Error(`expected three fraction digits, got ${amount}`)
  return BigInt(amount.replace('.', ''))
}

/** Prints whole thousandths as an amount. */
function decimal(total: bigint): string {
  const digits = String(total < 0n ? -total : total).padStart(4, '0')
  return `${total < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}
