// Prints the last reports of your login, and the control totals of the newest: the sums of its amounts, if the
// request had the configuration parameter controlTotals=on.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/list-runs.ts
import { CounterfoilClient } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const client = new CounterfoilClient({ endpoint, login, controlKey })
const { runs } = await client.runs({ limit: 10 })
for (const { startedAt, reportIdentifier, outcome, file } of runs) {
  console.log(`${startedAt} ${reportIdentifier} ${outcome} ${file?.rows ?? 'no'} rows`)
}

const [newest] = runs
if (newest) {
  const { controlTotals = [] } = await client.manifest(newest.runId)
  for (const { column, currency, amounts, sum } of controlTotals) {
    console.log(`${column}: ${sum} ${currency} in ${amounts} rows`)
  }
}
