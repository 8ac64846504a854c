// Asks for reports that do not arrive as they should, and prints what the client says about each.

import { createClient, ReportError } from '@counterfoil/client'

const { ENDPOINT: endpoint = '', LOGIN: login = '', CONTROL_KEY: controlKey = '' } = process.env
const client = await createClient({ endpoint, login, controlKey })

const codes: Record<string, string> = {}
for (const fault of (process.env['FAULTS'] ?? '').split(',')) {
  const saving = client.saveReport({ reportIdentifier: fault }, `${fault}.csv`)
  const error: unknown = await saving.catch((cause: unknown) => cause)
  codes[fault] = error instanceof ReportError ? error.code : 'saved'
}
console.log(JSON.stringify(codes))
