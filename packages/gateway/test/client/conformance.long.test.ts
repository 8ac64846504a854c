// @module-tag long

// Conformance checks of other logins, and of a gateway in production. The short test checks a sandbox.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { conform, OF_RSA, skippedIn } from '../kit/conform.ts'
import { freePort } from '../kit/free-port.ts'
import { serve } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([2000])
const { merchant, strict } = sandbox.logins
writeFileSync(join(sandbox.folder, 'rsa.pem'), merchant.privateKey)

test('a sandbox passes every check of a login with an RSA key', async () => {
  const env = { COUNTERFOIL_LOGIN: merchant.login }
  const ofRsa = await conform(gateway, ['--private-key', 'rsa.pem'], env)
  const passed = ofRsa.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id)
  expect(passed).toEqual(expect.arrayContaining(OF_RSA))
})

test('a sandbox passes every check of a login that must sign the body', async () => {
  const env = { COUNTERFOIL_LOGIN: strict.login, COUNTERFOIL_CONTROL_KEY: strict.controlKey }
  const ofStrict = await conform(gateway, ['--sign-body'], env)
  expect(skippedIn(ofStrict)).not.toContain('accept-body-hash-sha1')
})

test('a gateway in production passes every check over HTTPS', async () => {
  const { folder } = sandbox
  const { certificateFile, keyFile } = await makeCertificate(folder, 'gateway')
  const tls = { certificate: certificateFile, key: keyFile }
  const port = await freePort()
  const listen = { host: '127.0.0.1', port }
  const change = { environment: 'production', publicUrl: `https://127.0.0.1:${port}`, listen, tls }
  const production = await serve(sandbox, change)
  const { login, controlKey } = merchant
  const env = { COUNTERFOIL_LOGIN: login, COUNTERFOIL_CONTROL_KEY: controlKey }
  const checks = await conform(production, ['--ca', 'tls.pem'], env)
  await production.close()
  const skipped = skippedIn(checks)
  expect(skipped).toContain('refusal-explains')
  expect(skipped).not.toContain('refusal-reveals-no-login')
})
