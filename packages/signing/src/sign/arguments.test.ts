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
const body = new Uint8Array()
const pem = KEYS.private.pkcs8

/** The package without its types, as a JavaScript caller has it. */
const untyped = signing as unknown as Record<string, (...passed: readonly unknown[]) => unknown>
const call = (name: string, ...passed: readonly unknown[]) =>
  caught(() => untyped[name]?.(...passed))
const sign = (change: object) => ['sign', { ...request, ...change }, credentials] as const
const signWith = (change: object) => ['sign', request, { ...credentials, ...change }] as const
const signBy = (change: object) => ['sign', request, credentials, change] as const
const verifier = gateway({ keys: [key] }, 1_700_000_000)
const verify = (change: object) => ['verify', { ...request, body, ...change }, verifier] as const

const WRONG: readonly (readonly [code: string, expected: string, name: string, ...unknown[]])[] = [
  ['options', 'a request as an object', 'sign'],
  ['options', 'credentials as an object', 'sign', request],
  ['options', 'options as an object', ...sign({}), 'HMAC-SHA1'],
  ['options', 'method as a string, got undefined', ...sign({ method: undefined })],
  ['options', 'an HTTP method', ...sign({ method: 'POST ' })],
  ['options', 'an HTTP method', ...sign({ method: '' })],
  ['options', 'url as a string or a URL, got an object', ...sign({ url: { href: url } })],
  ['url', 'an absolute http or https URL', ...sign({ url: '/relative' })],
  ['options', 'URLSearchParams, got a Map', ...sign({ form: new Map([['a', 'b']]) })],
  ['options', 'Object.entries(...)', ...sign({ form: { a: 'b' } })],
  ['options', '[name, value] pairs', ...sign({ form: ['ab'] })],
  ['options', '[name, value] pairs', ...sign({ form: [['a']] })],
  ['options', '[name, value] pairs', ...sign({ form: [['a', 'b', 'c']] })],
  ['options', 'the value of a as a string, got undefined', ...sign({ form: [['a', undefined]] })],
  ['options', 'the name of a parameter as a string, got a number', ...sign({ form: [[1, 'b']] })],
  ['options', 'a form or a body', ...sign({ form: [], body: '' })],
  ['options', 'contentType of a form', ...sign({ form: [], contentType: 'application/json' })],
  ['options', 'contentType as a string, got an array', ...sign({ contentType: ['a'] })],
  ['options', 'JSON.stringify(...)', ...sign({ body: { a: 1 } })],
  ['options', 'consumerKey as a string, got undefined', ...signWith({ consumerKey: undefined })],
  ['key', 'got a string', ...signWith({ key: 'B17F59B4-A7DC' })],
  ['key', '"await importControlKey(...)"', ...signWith({ key: signing.importControlKey('x') })],
  ['key', 'got a Promise: await it first', ...signWith({ key: signing.importControlKey('x') })],
  ['key', 'got undefined', ...signWith({ key: undefined })],
  ['key', 'importControlKey', ...signWith({ key: { kind: 'control', method: 'HMAC-SHA1' } })],
  ['options', 'nonce as a string, got a number', ...signBy({ nonce: 12345678 })],
  ['options', 'timestampSeconds as a number', ...signBy({ timestampSeconds: '1700000000' })],
  ['options', 'timestampSeconds as a number', ...signBy({ timestampSeconds: 1_700_000_000_000 })],
  ['options', 'bodyHash to be "SHA-1" or "SHA-256"', ...signBy({ bodyHash: true })],
  ['options', 'realm as a string', ...signBy({ realm: 1 })],
  ['options', 'a request as an object', 'verify'],
  ['options', 'a verifier as an object', 'verify', { ...request, body }],
  ['options', 'body as the raw bytes', ...verify({ body: { parsed: 'JSON' } })],
  ['options', 'body as the raw bytes', ...verify({ body: undefined })],
  ['options', 'authorization as a string, got a number', ...verify({ authorization: 5 })],
  ['key', 'a control key as a string, got undefined', 'importControlKey'],
  ['key', 'a PEM key as a string or the bytes', 'importPrivateKey', undefined],
  ['key', 'got a Promise', 'importPrivateKey', Promise.resolve(pem)],
  ['options', '{ passphrase }', 'importPrivateKey', pem, 'the passphrase'],
  ['options', 'passphrase as a string', 'importPrivateKey', pem, { passphrase: 1 }],
  ['key', 'a PEM key as a string or the bytes', 'importPublicKey', {}],
  ['options', 'got a Map', 'normalizeParameters', new Map()],
  ['options', 'the value of a as a string', 'normalizeParameters', [['a', 9]]],
  ['options', 'got undefined', 'encodeForm'],
  ['options', 'the value of a as a string', 'encodeForm', [['a', null]]],
  ['options', 'a form body as a string', 'parseForm', undefined],
  ['options', 'a form body as a string', 'parseForm', { a: 'b' }],
  ['options', 'method as a string', 'signatureBaseString', { url, parameterString: '' }],
  ['options', 'a string to encode', 'signatureBaseString', request],
  ['options', 'url as a string', 'baseStringUrl', undefined],
  ['options', 'the value of a as a string', 'formatAuthorization', [['a', 1]]],
  ['options', 'the Authorization header as a string', 'parseAuthorization', undefined],
  ['options', 'bodyHash to be', 'bodyHash', 'SHA-512', ''],
  ['options', 'bodyHash to be', 'bodyHash', 'sha256', ''],
  ['options', 'body as a string', 'bodyHash', 'SHA-256', { a: 1 }],
  ['options', 'a string to encode', 'percentEncode', 1],
  ['options', 'a string to decode', 'percentDecode', null],
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

describe('a verifier that breaks its contract', () => {
  it('makes verify throw', async () => {
    const { authorization } = await signing.sign(request, credentials, {
      ...options,
      nonce: 'another',
    })
    const arriving = received(request, authorization)
    const privateKey = await signing.importPrivateKey(pem)
    const broken: readonly (readonly [expected: string, change: object])[] = [
      ['nowSeconds', { nowSeconds: () => 1_700_000_000_000 }],
      ['nowSeconds', { nowSeconds: () => Promise.resolve(1_700_000_000) }],
      ['nowSeconds', { nowSeconds: () => Number.NaN }],
      ['{ keys: [...] }', { findConsumer: () => true }],
      [
        'await importControlKey',
        { findConsumer: () => ({ keys: [signing.importControlKey('x')] }) },
      ],
      ['importPublicKey', { findConsumer: () => ({ keys: [privateKey] }) }],
      ['"spent"', { spendNonce: () => undefined }],
    ]
    for (const [expected, change] of broken) {
      const error = await call('verify', arriving, { ...verifier, ...change })
      expect(error).toMatchObject({ code: 'verifier', message: expect.stringContaining(expected) })
    }
  })
})
