// Says what to do about each error. `code` tells the errors apart, and which fields each of them has.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/handle-errors.ts
import { CounterfoilClient, CounterfoilError } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env

const client = new CounterfoilClient({ endpoint, login, controlKey })
try {
  const { file } = await client.download('transactions-list', {}, 'all.csv', { overwrite: true })
  console.log(`${file} is complete`)
} catch (error) {
  if (!(error instanceof CounterfoilError)) throw error
  console.error(`${advise(error)} (request ${error.requestId ?? 'unknown'})`)
  process.exitCode = 1
}

function advise(error: CounterfoilError): string {
  if (error.code === 'not-authorised') {
    return `Check the login, the key and the clock. ${error.refusal ?? ''}`
  }
  if (error.code === 'report-refused') {
    const faults = error.problem.errors ?? []
    return faults.map(({ pointer, expected }) => `${pointer}: expected ${expected}`).join('\n')
  }
  if (error.code === 'busy') return `Retry in ${error.retryAfterSeconds ?? 10} s.`
  if (error.code === 'truncated' || error.code === 'digest-mismatch') {
    return 'The file did not arrive as it was sent, so it was not saved. Retry.'
  }
  return error.message
}
