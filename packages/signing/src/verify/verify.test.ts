import { describe, expect, it } from 'vitest'
import {
  credentials,
  form,
  FORM_TYPE,
  gateway,
  json,
  key,
  NOW,
  otherKey,
  publicKey,
  received,
  roundTrip,
} from '../../test/gateway.ts'
import { hmac, OAUTH, send } from '../../test/mistaken-caller.ts'
import { VECTORS } from '../../test/vectors.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { importControlKey } from '../keys/keys.ts'
import { sign } from '../sign/sign.ts'
import { verify } from './verify.ts'

describe('verify accepts', () => {
  for (const expected of VECTORS) {
    it(`${expected.id}, with every intermediate`, async () => {
      const verificationKey = await expected.verificationKey()
      const verification = await verify(
        received(expected.request, expected.authorization),
        gateway({ keys: [verificationKey] }, expected.timestampSeconds),
      )
      expect(verification).toMatchObject({
        ok: true,
        consumerKey: expected.consumerKey,
        method: verificationKey.method,
        nonce: expected.nonce,
        timestampSeconds: expected.timestampSeconds,
        parameterString: decodeURIComponent(expected.baseString.split('&')[2] ?? ''),
        baseString: expected.baseString,
      })
      expect(verification.ok && verification.key === verificationKey).toBe(true)
    })
  }

  it('a form whose media type has a charset, in any case', async () => {
    for (const contentType of [`${FORM_TYPE}; charset=UTF-8`, FORM_TYPE.toUpperCase()]) {
      expect(await roundTrip({ received: { contentType } })).toMatchObject({ ok: true })
    }
  })

  it('a form that repeats the oauth_* parameters of the header, including the signature', async () => {
    const { body } = form
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const { parameters } = parseAuthorization(authorization)
    const repeated = parameters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    const request = received({ ...form, body: body + repeated.join('') }, authorization)
    expect(await verify(request, gateway({ keys: [key] }, NOW))).toMatchObject({ ok: true })
  })

  it('a header without oauth_version, an empty token, and a path that is not encoded', async () => {
    const path = 'https://gate.example.com/gate/a^b{c}'
    for (const change of [
      { oauth: OAUTH.filter(([name]) => name !== 'oauth_version') },
      { oauth: [...OAUTH, ['oauth_token', '']] as const },
      { url: path, signedUrl: path },
    ]) {
      const verification = await verify(await send(change), gateway({ keys: [key] }, NOW))
      expect(verification).toMatchObject({ ok: true })
    }
  })

  it('both active keys of a login, and returns the one that matched', async () => {
    const verification = await roundTrip({ consumer: { keys: [otherKey, publicKey, key] } })
    expect(verification.ok && verification.key).toBe(key)
  })

  it('a control key with reserved characters, encoded or unencoded', async () => {
    const text = 'a+b/c=&d é'
    const consumer = { keys: [await importControlKey(text)] }
    for (const used of [encodeURIComponent(text), text]) {
      const request = await send({ sign: hmac(`${used}&`) })
      expect(await verify(request, gateway(consumer, NOW))).toMatchObject({ ok: true })
    }
  })

  it('timestamps up to 300 s away by default, or as far as the verifier allows', async () => {
    for (const difference of [-300, 0, 300]) {
      const options = { timestampSeconds: NOW + difference }
      expect(await roundTrip({ options })).toMatchObject({ ok: true })
    }
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW - 10 })
    const verifier = { ...gateway({ keys: [key] }, NOW), timestampToleranceSeconds: 9 }
    expect(await verify(received(form, authorization), verifier)).toMatchObject({
      step: 'timestamp',
    })
  })

  it('nonces of real clients: 1 to 128 characters, digits, base64', async () => {
    for (const nonce of [
      '7',
      'wIjqoS',
      '123456',
      'zKq7b',
      '7d8f3e4a',
      'a+/b+/c=',
      'n'.repeat(128),
      '!"#%&\'~~',
    ]) {
      expect(await roundTrip({ options: { nonce } })).toMatchObject({ ok: true, nonce })
    }
  })

  it("a request by the system's clock, if the verifier has none", async () => {
    const { nowSeconds: _, ...verifier } = gateway({ keys: [key] }, NOW)
    const { authorization } = await sign(form, credentials)
    expect(await verify(received(form, authorization), verifier)).toMatchObject({ ok: true })
    const old = await sign(form, credentials, { timestampSeconds: NOW })
    expect(await verify(received(form, old.authorization), verifier)).toMatchObject({
      code: 'timestamp-range',
    })
  })
})

describe('verify refuses', () => {
  it('a signature method that the verifier does not accept, and names the accepted ones', async () => {
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const verifier = gateway({ keys: [key, publicKey] }, NOW)
    const verification = await verify(received(form, authorization), {
      ...verifier,
      methods: ['RSA-SHA256'],
    })
    expect(verification).toMatchObject({
      step: 'header',
      reason: 'expected oauth_signature_method to be RSA-SHA256, got HMAC-SHA1',
    })
    expect(verifier.spent).toEqual([])
  })

  it('a replayed request', async () => {
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const verifier = gateway({ keys: [key] }, NOW)
    expect(await verify(received(form, authorization), verifier)).toMatchObject({ ok: true })
    expect(await verify(received(form, authorization), verifier)).toMatchObject({
      ok: false,
      step: 'nonce',
    })
    expect(verifier.spent).toHaveLength(1)
  })

  it('without spending the nonce of a request with a wrong signature', async () => {
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const verifier = gateway({ keys: [key] }, NOW)
    const forged = received({ ...form, body: 'amount=99.99' }, authorization)
    expect(await verify(forged, verifier)).toMatchObject({ step: 'signature' })
    expect(verifier.spent).toHaveLength(0)
    expect(await verify(received(form, authorization), verifier)).toMatchObject({ ok: true })
  })

  it('a changed JSON body, by its SHA-1 or SHA-256, which a form needs not', async () => {
    for (const bodyHash of ['SHA-1', 'SHA-256'] as const) {
      const consumer = { keys: [key], bodyHashRequired: true }
      const signed = { request: json, consumer, options: { bodyHash } }
      expect(await roundTrip(signed)).toMatchObject({ ok: true })
      expect(await roundTrip({ request: form, consumer })).toMatchObject({ ok: true })
      const body = json.body.replace('r1', 'r2')
      expect(await roundTrip({ ...signed, received: { body } })).toMatchObject({
        step: 'body-hash',
        reason: expect.stringContaining('25 bytes'),
      })
    }
  })

  it('and shows nothing that is computed with a key', async () => {
    const { authorization, signature } = await sign(form, credentials, { timestampSeconds: NOW })
    const forged = received({ ...form, body: 'amount=99.99' }, authorization)
    const genuine = await sign({ ...form, body: 'amount=99.99' }, credentials, {
      timestampSeconds: NOW,
      nonce: new Map(parseAuthorization(authorization).parameters).get('oauth_nonce') ?? '',
    })
    const verification = JSON.stringify(await verify(forged, gateway({ keys: [key] }, NOW)))
    expect(verification).toContain(JSON.stringify(genuine.baseString).slice(1, -1))
    expect(verification.includes(genuine.signature)).toBe(false)
    expect(verification.includes(signature)).toBe(false)
  })
})
