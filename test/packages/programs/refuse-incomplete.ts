// Asks for reports that do not arrive as they should, and prints what the client says about each.

import { CounterfoilClient, CounterfoilError } from '@counterfoil/client'

const { ENDPOINT: endpoint = '', LOGIN: login = '', CONTROL_KEY: controlKey = '' } = process.env
const client = new CounterfoilClient({ endpoint, login, controlKey })

const codes: Record<string, string> = {}
for (const fault of (process.env['FAULTS'] ?? '').split(',')) {
  const saving = client.download(fault, {}, `${fault}.csv`)
  const error: unknown = await saving.catch((cause: unknown) => cause)
  codes[fault] = error instanceof CounterfoilError ? error.code : 'saved'
}
console.log(JSON.stringify(codes))
