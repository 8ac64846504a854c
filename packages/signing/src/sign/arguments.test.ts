import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { gateway, received } from '../../test/gateway.ts'
import { KEYS } from '../../test/vectors.ts'
import * as signing from '../index.ts'

const key = await signing.importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
const url = 'https://gate.example.com/gate/api/v4/payout/1144?lang=en'
const request = { method: 'POST', url }
const credentials = { consumerKey: 'merchant-login', key }
const options = { nonce: '12345678', timestampSeconds: 1_700_000_000 }
const pem = KEYS.private.pkcs8

/** The package without its types, as a JavaScript caller has it. */
const untyped = signing as unknown as Record<string, (...passed: readonly unknown[]) => unknown>
const call = (name: string, ...passed: readonly unknown[]) =>
  caught(() => untyped[name]?.(...passed))
const sign = (change: object) => ['sign', { ...request, ...change }, credentials] as const
const signWith = (change: object) => ['sign', request, { ...credentials, ...change }] as const
const signBy = (change: object) => ['sign', request, credentials, change] as const
const verifier = gateway({ keys: [key] }, 1_700_000_000)

const hashed = { bodyHash: 'SHA-1' }

/** What a program would otherwise sign or accept wrongly. */
const WRONG: readonly (readonly [code: string, expected: string, name: string, ...unknown[]])[] = [
  ['options', 'an HTTP method', ...sign({ method: 'POST ' })],
  ['url', 'an absolute http or https URL', ...sign({ url: '/relative' })],
  ['options', 'the value of a as a string, got undefined', ...sign({ form: [['a', undefined]] })],
  ['options', 'the name of a parameter as a string', ...sign({ form: [[1, 'b']] })],
  ['options', 'a form or a body', ...sign({ form: [], body: '' })],
  ['options', 'contentType of a form', ...sign({ form: [], contentType: 'application/json' })],
  ['options', 'the value of oauth_consumer_key', ...signWith({ consumerKey: undefined })],
  ['key', 'got string', ...signWith({ key: 'B17F59B4-A7DC' })],
  ['key', 'got a Promise: await it first', ...signWith({ key: signing.importControlKey('x') })],
  ['key', 'importControlKey', ...signWith({ key: { kind: 'control', method: 'HMAC-SHA1' } })],
  ['options', 'timestampSeconds as a number', ...signBy({ timestampSeconds: 1_700_000_000_000 })],
  ['options', 'timestampSeconds as a number', ...signBy({ timestampSeconds: 1.5 })],
  ['options', 'timestampSeconds as a number', ...signBy({ timestampSeconds: 0 })],
  ['options', 'a nonce of 1 to 128 visible', ...signBy({ nonce: '' })],
  ['options', 'a nonce of 1 to 128 visible', ...signBy({ nonce: 'with spaces' })],
  ['options', 'a merchant login', ...signWith({ consumerKey: '' })],
  ['options', 'no body hash with a form', 'sign', { ...request, form: [] }, credentials, hashed],
  [
    'options',
    'body as the raw bytes',
    'verify',
    { ...request, body: { parsed: 'JSON' } },
    verifier,
  ],
  ['key', 'a control key', 'importControlKey', undefined],
]

describe('wrong arguments', () => {
  for (const [index, [code, expected, name, ...passed]] of WRONG.entries()) {
    it(`${name} says what to pass: ${expected} (${index})`, async () => {
      const error = await call(name, ...passed)
      expect(error).toMatchObject({ name: 'SigningError', code })
      expect(String(error)).toContain(expected)
    })
  }

  it('errors never show the argument, which may be a secret', async () => {
    const secret = 'B17F59B4-A7DC-41B4'
    const [name, ...passed] = signWith({ key: secret })
    expect(String(await call(name, ...passed)).includes(secret)).toBe(false)
  })
})

describe('accepts', () => {
  it('a URL object, URLSearchParams and the bytes of a PEM file', async () => {
    const pairs = [
      ['a', 'x y'],
      ['a', "é+'"],
    ] as const
    const form = new URLSearchParams(signing.encodeForm(pairs))
    const plain = await signing.sign({ ...request, form: pairs }, credentials, options)
    const same = await signing.sign({ ...request, url: new URL(url), form }, credentials, options)
    expect(same).toEqual(plain)
    expect(signing.encodeForm(form)).toBe(signing.encodeForm(pairs))
    expect(signing.normalizeParameters(form)).toBe(signing.normalizeParameters(pairs))
    const bytes = new TextEncoder().encode(pem)
    expect(await signing.importPrivateKey(bytes)).toEqual(await signing.importPrivateKey(pem))
    const publicBytes = new TextEncoder().encode(KEYS.public.spki)
    expect(await signing.importPublicKey(publicBytes)).toMatchObject({ kind: 'public' })
  })

  it('null for an absent header, as in the Fetch API', async () => {
    const arriving = { ...received(request, undefined), authorization: null, contentType: null }
    expect(await signing.verify(arriving, verifier)).toMatchObject({ code: 'header-missing' })
  })

  it('a URL object in verify', async () => {
    const { authorization } = await signing.sign(request, credentials, options)
    const arriving = { ...received(request, authorization), url: new URL(url) }
    expect(await signing.verify(arriving, verifier)).toMatchObject({ ok: true })
  })
})

it('accepts no request if spendNonce breaks its contract', async () => {
  const { authorization } = await signing.sign(request, credentials, options)
  const broken = { ...verifier, spendNonce: () => undefined }
  const error = await call('verify', received(request, authorization), broken)
  expect(error).toMatchObject({ code: 'options', message: expect.stringContaining('"spent"') })
})
