// Saves last month's transactions with their status to a file.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/save-report.ts
import { setTimeout as sleep } from 'node:timers/promises'
import { CounterfoilClient, CounterfoilError } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env
const TRIES_MAX = 5

const client = new CounterfoilClient({ endpoint, login, controlKey })
const options = {
  dateFrom: firstOfMonth(-1),
  dateTo: firstOfMonth(0),
  timezone: 'UTC',
  // Amount includes declined transactions, so whoever sums it needs the status.
  columns: ['Transaction_id', 'Created_date', 'Transaction_type', 'Status', 'Amount', 'Currency'],
}

for (let tries = 1; ; tries += 1) {
  try {
    const target = 'last-month.csv'
    const saving = client.download('transactions-list', options, target, { overwrite: true })
    const { file, rows } = await saving
    console.log(`${file}: ${rows} rows, complete`)
    break
  } catch (error) {
    const isBusy = error instanceof CounterfoilError && error.code === 'busy'
    if (!isBusy || tries === TRIES_MAX) throw error
    await sleep((error.retryAfterSeconds ?? 10) * 1000)
  }
}

/** Returns the first day of this month (0), the previous one (-1) and so on, as YYYY-MM-DD. */
function firstOfMonth(months: number): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
    .toISOString()
    .slice(0, 10)
}
