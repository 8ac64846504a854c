// Saves a report within ten seconds, retries included, or gives up. Ctrl-C gives up at once. Neither leaves a file.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/abort-download.ts
import { CounterfoilClient } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env
const SECONDS_MAX = Number(process.env['SECONDS_MAX'] ?? 10)

// The client waits between attempts, and at least as long as the gateway asks. The signal ends the wait too.
const client = new CounterfoilClient({ endpoint, login, controlKey, retries: 10 })
const interruption = new AbortController()
process.once('SIGINT', () => interruption.abort(new Error('interrupted')))
const signal = AbortSignal.any([interruption.signal, AbortSignal.timeout(SECONDS_MAX * 1000)])
try {
  const { file, rows } = await client.download('transactions-list', {}, 'all.csv', { signal })
  console.log(`${file}: ${rows} rows, complete`)
} catch (error) {
  if (!signal.aborted) throw error
  console.error(`gave up: ${signal.reason}`)
  process.exitCode = 1
}
