// Saves last month's transactions with their status to a file, and retries while the gateway is busy.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/save-report.ts
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, ReportError } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env
const TRIES_MAX = 5

const client = await createClient({ endpoint, login, controlKey })
const request = {
  reportIdentifier: 'transactions-list',
  inputReportParameters: [
    { type: 'INPUT_TEXT', name: 'dateFrom', value: firstOfMonth(-1) },
    { type: 'INPUT_TEXT', name: 'dateTo', value: firstOfMonth(0) },
    { type: 'INPUT_TEXT', name: 'timezone', value: 'UTC' },
  ],
  // Amount includes declined transactions, so whoever sums it needs the status.
  outputReportParameters: [
    'Transaction_id',
    'Created_date',
    'Transaction_type',
    'Status',
    'Amount',
    'Currency',
  ],
} as const

for (let tries = 1; ; tries += 1) {
  try {
    const { file, rows } = await client.saveReport(request, 'last-month.csv', { overwrite: true })
    console.log(`${file}: ${rows} rows, complete`)
    break
  } catch (error) {
    const isBusy = error instanceof ReportError && error.code === 'busy'
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
