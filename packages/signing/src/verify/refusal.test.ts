import { describe, expect, it } from 'vitest'
import {
  credentials,
  form,
  FORM_TYPE,
  formatAuthorization,
  gateway,
  json,
  key,
  NOW,
  otherKey,
  privateKey,
  publicKey,
  received,
  replace,
  roundTrip,
  without,
} from '../../test/gateway.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { REFUSAL_STEPS, type RefusalCode } from '../refusals/refusals.ts'
import { sign } from '../sign/sign.ts'
import type { Refused, Verification } from './verifier.ts'
import { verify } from './verify.ts'

const PAN = '4111111111111111'
const EMPTY_SHA_1 = '2jmj7l5rSw0yVb/vlWAYkK/YBwk='

type Trip = Parameters<typeof roundTrip>[0]
const header = (name: string, value: string): Trip => ({ header: replace(name, value) })
const sent = (change: NonNullable<Trip['received']>): Trip => ({ received: change })
const authorized = (authorization: string | readonly string[] | undefined): Trip => ({
  received: { authorization },
})
const hashed = (value: string): Trip => ({
  request: json,
  options: { bodyHash: 'SHA-1' },
  header: replace('oauth_body_hash', value),
})
const badPercent = `${form.body}&card=%zz`

/** The code of the refusal, its `got`, and the request that causes it. */
const CASES: readonly (readonly [code: RefusalCode, got: string | undefined, trip: Trip])[] = [
  ['header-missing', 'none', authorized(undefined)],
  ['header-too-long', '16385', authorized(`OAuth ${'a'.repeat(16_379)}`)],
  ['header-scheme', 'Bearer', authorized('Bearer abc')],
  ['header-scheme', undefined, authorized('a-secret-without-scheme')],
  ['header-malformed', '"\'"', authorized("OAuth a='1'")],
  ['header-encoding', '"+" at character 10', authorized('OAuth a="+"')],
  ['header-repeated', 'two values', authorized('OAuth a="1",a="2"')],
  ['header-repeated', 'two', authorized(['OAuth a="1"', 'Bearer abc'])],
  ['header-repeated', '3', authorized(['OAuth a="1"', 'OAuth a="1"', ''])],
  ['header-missing', 'none', authorized([])],
  ['header-parameters', undefined, authorized(formatAuthorization(many(33)))],
  ['parameter-missing', 'none', { header: without('oauth_nonce') }],
  ['parameter-missing', 'an empty one', header('oauth_nonce', '')],
  ['signature-method', 'RSA-SHA1', header('oauth_signature_method', 'RSA-SHA1')],
  ['signature-method', '"****************"', header('oauth_signature_method', PAN)],
  ['signature-method', 'hmac-sha1', header('oauth_signature_method', 'hmac-sha1')],
  ['signature-method', 'toString', header('oauth_signature_method', 'toString')],
  ['oauth-version', '"1.0a"', header('oauth_version', '1.0a')],
  ['signature-base64', '41 other characters', header('oauth_signature', 'a'.repeat(41))],
  ['signature-length', '30 bytes', header('oauth_signature', 'ab'.repeat(20))],
  ['url', undefined, sent({ url: `${form.url}#` })],
  ['url', '16440', sent({ url: form.url + 'a'.repeat(16_384) })],
  ['url', undefined, sent({ url: form.url.replace('?', '#?') })],
  ['url', '"/gate/api/././v4/payout/1144"', sent({ url: form.url.replace('/api', '/api/./.') })],
  ['form-encoding', undefined, sent({ body: badPercent })],
  ['query-encoding', undefined, sent({ url: `${form.url}&a=%ff` })],
  ['form-too-long', '1048577', sent({ body: 'a'.repeat(1024 * 1024 + 1) })],
  ['too-many-parameters', undefined, sent({ body: '&'.repeat(1000) })],
  ['oauth-parameter', 'another value', sent({ body: 'oauth_nonce=1' })],
  ['oauth-parameter', 'one that the header does not have', sent({ body: 'oauth_x=1' })],
  ['timestamp-malformed', '"1.5"', header('oauth_timestamp', '1.5')],
  ['timestamp-malformed', '16 digits', header('oauth_timestamp', PAN)],
  ['timestamp-malformed', 'now', header('oauth_timestamp', 'now')],
  ['timestamp-malformed', 'other characters', header('oauth_timestamp', `card ${PAN}`)],
  ['timestamp-unit', 'milliseconds', header('oauth_timestamp', `${NOW}123`)],
  ['timestamp-range', 'one that is 301 s behind', { options: { timestampSeconds: NOW - 301 } }],
  ['timestamp-range', 'one that is 3600 s ahead', { options: { timestampSeconds: NOW + 3600 } }],
  ['nonce-malformed', '129 characters', header('oauth_nonce', 'n'.repeat(129))],
  ['nonce-malformed', 'other characters', header('oauth_nonce', 'with space')],
  ['nonce-malformed', 'other characters', header('oauth_nonce', 'nönce')],
  ['consumer-unknown', 'nobody', header('oauth_consumer_key', 'nobody')],
  ['consumer-unknown', '"****************"', header('oauth_consumer_key', PAN)],
  ['consumer-unknown', `"${'n'.repeat(40)}"...`, header('oauth_consumer_key', 'n'.repeat(500))],
  ['consumer-key-missing', 'keys for RSA-SHA256 only', { consumer: { keys: [publicKey] } }],
  ['consumer-key-missing', 'no active key', { consumer: { keys: [] } }],
  ['token', 'one', { header: (own) => [...own, ['oauth_token', 'a-token']] }],
  [
    'body-hash-missing',
    'none',
    { request: json, consumer: { keys: [key], bodyHashRequired: true } },
  ],
  [
    'body-hash-with-form',
    'one',
    { ...hashed(''), received: { contentType: FORM_TYPE, body: 'a=b' } },
  ],
  ['body-hash-malformed', 'hex', hashed('ab'.repeat(20))],
  ['body-hash-malformed', '64 bytes', hashed(btoa('x'.repeat(64)))],
  ['body-hash-mismatch', 'the hash of other bytes', hashed(EMPTY_SHA_1)],
  ['body-hash-mismatch', 'the hash of other bytes', hashed(btoa('x'.repeat(20)))],
  [
    'json-as-form',
    'a body that begins with "{"',
    { request: json, received: { contentType: FORM_TYPE } },
  ],
  ...[
    { body: 'amount=99' },
    { method: 'PUT' },
    { url: form.url.replace('.com', '.com:8443') },
    { url: form.url.replace('https', 'http') },
    { url: form.url.replace('1144', '1145') },
    { url: form.url.replace('lang=en', 'lang=de') },
  ].map((change) => ['signature-mismatch', undefined, sent(change)] as const),
  ['signature-mismatch', undefined, { consumer: { keys: [otherKey, otherKey] } }],
]

