import { describe, expect, it } from 'vitest'
import { vector, VECTORS } from '../../test/vectors.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { importControlKey } from '../keys/keys.ts'
import { parseForm } from '../parameters/form.ts'
import { sign } from './sign.ts'

const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
const credentials = { consumerKey: 'merchant-login', key }
const url = 'https://gate.example.com/gate/api/v4/payout/1144'

describe('sign', () => {
  for (const expected of VECTORS) {
    it(`makes every intermediate of ${expected.id}`, async () => {
      const { request, consumerKey, nonce, timestampSeconds, bodyHash } = expected
      const signed = await sign(
        request,
        { consumerKey, key: await expected.signingKey() },
        { nonce, timestampSeconds, ...(bodyHash ? { bodyHash } : {}) },
      )
      expect(signed.baseString).toBe(expected.baseString)
      expect(signed.signature).toBe(expected.signature)
      expect(signed.authorization).toBe(expected.authorization)
      expect(decodeURIComponent(expected.baseString.split('&')[2] ?? '')).toBe(
        signed.parameterString,
      )
      expect(new Map([...signed.oauthParameters, ['oauth_signature', signed.signature]])).toEqual(
        new Map(parseAuthorization(expected.authorization).parameters),
      )
    })
  }

  it("signs a form's parameters, text and bytes alike", async () => {
    const { request, nonce, timestampSeconds, signature } = vector('seed-payout-hmac-sha1')
    const { method, body, contentType } = request
    for (const form of [
      { form: parseForm(body) },
      { contentType, body },
      { contentType: `${contentType}; charset=utf-8`, body: new TextEncoder().encode(body) },
    ]) {
      const options = { nonce, timestampSeconds }
      const signed = await sign({ method, url: request.url, ...form }, credentials, options)
      expect(signed.signature).toBe(signature)
    }
  })

  it('leaves a JSON body out of the signature', async () => {
    const { request, nonce, timestampSeconds, signature } = vector(
      'seed-report-json-nohash-hmac-sha1',
    )
    for (const body of [request.body, '{"a":"b&c=d"}', '']) {
      const signed = await sign({ ...request, body }, credentials, { nonce, timestampSeconds })
      expect(signed.signature).toBe(signature)
    }
  })

  it('returns the headers and the body to send', async () => {
    const send = async (change: object) =>
      await sign({ method: 'POST', url, ...change }, credentials)
    const form = [['a', 'x y']] as const
    const contentType = 'application/x-www-form-urlencoded'
    const bytes = new TextEncoder().encode('{}')
    const cases = [
      [{ form }, contentType, 'a=x%20y'],
      [{ form: [] }, contentType, ''],
      [
        { form, contentType: `${contentType};charset=utf-8` },
        `${contentType};charset=utf-8`,
        'a=x%20y',
      ],
      [{ contentType, body: 'a=x+y' }, contentType, 'a=x+y'],
      [{ contentType: 'application/json', body: '{}' }, 'application/json', '{}'],
      [{ body: bytes }, undefined, bytes],
      [{}, undefined, undefined],
    ] as const
    for (const [change, type, body] of cases) {
      const signed = await send(change)
      const { authorization } = signed
      const typed = type === undefined ? {} : { 'Content-Type': type }
      expect(signed.headers).toEqual({ Authorization: authorization, ...typed })
      expect(signed.body).toBe(body)
    }
  })

  it('uses a random nonce and the current time by default', async () => {
    const [one, two] = [
      await sign({ method: 'POST', url }, credentials),
      await sign({ method: 'POST', url }, credentials),
    ].map(({ oauthParameters }) => new Map(oauthParameters))
    expect(one?.get('oauth_nonce') === two?.get('oauth_nonce')).toBe(false)
    expect(one?.get('oauth_nonce')).toHaveLength(36)
    const age = Date.now() / 1000 - Number(one?.get('oauth_timestamp'))
    expect(age >= 0 && age < 60).toBe(true)
  })

  it('writes the realm into the header and does not sign it', async () => {
    const options = { nonce: '12345678', timestampSeconds: 1 }
    const plain = await sign({ method: 'POST', url }, credentials, options)
    const inRealm = await sign({ method: 'POST', url }, credentials, { ...options, realm: 'r' })
    expect(inRealm.authorization).toBe(plain.authorization.replace('OAuth ', 'OAuth realm="r",'))
    expect(inRealm.baseString).toBe(plain.baseString)
  })
})
