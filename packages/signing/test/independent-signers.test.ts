// @module-tag long

import { execFileSync } from 'node:child_process'
import { createHash, createHmac, randomUUID, sign as signRsa } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import NodeOAuth1 from 'node-oauth1'
import OAuth from 'oauth-1.0a'
import { afterAll, describe, expect, it } from 'vitest'
import {
  encodeForm,
  importControlKey,
  importPublicKey,
  normalizeParameters,
  type Parameter,
  signatureBaseString,
  verify,
} from '../src/index.ts'
import { formatAuthorization, gateway, received } from './gateway.ts'
import { isInstalled } from './is-installed.ts'
import { KEYS } from './vectors.ts'

const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
const LOGIN = 'merchant-login'
const METHOD = 'POST'
const URL = 'https://gate.example.com/gate/api/v4/transfer-by-ref/1144?lang=en'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const FORM: readonly Parameter[] = [
  ['client-order-id', '902B4FF5'],
  ['amount', '10.42'],
  ['order_desc', "Заказ №1: 50% + 'tax' = (ok)! *~"],
  ['destination-card-no', '4539031736475434'],
  ['destination_card_recurring_payment_id', ''],
]
const keys = [await importControlKey(CONTROL_KEY), await importPublicKey(KEYS.public.spki)]
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Verifies the signed request, and the same request with another amount. */
async function verifications(authorization: string) {
  const body = encodeForm(FORM)
  const request = { method: METHOD, url: URL, contentType: FORM_TYPE }
  return [
    await verify(received({ ...request, body }, authorization), gateway({ keys }, nowSeconds())),
    await verify(
      received({ ...request, body: body.replace('10.42', '99.42') }, authorization),
      gateway({ keys }, nowSeconds()),
    ),
  ]
}

const ACCEPTED_AND_REFUSED = [{ ok: true }, { ok: false, step: 'signature' }]

describe('verify accepts a request signed by', () => {
  it('oauth-1.0a', async () => {
    const oauth = new OAuth({
      consumer: { key: LOGIN, secret: CONTROL_KEY },
      signature_method: 'HMAC-SHA1',
      hash_function: (baseString, key) =>
        createHmac('sha1', key).update(baseString).digest('base64'),
    })
    const data = Object.fromEntries(FORM)
    const header = oauth.toHeader(oauth.authorize({ url: URL, method: METHOD, data }))
    expect(await verifications(header.Authorization)).toMatchObject(ACCEPTED_AND_REFUSED)
  })

  it('oauth-1.0a with RSA-SHA256, in a custom hash function', async () => {
    const oauth = new OAuth({
      consumer: { key: LOGIN, secret: '' },
      signature_method: 'RSA-SHA256',
      hash_function: (baseString) =>
        signRsa('sha256', Buffer.from(baseString), KEYS.private.pkcs8).toString('base64'),
    })
    const data = Object.fromEntries(FORM)
    const header = oauth.toHeader(oauth.authorize({ url: URL, method: METHOD, data }))
    expect(await verifications(header.Authorization)).toMatchObject(ACCEPTED_AND_REFUSED)
  })

  it('oauth-1.0a with JSON and a body hash, whose default is an HMAC', async () => {
    const settings = {
      consumer: { key: LOGIN, secret: CONTROL_KEY },
      signature_method: 'HMAC-SHA1',
      hash_function: (text: string, key: string) =>
        createHmac('sha1', key).update(text).digest('base64'),
    }
    const sha256 = (body: string) => createHash('sha256').update(body).digest('base64')
    const body = '{"reportIdentifier":"transactions-list"}'
    const verificationOf = async (oauth: OAuth) => {
      const request = { url: URL, method: METHOD, data: body, includeBodyHash: true }
      const { Authorization } = oauth.toHeader(oauth.authorize(request))
      const sent = { method: METHOD, url: URL, contentType: 'application/json', body }
      return await verify(received(sent, Authorization), gateway({ keys }, nowSeconds()))
    }
    const own = new OAuth({ ...settings, body_hash_function: sha256 })
    expect(await verificationOf(own)).toMatchObject({ ok: true })
    expect(await verificationOf(new OAuth(settings))).toMatchObject({ code: 'body-hash-mismatch' })
  })

  it('node-oauth1', async () => {
    const message = {
      action: URL,
      method: METHOD,
      parameters: [
        ...FORM,
        ['oauth_consumer_key', LOGIN],
        ['oauth_nonce', randomUUID()],
        ['oauth_signature_method', 'HMAC-SHA1'],
        ['oauth_timestamp', String(nowSeconds())],
        ['oauth_version', '1.0'],
      ],
    }
    NodeOAuth1.SignatureMethod.sign(message, { consumerSecret: CONTROL_KEY })
    const own = message.parameters.filter(([name = '']) => name.startsWith('oauth_'))
    const header = NodeOAuth1.getAuthorizationHeader('sandbox', own)
    expect(await verifications(header)).toMatchObject(ACCEPTED_AND_REFUSED)
  })

  describe('the openssl command', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openssl-'))
    const keyFile = join(folder, 'private.pem')
    writeFileSync(keyFile, KEYS.private.pkcs1)
    afterAll(() => rmSync(folder, { recursive: true }))

    const commands = {
      'HMAC-SHA1': ['dgst', '-sha1', '-mac', 'HMAC', '-macopt', `key:${CONTROL_KEY}&`, '-binary'],
      'RSA-SHA256': ['dgst', '-sha256', '-sign', keyFile, '-binary'],
    }
    for (const [method, command] of Object.entries(commands)) {
      it(`with ${method}`, async ({ skip }) => {
        skip(!isInstalled('openssl'), 'openssl is not installed')
        const oauth: Parameter[] = [
          ['oauth_consumer_key', LOGIN],
          ['oauth_nonce', randomUUID()],
          ['oauth_signature_method', method],
          ['oauth_timestamp', String(nowSeconds())],
          ['oauth_version', '1.0'],
        ]
        const parameterString = normalizeParameters([...oauth, ['lang', 'en'], ...FORM])
        const input = signatureBaseString({ method: METHOD, url: URL, parameterString })
        const signature = execFileSync('openssl', command, { input }).toString('base64')
        const header = formatAuthorization([...oauth, ['oauth_signature', signature]])
        expect(await verifications(header)).toMatchObject(ACCEPTED_AND_REFUSED)
      })
    }
  })
})
