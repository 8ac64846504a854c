// Writes a report to standard output as it arrives. Only the exit code says whether the report is complete.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/stream-report.ts | gzip > all.csv.gz
import { pipeline } from 'node:stream/promises'
import { CounterfoilClient } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const client = new CounterfoilClient({ endpoint, login, controlKey })
const { body, completed } = await client.report('transactions-list')
// The pipeline fails if the report is cut or damaged. The error ends the program with exit code 1.
await pipeline(body, process.stdout, { end: false })
const { rows, sha256 } = await completed
console.error(`${rows} rows, sha256 ${sha256}`)
