// Counts the work of refusals instead of timing it; `bench/equal-work.ts` compares their times.

// First, so that later imports of keys use the counting runtime.
import { calls } from './count-calls.ts'
import { createHook } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import {
  type Consumer,
  formatAuthorization,
  importControlKey,
  importPublicKey,
  type Parameter,
  parseAuthorization,
  sign,
  type VerificationKey,
  verify,
} from '../src/index.ts'
import { gateway, received } from './gateway.ts'
import { json, privateKey, replace } from './round-trip.ts'
import { KEYS, vector } from './vectors.ts'

const NOW = 1_318_622_958

const rsa = vector('seed-payout-rsa-sha256')
const hmac = vector('seed-payout-hmac-sha1')
const keys = {
  'RSA-SHA256': await rsa.verificationKey(),
  'HMAC-SHA1': await hmac.verificationKey(),
}
const shortKey = await importPublicKey(KEYS.public.spki)
const withTwoReadings = await importControlKey('a+b/c')
const wrong = await importControlKey('wrong')

interface Work {
  readonly calls: readonly string[]
  readonly promises: number
}

/** Requests that differ only in the reason to refuse them. */
function refusals(method: 'RSA-SHA256' | 'HMAC-SHA1', change = (header: string) => header) {
  const { request, authorization } = method === 'RSA-SHA256' ? rsa : hmac
  const forged = received({ ...request, body: 'amount=99.42' }, change(authorization))
  const known = (consumer: Consumer) => () => verify(forged, gateway(consumer, NOW))
  const key = keys[method]
  const otherKey = method === 'RSA-SHA256' ? keys['HMAC-SHA1'] : keys['RSA-SHA256']
  const another: VerificationKey = method === 'RSA-SHA256' ? shortKey : withTwoReadings
  return {
    unknown: () => verify(forged, gateway({ keys: [] }, NOW, 'someone-else')),
    withoutKey: known({ keys: [] }),
    keyOfTheOtherMethod: known({ keys: [otherKey] }),
    oneKey: known({ keys: [key] }),
    twoKeys: known({ keys: [key, key] }),
    anotherKey: known({ keys: [another, key] }),
    bodyHashMissing: known({ keys: [key], bodyHashRequired: true }),
    tokenMissing: known({ keys: [key], token: { token: 'a', secret: 'b' } }),
  }
}

/** Replaces the signature by one above every modulus. A runtime refuses it without doing the work. */
function aboveTheModulus(header: string): string {
  const { parameters } = parseAuthorization(header)
  const signature = btoa('\u00ff'.repeat(512))
  const changed: readonly Parameter[] = replace('oauth_signature', signature)(parameters)
  return formatAuthorization(changed)
}

async function workOf(refuse: () => Promise<unknown>): Promise<Work> {
  // The first call imports the decoys.
  expect(await refuse()).toMatchObject({ ok: false })
  let promises = 0
  const hook = createHook({ init: (_, type) => (promises += type === 'PROMISE' ? 1 : 0) })
  calls.length = 0
  hook.enable()
  await refuse()
  hook.disable()
  return { calls: [...calls], promises }
}

const hashesOf = (work: Work) => work.calls.filter((call) => call.startsWith('hash'))

describe('an unknown login, a login without a key and a wrong signature', () => {
  for (const [name, make] of [
    ['HMAC-SHA1', () => refusals('HMAC-SHA1')],
    ['RSA-SHA256', () => refusals('RSA-SHA256')],
    [
      'RSA-SHA256 with a signature above the modulus',
      () => refusals('RSA-SHA256', aboveTheModulus),
    ],
  ] as const) {
    it(`cost the same crypto calls and promises with ${name}`, async () => {
      const { unknown, ...others } = make()
      const expected = await workOf(unknown)
      const checks = expected.calls.filter(
        (call) => call.startsWith('mac') || call === 'verify 512',
      )
      expect(checks).toHaveLength(name === 'HMAC-SHA1' ? 4 : 2)
      for (const [reason, refuse] of Object.entries(others)) {
        expect({ reason, ...(await workOf(refuse)) }).toEqual({ reason, ...expected })
      }
    })
  }

  for (const [method, { request, authorization }] of [
    ['HMAC-SHA1', hmac],
    ['RSA-SHA256', rsa],
  ] as const) {
    it(`cost the same if the caller's own ${method} key stands in for the unknown login`, async () => {
      const signed = received(request, authorization)
      const consumer = { keys: [keys[method], keys[method]], isStandIn: true }
      const ownKey = await workOf(() => verify(signed, gateway(consumer, NOW)))
      const unknown = await workOf(() => verify(signed, gateway({ keys: [] }, NOW, 'other')))
      expect(ownKey).toEqual(unknown)
    })
  }

  it('cost the same with a body hash, right or wrong', async () => {
    const credentials = { consumerKey: 'merchant-login', key: privateKey }
    const options = { timestampSeconds: NOW, bodyHash: 'SHA-256' } as const
    const { authorization } = await sign(json, credentials, options)
    const forged = received({ ...json, body: '{"reportIdentifier":"r2"}' }, authorization)
    const known = await workOf(() => verify(forged, gateway({ keys: [shortKey] }, NOW)))
    const unknown = await workOf(() => verify(forged, gateway({ keys: [] }, NOW, 'other')))
    // The body, no bytes, the body with a line end: the mistakes that a refusal may name.
    expect(hashesOf(known)).toEqual(['hash 25', 'hash 0', 'hash 26'])
    expect(known).toEqual(unknown)
  })

  it('hash a large body once', async () => {
    const credentials = { consumerKey: 'merchant-login', key: privateKey }
    const options = { timestampSeconds: NOW, bodyHash: 'SHA-256' } as const
    const { authorization } = await sign(json, credentials, options)
    const forged = received({ ...json, body: `{}${' '.repeat(16 * 1024)}` }, authorization)
    const work = await workOf(() => verify(forged, gateway({ keys: [shortKey] }, NOW)))
    expect(hashesOf(work)).toEqual(['hash 16386', 'hash 0'])
  })

  it('return nothing that is computed with a key', async () => {
    const { request, nonce, timestampSeconds, signature } = hmac
    const credentials = { consumerKey: 'merchant-login', key: wrong }
    const { authorization } = await sign(request, credentials, { nonce, timestampSeconds })
    const consumer = { keys: [keys['HMAC-SHA1']] }
    const verification = await verify(received(request, authorization), gateway(consumer, NOW))
    expect(verification).toMatchObject({ ok: false, step: 'signature' })
    expect(JSON.stringify(verification)).not.toContain(signature)
  })
})
