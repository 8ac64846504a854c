// Lists the reports that your login may ask for, with their columns and required parameters.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/list-reports.ts
import { CounterfoilClient } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const client = new CounterfoilClient({ endpoint, login, controlKey })
const { reports } = await client.catalogue()
for (const { reportIdentifier, title, columns, inputReportParameters } of reports) {
  const required = inputReportParameters.filter((parameter) => parameter.required)
  console.log(`${reportIdentifier}: ${title}`)
  console.log(`  columns: ${columns.map(({ name }) => name).join(', ')}`)
  console.log(`  required: ${required.map(({ name }) => name).join(', ') || 'nothing'}`)
}
