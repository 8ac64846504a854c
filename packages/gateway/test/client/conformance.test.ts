import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { conform, OF_RSA, skippedIn } from './conform.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { freePort } from '../kit/free-port.ts'
import { serve } from '../kit/running-gateway.ts'

const { sandbox, gateway } = await serveSandbox([2000])
const { merchant, strict } = sandbox.logins
writeFileSync(join(sandbox.folder, 'rsa.pem'), merchant.privateKey)

const checks = await conform(gateway, [], {
  COUNTERFOIL_LOGIN: merchant.login,
  COUNTERFOIL_CONTROL_KEY: merchant.controlKey,
})

test('a sandbox passes every check', async () => {
  expect(skippedIn(checks)).toEqual(OF_RSA)
  expect(checks.length).toBeGreaterThan(90)
})

test('a sandbox refuses each mistake at its own step', () => {
  const refused = checks.filter(({ got }) => got?.includes('Step that failed: '))
  const at = (step: string) => {
    return refused.flatMap(({ id, got }) => (got?.includes(`failed: ${step}.`) ? [id] : []))
  }
  expect(at('timestamp')).toEqual([
    'refuse-old-timestamp',
    'refuse-future-timestamp',
    'refuse-milliseconds',
    'refuse-fraction',
    'refuse-negative-timestamp',
  ])
  expect(at('nonce')).toEqual(['refuse-replay', 'refuse-replay-with-other-body'])
  expect(at('consumer')).toEqual(['refuse-unknown-login'])
  expect(at('body-hash')).toEqual(['refuse-changed-body'])
  const headers = checks.filter(({ subject }) => subject === 'Refused headers').map(({ id }) => id)
  expect(at('header').filter((id) => !headers.includes(id))).toEqual([
    'refuse-hmac-sha256',
    'refuse-other-method-name',
    'refuse-short-signature',
    'refuse-hex-signature',
  ])
  expect(at('header').length).toBeGreaterThan(headers.length)
  expect(at('signature').length).toBeGreaterThan(30)
})

test('a sandbox passes every check of a login with an RSA key', { tags: ['long'] }, async () => {
  const env = { COUNTERFOIL_LOGIN: merchant.login }
  const ofRsa = await conform(gateway, ['--private-key', 'rsa.pem'], env)
  const passed = ofRsa.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id)
  expect(passed).toEqual(expect.arrayContaining(OF_RSA))
})

test('a sandbox passes every check of a login that must sign the body', {
  tags: ['long'],
}, async () => {
  const env = { COUNTERFOIL_LOGIN: strict.login, COUNTERFOIL_CONTROL_KEY: strict.controlKey }
  const ofStrict = await conform(gateway, ['--sign-body'], env)
  expect(skippedIn(ofStrict)).not.toContain('accept-body-hash-sha1')
})

test('a gateway in production passes every check over HTTPS', { tags: ['long'] }, async () => {
  const { folder } = sandbox
  const { certificateFile, keyFile } = await makeCertificate(folder, 'gateway')
  const tls = { certificate: certificateFile, key: keyFile }
  const port = await freePort()
  const listen = { host: '127.0.0.1', port }
  const change = { environment: 'production', publicUrl: `https://127.0.0.1:${port}`, listen, tls }
  const production = await serve(sandbox, change)
  const { login, controlKey } = merchant
  const env = { COUNTERFOIL_LOGIN: login, COUNTERFOIL_CONTROL_KEY: controlKey }
  const own = await conform(production, ['--ca', 'tls.pem'], env)
  await production.close()
  expect(skippedIn(own)).toEqual(OF_RSA)
})
