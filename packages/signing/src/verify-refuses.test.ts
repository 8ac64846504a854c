import { describe, expect, it } from 'vitest'
import { caught } from '../test/caught.ts'
import { gateway, received } from '../test/gateway.ts'
import {
  credentials,
  form,
  FORM_TYPE,
  json,
  key,
  NOW,
  otherKey,
  privateKey,
  publicKey,
  replace,
  roundTrip,
  without,
} from '../test/round-trip.ts'
import { formatAuthorization, parseAuthorization } from './header.ts'
import { sign } from './sign.ts'
import { verify } from './verify.ts'

describe('verify refuses at the step header', () => {
  it('a missing header, another scheme, and a malformed header', async () => {
    for (const authorization of [undefined, '', 'Bearer x', 'OAuth oauth_nonce=1']) {
      const verification = await roundTrip({ received: { authorization } })
      expect(verification).toMatchObject({ ok: false, step: 'header' })
    }
  })

  it('each missing or empty parameter, by its name', async () => {
    for (const name of ['consumer_key', 'nonce', 'signature', 'signature_method', 'timestamp']) {
      for (const header of [without(`oauth_${name}`), replace(`oauth_${name}`, '')]) {
        const reason = expect.stringContaining(`oauth_${name}`)
        expect(await roundTrip({ header })).toMatchObject({ step: 'header', reason })
      }
    }
  })

  it('another version, and an unknown signature method', async () => {
    for (const [name, value] of [
      ['oauth_version', '1.0a'],
      ['oauth_version', ''],
      ['oauth_signature_method', 'PLAINTEXT'],
      ['oauth_signature_method', 'hmac-sha1'],
      ['oauth_signature_method', 'toString'],
    ] as const) {
      expect(await roundTrip({ header: replace(name, value) })).toMatchObject({
        step: 'header',
        reason: expect.stringContaining(name),
      })
    }
  })

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

  it('a signature that is not canonical base64, or has an impossible length', async () => {
    const signatures = [
      'QC+NWIEhvrOLpMPs2HRTFFhU8M5=',
      'QC+NWIEhvrOLpMPs2HRTFFhU8M4',
      'QC-NWIEhvrOLpMPs2HRTFFhU8M4=',
      ' QC+NWIEhvrOLpMPs2HRTFFhU8M4=',
      'AAAA',
    ]
    for (const signature of signatures) {
      const verification = await roundTrip({ header: replace('oauth_signature', signature) })
      expect(verification).toMatchObject({ step: 'header' })
    }
  })

  it('values that are not percent-encoded, which some clients send', async () => {
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const unencoded = decodeURIComponent(authorization)
    const verification = await roundTrip({ received: { authorization: unencoded } })
    expect(verification).toMatchObject({
      step: 'header',
      reason: expect.stringContaining('oauth_signature percent-encoded'),
    })
  })
})

describe('verify refuses at the step parameters', () => {
  it('a form with an invalid percent sequence or invalid UTF-8', async () => {
    for (const body of ['a=%f', 'a=%ff', Uint8Array.of(0xff)]) {
      expect(await roundTrip({ received: { body } })).toMatchObject({
        step: 'parameters',
        consumerKey: 'merchant-login',
      })
    }
  })

  it('an oauth_* parameter that the form or the query repeats with another value', async () => {
    for (const change of [
      { body: `${form.body}&oauth_nonce=other-nonce` },
      { url: `${form.url}&oauth_consumer_key=someone-else` },
      { url: `${form.url}&oauth_nonce=%ff` },
    ]) {
      expect(await roundTrip({ received: change })).toMatchObject({ step: 'parameters' })
    }
  })
})

describe('verify refuses at the step parameters, for the URL', () => {
  it('a fragment, which no signature covers', async () => {
    for (const url of [`${form.url}#`, `${form.url}#x`, form.url.replace('?', '#?')]) {
      expect(await roundTrip({ received: { url } })).toMatchObject({
        step: 'parameters',
        reason: expect.stringContaining('"#"'),
      })
    }
  })

  it('a path that HTTP clients rewrite', async () => {
    const url = form.url.replace('/gate/', '/gate/../gate/')
    expect(await roundTrip({ received: { url } })).toMatchObject({ step: 'parameters' })
  })
})

describe('verify refuses at the step timestamp', () => {
  it('a timestamp that is too far from now, and says by how much', async () => {
    for (const [difference, text] of [
      [-301, '301 s behind'],
      [3600, '3600 s ahead'],
    ] as const) {
      const options = { timestampSeconds: NOW + difference }
      expect(await roundTrip({ options })).toMatchObject({
        step: 'timestamp',
        reason: expect.stringContaining(text),
      })
    }
  })

  it('a timestamp that is not a whole number of seconds', async () => {
    for (const text of ['-1', '1.5', '01', '+1', '1e9', 'now', `${NOW}000000`, ' 1']) {
      const header = replace('oauth_timestamp', text)
      expect(await roundTrip({ header })).toMatchObject({ step: 'timestamp' })
    }
  })

  it('a timestamp so old that its nonces are forgotten', async () => {
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const verifier = { ...gateway({ keys: [key] }, NOW), spendNonce: () => 'expired' as const }
    expect(await verify(received(form, authorization), verifier)).toMatchObject({
      step: 'timestamp',
    })
  })
})

