// Counts the comparisons of refusals instead of timing them.

import { describe, expect, it, vi } from 'vitest'
import type { Consumer } from '../src/index.ts'

// Other files of the worker may have imported keys and decoys: new modules use the counting runtime.
vi.resetModules()
const { calls } = await import('./count-calls.ts')
const { sign, verify } = await import('../src/index.ts')
const { parseAuthorization } = await import('../src/parameters/header.ts')
const { formatAuthorization, gateway, json, privateKey, received, replace } = await import(
  './gateway.ts'
)
const { vector } = await import('./vectors.ts')

const NOW = 1_318_622_958

const rsa = vector('seed-payout-rsa-sha256')
const hmac = vector('seed-payout-hmac-sha1')
const keys = {
  'RSA-SHA256': await rsa.verificationKey(),
  'HMAC-SHA1': await hmac.verificationKey(),
}

async function countCalls(refuse: () => Promise<unknown>): Promise<readonly string[]> {
  // The first call imports the decoys.
  expect(await refuse()).toMatchObject({ ok: false })
  calls.length = 0
  await refuse()
  return [...calls]
}

const hashesOf = (made: readonly string[]) => made.filter((call) => call.startsWith('hash'))

describe('a decoy key', () => {
  for (const [method, other] of [
    ['HMAC-SHA1', 'RSA-SHA256'],
    ['RSA-SHA256', 'HMAC-SHA1'],
  ] as const) {
    it(`checks the ${method} signature of an unknown login as a known login's keys do`, async () => {
      const { request, authorization } = method === 'RSA-SHA256' ? rsa : hmac
      const forged = received({ ...request, body: 'amount=99.42' }, authorization)
      const refused = (consumer: Consumer, login?: string) =>
        countCalls(() => verify(forged, gateway(consumer, NOW, login)))
      const expected = await refused({ keys: [] }, 'someone-else')
      const checks = expected.filter((call) => /^(equal|verify)/.test(call))
      expect(checks).toHaveLength(2)
      const key = keys[method]
      for (const consumer of [
        { keys: [] },
        { keys: [keys[other]] },
        { keys: [key] },
        { keys: [key, key] },
        { keys: [key], bodyHashRequired: true },
      ]) {
        expect(await refused(consumer)).toEqual(expected)
      }
    })

    it(`accepts no ${method} signature`, async () => {
      const { request, authorization } = method === 'RSA-SHA256' ? rsa : hmac
      const verification = await verify(
        received(request, authorization),
        gateway({ keys: [keys[method]] }, NOW, 'someone-else'),
      )
      expect(verification).toMatchObject({ ok: false, code: 'consumer-unknown' })
    })
  }

  it('does the RSA work for a signature above the modulus, as a known login does', async () => {
    const { parameters } = parseAuthorization(rsa.authorization)
    const above = replace('oauth_signature', btoa('\u00ff'.repeat(512)))(parameters)
    const forged = received(rsa.request, formatAuthorization(above))
    for (const login of ['merchant-login', 'someone-else']) {
      const consumer = { keys: [keys['RSA-SHA256']] }
      const made = await countCalls(() => verify(forged, gateway(consumer, NOW, login)))
      // A runtime does the work only below the modulus, so the first byte is 0.
      expect(new Set(made.filter((call) => call.startsWith('verify')))).toEqual(
        new Set(['verify 512 from 0']),
      )
    }
  })
})

describe('a refusal', () => {
  it('hashes a large body once', async () => {
    const credentials = { consumerKey: 'merchant-login', key: privateKey }
    const options = { timestampSeconds: NOW, bodyHash: 'SHA-256' } as const
    const { authorization } = await sign(json, credentials, options)
    const forged = received({ ...json, body: `{}${' '.repeat(16 * 1024)}` }, authorization)
    for (const login of ['merchant-login', 'someone-else']) {
      const made = await countCalls(() => verify(forged, gateway({ keys: [] }, NOW, login)))
      expect(hashesOf(made)).toEqual(['hash 16386'])
    }
  })
})
