import { describe, expect, it } from 'vitest'
import {
  type Caller,
  CONTROL_KEY,
  encode,
  FORM_CALLER,
  hmac,
  JSON_CALLER,
  NOW,
  type Pairs,
  send,
  signedText,
  URL_TEXT,
} from '../../test/mistaken-caller.ts'
import { gateway } from '../../test/gateway.ts'
import { KEYS, vector } from '../../test/vectors.ts'
import { diagnose, importControlKey, importPublicKey, verify } from '../index.ts'
import { DIAGNOSED_BYTES_MAX, VARIANT_CHARACTERS_MAX } from '../refusals/limits.ts'
import { candidatesOf } from './find-mistake.ts'
import { buildBaseString, rightRecipe, splitReceived } from './recipe.ts'

const keys = [await importControlKey(CONTROL_KEY)]
const http = URL_TEXT.replace('https', 'http')

describe('diagnose', () => {
  it('says that a right request is correct', async () => {
    const right = await send({})
    expect(await diagnose(right, { keys })).toMatchObject({
      outcome: 'correct',
      baseString: signedText({}),
    })
    expect(await diagnose(right, { keys: [] })).toMatchObject({ outcome: 'unknown' })
  })

  const plus = (text: string) => encode(text).replaceAll('%20', '+')
  const byLocale = (pairs: Pairs) =>
    pairs.toSorted(([a, b], [c, d]) => a.localeCompare(c, 'en') || b.localeCompare(d, 'en'))
  const once = FORM_CALLER.signed.filter(([, value]) => value !== '2')
  const members = {
    ...JSON_CALLER,
    body: '{"reportIdentifier":"transactions-list"}',
    signed: [['reportIdentifier', 'transactions-list']] as const,
  }
  const text = { body: 'a=x%20y', contentType: 'text/plain', signed: [['a', 'x y']] as const }
  const both: readonly (readonly [first: string, second: string, change: Partial<Caller>])[] = [
    ['json-members-signed', 'url-scheme', { ...members, signedUrl: http }],
    ['body-signed-as-form', 'encoding-plus-for-space', { ...text, encode: plus }],
    ['url-scheme', 'encoding-plus-for-space', { signedUrl: http, encode: plus }],
    ['url-trailing-slash', 'order-by-locale', { signedUrl: `${URL_TEXT}/`, order: byLocale }],
    ['url-scheme', 'url-base-path', { signedUrl: http.replace('/gate/', '/') }],
    ['url-scheme', 'url-port', { signedUrl: http.replace('.com/', '.com:8080/') }],
    ['encoding-plus-for-space', 'order-by-locale', { encode: plus, order: byLocale }],
    ['duplicates-dropped', 'order-by-locale', { signed: once, order: byLocale }],
    ['url-scheme', 'key-without-ampersand', { signedUrl: http, sign: hmac(CONTROL_KEY) }],
    [
      'encoding-plus-for-space',
      'key-not-trimmed',
      { encode: plus, sign: hmac(`${CONTROL_KEY}\n&`) },
    ],
  ]
  for (const [first, second, change] of both) {
    it(`names ${first} and ${second} in one signature`, async () => {
      const options = { keys, host: 'gate.example.com:8080' }
      const { mistake, secondMistake } = await diagnose(await send(change), options)
      expect([mistake?.code, secondMistake?.code]).toEqual([first, second])
    })
  }

  it('names the mistake by the base string alone', async () => {
    const baseString = signedText({ signedUrl: http })
    const diagnosis = await diagnose(await send({ signedUrl: http }), { keys: [], baseString })
    expect(diagnosis).toMatchObject({
      outcome: 'mistake',
      mistake: { code: 'url-scheme' },
      signedBaseString: baseString,
      difference: { at: 10, part: 'url', gateway: { character: 's' } },
    })
  })

  it('says nothing of an RSA key that it does not have', async () => {
    const { authorization, request } = vector('seed-payout-rsa-sha256')
    const body = new TextEncoder().encode(request.body)
    const signed = { ...request, url: `${request.url}/`, authorization, body }
    expect(await diagnose(signed, { keys: [] })).toMatchObject({ outcome: 'unknown' })
  })

  it('shows the first difference of base strings that no mistake explains', async () => {
    const request = await send({ sign: hmac('another key&') })
    const baseString = signedText({ method: 'PUT', signedMethod: 'PATCH' })
    expect(await diagnose(request, { keys, baseString })).toMatchObject({
      outcome: 'unknown',
      difference: { at: 2, part: 'method' },
    })
  })

  it('knows nothing of a signature with another key', async () => {
    const request = await send({ sign: hmac('another key&') })
    expect(await diagnose(request, { keys })).toMatchObject({
      outcome: 'unknown',
      refused: { code: 'signature-mismatch' },
    })
  })

  it('names the mistake of a refusal', async () => {
    const request = await send({})
    const consumer = { keys, bodyHashRequired: true }
    const unknown = await verify(request, gateway(consumer, NOW, 'other'))
    const json = await send({}, JSON_CALLER)
    const withoutHash = await verify(json, gateway(consumer, NOW))
    const { authorization, request: rsa, timestampSeconds } = vector('seed-payout-rsa-sha256')
    const signed = { ...rsa, authorization, body: new TextEncoder().encode(rsa.body) }
    const short = { keys: [await importPublicKey(KEYS.public.spki)] }
    const otherLength = await verify(signed, gateway(short, timestampSeconds))
    const codes = [unknown, withoutHash, otherLength].map(async (refused) => {
      if (refused.ok) throw new Error('expected a refusal')
      return (await diagnose(request, { keys: [], refused })).mistake?.code
    })
    expect(await Promise.all(codes)).toEqual([
      'consumer-unknown',
      'body-hash-missing',
      'signature-key-length',
    ])
  })
})

