// Saves the transactions of a year. Each day is a request of its own, three side by side. If the program stops, start
// it again: it requests only the days that it lacks.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/save-year.ts 2026
import { CounterfoilClient } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env
const year = Number(process.argv[2])

const client = new CounterfoilClient({ endpoint, login, controlKey })
const period = { dateFrom: `${year}-01-01`, dateTo: `${year + 1}-01-01`, timezone: 'UTC' }
const saved = await client.download('transactions-list', period, `${year}.csv`, { split: 'day' })
console.log(`${saved.file}: ${saved.rows} rows, sha256 ${saved.sha256}`)
