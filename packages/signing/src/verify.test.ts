import { describe, expect, it } from 'vitest'
import { gateway, received } from '../test/gateway.ts'
import {
  credentials,
  form,
  FORM_TYPE,
  key,
  NOW,
  otherKey,
  publicKey,
  replace,
  roundTrip,
  without,
} from '../test/round-trip.ts'
import { vector, VECTORS } from '../test/vectors.ts'
import { signatureBaseString } from './base-string.ts'
import { formatAuthorization, parseAuthorization } from './header.ts'
import { importControlKey } from './keys.ts'
import { METHODS } from './methods.ts'
import { normalizeParameters } from './parameters.ts'
import { sign } from './sign.ts'
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

  it('duplicate parameters, and keeps them', async () => {
    const body = 'id=1&id=1&id=0'
    const verification = await roundTrip({ request: { ...form, body } })
    expect(verification).toMatchObject({ ok: true })
    expect(verification.ok && verification.parameterString).toContain('id=0&id=1&id=1&')
    expect(
      await roundTrip({ request: { ...form, body }, received: { body: 'id=1&id=0' } }),
    ).toMatchObject({ ok: false, step: 'signature' })
  })

  it('a form that repeats the oauth_* parameters of the header, including the signature', async () => {
    const { body } = form
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const { parameters } = parseAuthorization(authorization)
    const repeated = parameters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    const request = received({ ...form, body: body + repeated.join('') }, authorization)
    expect(await verify(request, gateway({ keys: [key] }, NOW))).toMatchObject({ ok: true })
  })

  it('a header without oauth_version', async () => {
    const { parameterString } = await sign(form, credentials)
    expect(parameterString).toContain('oauth_version=1.0')
    const example = vector('seed-payout-hmac-sha1')
    const verification = await roundTrip({ header: without('oauth_version') })
    expect(verification).toMatchObject({ ok: false, step: 'signature' })
    expect(!verification.ok && verification.baseString?.includes('oauth_version')).toBe(false)
    expect(example.authorization).toContain('oauth_version="1.0"')
  })

  it('both active keys of a login, and returns the one that matched', async () => {
    const verification = await roundTrip({ consumer: { keys: [otherKey, publicKey, key] } })
    expect(verification.ok && verification.key).toBe(key)
  })

  it('a control key with reserved characters, encoded or unencoded', async () => {
    const text = 'a+b/c=&d é'
    const { baseString, authorization } = await sign(
      form,
      { consumerKey: 'merchant-login', key: await importControlKey(text) },
      { timestampSeconds: NOW },
    )
    const hmacKey = await crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(`${text}&`),
      { name: 'HMAC', hash: 'SHA-1' },
      false,
      ['sign'],
    )
    const mac = await crypto.subtle.sign('HMAC', hmacKey, new TextEncoder().encode(baseString))
    const signature = btoa(String.fromCharCode(...new Uint8Array(mac)))
    const { parameters } = parseAuthorization(authorization)
    const raw = formatAuthorization(replace('oauth_signature', signature)(parameters))
    expect(raw === authorization).toBe(false)
    for (const header of [authorization, raw]) {
      const verifier = gateway({ keys: [await importControlKey(text)] }, NOW)
      expect(await verify(received(form, header), verifier)).toMatchObject({ ok: true })
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

  it('a path with characters that some clients do not encode', async () => {
    const path = '/gate/a^b{c}'
    const url = `https://gate.example.com${path}`
    const protocol = [
      ['oauth_consumer_key', 'merchant-login'],
      ['oauth_nonce', 'n'],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_timestamp', String(NOW)],
    ] as const
    const parameterString = normalizeParameters(protocol)
    const baseString = signatureBaseString({ method: 'POST', url, parameterString })
    expect(baseString).toContain(`&${encodeURIComponent(url)}&`)
    const signature = await METHODS['HMAC-SHA1'].sign(baseString, key)
    const authorization = formatAuthorization([...protocol, ['oauth_signature', signature]])
    const request = received({ method: 'POST', url }, authorization)
    expect(await verify(request, gateway({ keys: [key] }, NOW))).toMatchObject({ ok: true })
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

  it('an empty token, which some clients sign, if the login has none', async () => {
    const options = { token: { token: '', secret: '' } }
    const verification = await roundTrip({ options })
    expect(verification).toMatchObject({ ok: true })
    expect(verification.parameterString).toContain('oauth_token=&')
  })

  it('the token of a login, repeatedly', async () => {
    const token = { token: 'kkk9d7dh3k39sjv7', secret: 'dh&893' }
    const verification = await roundTrip({ options: { token }, consumer: { keys: [key], token } })
    expect(verification).toMatchObject({ ok: true })
    for (const secret of ['dh&893', 'other', 'dh&893']) {
      const sent = { options: { token: { ...token, secret } }, consumer: { keys: [key], token } }
      expect((await roundTrip(sent)).ok).toBe(secret === token.secret)
    }
  })
})