describe('the work of a diagnosis is bounded:', () => {
  const received = async (change: object, caller = FORM_CALLER) => {
    return splitReceived(await send(change, caller), undefined)
  }

  it('no body, base string or claim above 8 KiB', async () => {
    const sign = hmac('another key&')
    const fits = { body: '', signed: [], sign }
    const over = 'x'.repeat(DIAGNOSED_BYTES_MAX + 1)
    expect(await diagnose(await send(fits), { keys })).toMatchObject({ outcome: 'unknown' })
    const large = [
      { ...fits, body: over },
      { ...fits, url: `${URL_TEXT}?${over}` },
    ]
    for (const change of [...large, { ...JSON_CALLER, sign, body: over }]) {
      expect(await diagnose(await send(change), { keys })).toMatchObject({ outcome: 'too-large' })
    }
    const claimed = await diagnose(await send(fits), { keys, baseString: over })
    expect(claimed).toMatchObject({ outcome: 'too-large', difference: { part: 'method' } })
  })

  it('no base string twice, and none that is right', async () => {
    const long = Array.from({ length: 60 }, (_, at) => `"a-${at}_é ":["x/y",{"b":true}]`)
    const changes = [
      await received({}),
      await received({ url: `https://127.0.0.1:8443/Ä/a%2Fb/?x=1+2&${'y='.repeat(3)}` }).catch(() =>
        received({ url: 'https://127.0.0.1:8443/a%2Fb/?x=1+2&x=%20' }),
      ),
      await received({ body: `{${long.join(',')}}`, realm: 'a' }, JSON_CALLER),
    ]
    for (const request of changes) {
      const candidates = [...candidatesOf(request)].filter(({ recipe }) => !recipe.keysOf)
      const texts = candidates.map(({ baseString }) => baseString)
      expect(texts.length).toBeGreaterThan(50)
      expect(new Set(texts).size).toBe(texts.length)
      expect(texts).not.toContain(buildBaseString(rightRecipe(request)))
    }
  })

  it('no more than 1 Mi characters in all base strings', async () => {
    const text = `'! `.repeat(24)
    const members = Array.from({ length: 90 }, (_, at) => [`é${at}`, { text }] as const)
    const body = JSON.stringify(Object.fromEntries(members))
    expect(body.length).toBeGreaterThan(DIAGNOSED_BYTES_MAX / 2)
    const texts = [...candidatesOf(await received({ body, signed: [] }, JSON_CALLER))]
    const characters = texts.reduce((sum, { baseString }) => sum + baseString.length, 0)
    expect(characters).toBeGreaterThan(VARIANT_CHARACTERS_MAX / 2)
    // The last one may end beyond the limit.
    expect(characters).toBeLessThan(VARIANT_CHARACTERS_MAX * 1.1)
  })

  it('a pause after each 16 base strings', async () => {
    const request = await send({ sign: hmac('another key&') })
    let pauses = 0
    const pause = async () => {
      pauses += 1
    }
    await diagnose(request, { keys, pause })
    const count = [...candidatesOf(splitReceived(request, undefined))].length
    expect(pauses).toBe(Math.floor(count / 16))
  })
})
