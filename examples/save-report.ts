// Saves last month's transactions with their status to a file. The client retries while the gateway is busy.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/save-report.ts
import { CounterfoilClient } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const client = new CounterfoilClient({ endpoint, login, controlKey, retries: 5 })
const options = {
  dateFrom: firstOfMonth(-1),
  dateTo: firstOfMonth(0),
  timezone: 'UTC',
  // Amount includes declined transactions, so whoever sums it needs the status.
  columns: ['Transaction_id', 'Created_date', 'Transaction_type', 'Status', 'Amount', 'Currency'],
}
const target = 'last-month.csv'
const saved = await client.download('transactions-list', options, target, { overwrite: true })
console.log(`${saved.file}: ${saved.rows} rows, complete`)

/** Returns the first day of this month (0), the previous one (-1) and so on, as YYYY-MM-DD. */
function firstOfMonth(months: number): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
    .toISOString()
    .slice(0, 10)
}
