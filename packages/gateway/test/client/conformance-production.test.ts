import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { conform, skippedIn } from '../kit/conform.ts'
import { freePort } from '../kit/free-port.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([2000], async ({ folder }) => {
  const tls = { certificate: join(folder, 'tls.pem'), key: join(folder, 'tls.key') }
  execFileSync(
    'openssl',
    [
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=gateway'],
      ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', tls.key, '-out', tls.certificate],
    ].flat(),
    { stdio: 'pipe' },
  )
  const port = await freePort()
  const listen = { host: '127.0.0.1', port }
  return { environment: 'production', publicUrl: `https://127.0.0.1:${port}`, listen, tls }
})

test('a gateway in production passes every check over HTTPS', async () => {
  const { login, controlKey } = sandbox.logins.merchant
  const env = { COUNTERFOIL_LOGIN: login, COUNTERFOIL_CONTROL_KEY: controlKey }
  const checks = await conform(gateway, ['--ca', 'tls.pem'], env)
  const skipped = skippedIn(checks)
  expect(skipped).toContain('refusal-explains')
  expect(skipped).not.toContain('refusal-reveals-no-login')
})