describe('verify refuses at the step nonce', () => {
  it('a nonce that is too long, or not visible ASCII', async () => {
    for (const nonce of ['n'.repeat(129), 'with space', 'nöncenönce', 'tab\t12345']) {
      const header = replace('oauth_nonce', nonce)
      expect(await roundTrip({ header })).toMatchObject({ step: 'nonce' })
    }
  })

  it('and throws if spendNonce returns none of the three outcomes', async () => {
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    for (const outcome of [undefined, null, true, false, 'Spent', 'ok', 1, {}]) {
      const verifier = { ...gateway({ keys: [key] }, NOW), spendNonce: () => outcome as 'spent' }
      const error = await caught(() => verify(received(form, authorization), verifier))
      expect(error).toMatchObject({
        code: 'verifier',
        message: expect.stringContaining('expected spendNonce to return "spent"'),
      })
    }
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
})

describe('verify refuses at the step consumer', () => {
  it('an unknown login', async () => {
    const { authorization } = await sign(
      form,
      { ...credentials, consumerKey: 'nobody' },
      {
        timestampSeconds: NOW,
      },
    )
    const verification = await verify(received(form, authorization), gateway({ keys: [key] }, NOW))
    expect(verification).toMatchObject({ step: 'consumer', consumerKey: 'nobody' })
  })

  it('a login without a key for the method', async () => {
    const verification = await roundTrip({ consumer: { keys: [publicKey] } })
    expect(verification).toMatchObject({
      step: 'consumer',
      reason: expect.stringContaining('HMAC-SHA1'),
    })
  })

  it('a token if the login has none or another, and no token if it needs one', async () => {
    const token = { token: 'kkk9d7dh3k39sjv7', secret: '' }
    const other = { token: 'other', secret: '' }
    for (const change of [
      { options: { token } },
      { options: { token }, consumer: { keys: [key], token: other } },
      { consumer: { keys: [key], token } },
    ]) {
      expect(await roundTrip(change)).toMatchObject({ step: 'consumer' })
    }
  })
})

describe('verify refuses at the step body-hash', () => {
  const required = { keys: [key], bodyHashRequired: true }

  it('a changed JSON body, by its SHA-1 or SHA-256', async () => {
    for (const bodyHash of ['SHA-1', 'SHA-256'] as const) {
      const signed = { request: json, options: { bodyHash } }
      expect(await roundTrip(signed)).toMatchObject({ ok: true })
      const body = json.body.replace('r1', 'r2')
      expect(await roundTrip({ ...signed, received: { body } })).toMatchObject({
        step: 'body-hash',
        reason: expect.stringContaining('25 bytes'),
      })
    }
  })

  it('a missing hash if the login requires one', async () => {
    expect(await roundTrip({ request: json, consumer: required })).toMatchObject({
      step: 'body-hash',
    })
    const options = { bodyHash: 'SHA-256' } as const
    expect(await roundTrip({ request: json, consumer: required, options })).toMatchObject({
      ok: true,
    })
    expect(await roundTrip({ request: form, consumer: required })).toMatchObject({ ok: true })
  })

  it('a hash with a form, even a correct one', async () => {
    const verification = await roundTrip({
      request: { ...json, body: form.body },
      options: { bodyHash: 'SHA-1' },
      received: { contentType: FORM_TYPE },
    })
    expect(verification).toMatchObject({
      step: 'body-hash',
      reason: expect.stringContaining('form'),
    })
  })

  it('a hash that is not canonical base64, or has another length', async () => {
    for (const hash of ['', 'x', 'AAAA', 'SBN8ig8I36m0bvs/jFSklAWUlKF=']) {
      const header = replace('oauth_body_hash', hash)
      const options = { bodyHash: 'SHA-1' } as const
      expect(await roundTrip({ request: json, options, header })).toMatchObject({
        step: 'body-hash',
      })
    }
  })
})

describe('verify refuses at the step signature', () => {
  it('another key, HTTP method, port or path', async () => {
    expect(await roundTrip({ consumer: { keys: [otherKey, otherKey] } })).toMatchObject({
      step: 'signature',
    })
    for (const change of [
      { method: 'PUT' },
      { url: form.url.replace('.com', '.com:8443') },
      { url: form.url.replace('https', 'http') },
      { url: form.url.replace('1144', '1145') },
      { url: form.url.replace('lang=en', 'lang=de') },
      { body: form.body.replace('10.42', '10.43') },
    ]) {
      expect(await roundTrip({ received: change })).toMatchObject({
        ok: false,
        step: 'signature',
        baseString: expect.stringContaining('POST&'.slice(change.method ? 4 : 0)),
      })
    }
  })

  it('a JSON body signed as a form', async () => {
    const asForm = { ...json, contentType: FORM_TYPE, body: 'reportIdentifier=r1' }
    const { authorization } = await sign(asForm, credentials, { timestampSeconds: NOW })
    const verification = await verify(received(json, authorization), gateway({ keys: [key] }, NOW))
    expect(verification).toMatchObject({ step: 'signature' })
    expect(!verification.ok && verification.parameterString?.includes('reportIdentifier')).toBe(
      false,
    )
  })

  it('RSA signatures of another length or above the modulus, without throwing', async () => {
    const request = { ...form, contentType: FORM_TYPE }
    const rsa = { consumerKey: 'merchant-login', key: privateKey }
    const { authorization } = await sign(request, rsa, { timestampSeconds: NOW })
    const { parameters } = parseAuthorization(authorization)
    for (const byteCount of [256, 384, 512, 1024]) {
      const signature = btoa('\u00ff'.repeat(byteCount))
      const header = formatAuthorization(replace('oauth_signature', signature)(parameters))
      const verifier = gateway({ keys: [publicKey] }, NOW)
      expect(await verify(received(request, header), verifier)).toMatchObject({ step: 'signature' })
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