describe('a refusal has a code, `expected` and `got`', () => {
  for (const [code, got, trip] of CASES) {
    it(`${code}, got ${got}`, async () => {
      const refused = asRefused(await roundTrip(trip))
      expect([refused.code, refused.got]).toEqual([code, got])
      expect(refused.step).toBe(REFUSAL_STEPS[code])
      const sentence = `expected ${refused.expected}`
      expect(refused.reason).toBe(got === undefined ? sentence : `${sentence}, got ${got}`)
    })
  }

  it('for a replayed nonce, and for a forgotten time', async () => {
    const { authorization } = await sign(form, credentials, { timestampSeconds: NOW })
    const outcomes = { replayed: 'nonce-replayed', expired: 'timestamp-forgotten' } as const
    for (const outcome of ['replayed', 'expired'] as const) {
      const verifier = { ...gateway({ keys: [key] }, NOW), spendNonce: () => outcome }
      const refused = asRefused(await verify(received(form, authorization), verifier))
      expect(refused.code).toBe(outcomes[outcome])
    }
  })

  it("for a signature of another length than the login's keys", async () => {
    const { authorization } = await sign(
      form,
      { consumerKey: 'merchant-login', key: privateKey },
      { timestampSeconds: NOW },
    )
    const signature = btoa('\u007f'.repeat(512))
    const { parameters } = parseAuthorization(authorization)
    const forged = formatAuthorization(replace('oauth_signature', signature)(parameters))
    const verification = await verify(received(form, forged), gateway({ keys: [publicKey] }, NOW))
    expect(verification).toMatchObject({
      step: 'signature',
      code: 'signature-key-length',
      expected: "oauth_signature of 256 bytes, as long as the login's key",
      got: '512 bytes (a 4096-bit key)',
    })
  })

  it('for every code', () => {
    const elsewhere = ['nonce-replayed', 'timestamp-forgotten', 'signature-key-length']
    const codes = new Set([...CASES.map(([code]) => code), ...elsewhere])
    expect(codes).toEqual(new Set(Object.keys(REFUSAL_STEPS)))
  })

  it('says that the query is signed, if there is one', async () => {
    const reasonOf = async (url: string) => {
      return asRefused(await roundTrip({ request: { ...form, url }, received: { body: 'a=1' } }))
        .reason
    }
    const path = form.url.replace(/\?.*/, '')
    const byKey = 'made with the key that the login has here'
    const parameters = "(the query's parameters are part of it)"
    expect(await reasonOf(path)).toBe(`expected the signature of this base string, ${byKey}`)
    expect(await reasonOf(`${path}?`)).toBe(`expected the signature of this base string, ${byKey}`)
    expect(await reasonOf(form.url)).toBe(
      `expected the signature of this base string ${parameters}, ${byKey}`,
    )
  })

  it('names the field with the wrong encoding, or its position if the name may be secret', async () => {
    const fields: readonly (readonly [body: string | Uint8Array, named: string])[] = [
      ['a=1&amount=%zz', 'amount in the form'],
      ['a=1&%zz=1', 'parameter 2 in the form'],
      [`a=1&${PAN}=%zz`, 'parameter 2 in the form'],
      [`{"cvv2":"739","x":"100%"}`, 'parameter 1 in the form'],
      [Uint8Array.of(0x61, 0x3d, 0x31, 0x26, 0x62, 0x3d, 0xff), 'b in the form'],
    ]
    for (const [body, named] of fields) {
      const { expected, reason } = asRefused(await roundTrip({ received: { body } }))
      expect(expected).toContain(named)
      expect(/739|4111/.test(reason)).toBe(false)
    }
  })
})

function asRefused(verification: Verification): Refused {
  if (!verification.ok) return verification
  throw new Error('expected a refusal')
}

function many(count: number) {
  return Array.from({ length: count }, (_, index) => [`p${index}`, ''] as const)
}
