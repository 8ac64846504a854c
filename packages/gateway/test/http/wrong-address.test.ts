import { expect, onTestFinished, test } from 'vitest'
import { runHere } from '../../../counterfoil/test/run-command.ts'
import { serve } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const PAYOUT = ['payout', '--endpoint', '1', '--client-order-id', '1', '--amount', '1.00']

const { sandbox, gateway } = await serveSandbox([1000])

/** Runs the merchant's command, and returns its stderr. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { login, controlKey } = sandbox.logins.merchant
  const own = { COUNTERFOIL_LOGIN: login, COUNTERFOIL_CONTROL_KEY: controlKey, ...env }
  const { stderr } = await runHere(args, { folder: sandbox.folder, env: own })
  return stderr
}

test('tells a merchant who signs localhost the address of a sandbox', async () => {
  const { origin } = new URL(gateway.reportUrl)
  const endpoint = gateway.reportUrl.replace('127.0.0.1', 'localhost')
  const facts = `you signed http://localhost:${gateway.port}; the gateway's address is ${origin}`
  const report = await run(['report', 'transactions-list'], { COUNTERFOIL_ENDPOINT: endpoint })
  expect(report).toContain(`\nNext: ${facts}. Use --endpoint ${gateway.reportUrl}.\n`)

  const api = { COUNTERFOIL_API_URL: `http://localhost:${gateway.port}/gate` }
  const call = await run(['call', ...PAYOUT, '--currency', 'EUR'], api)
  expect(call).toContain(`\nNext: ${facts}. Use --api-url ${origin}/gate.\n`)
})

test('tells a merchant who signs an address behind a proxy the public one in production', async () => {
  const publicUrl = 'https://reports.example.com'
  const production = await serve(sandbox, { environment: 'production', publicUrl })
  onTestFinished(() => production.close())
  const endpoint = production.reportUrl.replace(publicUrl, `http://127.0.0.1:${production.port}`)
  const stderr = await run(['report', 'transactions-list'], { COUNTERFOIL_ENDPOINT: endpoint })
  expect(stderr).toContain(
    `you signed http://127.0.0.1:${production.port}; the gateway's address is ${publicUrl}. Use --endpoint ${production.reportUrl}.`,
  )
})

test('gives a merchant who signs the right address the usual advice', async () => {
  const env = { COUNTERFOIL_ENDPOINT: gateway.reportUrl, COUNTERFOIL_LOGIN: 'nobody' }
  const stderr = await run(['report', 'transactions-list'], env)
  expect(stderr).toContain('Next: check the login, the key')
  expect(stderr).not.toContain('you signed')
})
