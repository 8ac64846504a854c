// 1,000 requests at random.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  diagnose,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  type Parameter,
  type RequestToSign,
  sign,
  verify,
} from '../src/index.ts'
import { gateway, received } from './gateway.ts'
import { NOW, OAUTH, send } from './mistaken-caller.ts'
import { KEYS } from './vectors.ts'

const publicKey = await importPublicKey(KEYS.public.spki)
const pair = { signs: await importPrivateKey(KEYS.private.pkcs8), verifies: publicKey }
const control = await importControlKey('a+b/c=')

const anyText = fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => value.isWellFormed())
const pairs = fc.array(fc.tuple(anyText, anyText), { maxLength: 6 })
const own = pairs.map((list) => list.filter(([name]) => !name.startsWith('oauth_')))
const request = fc
  .record({
    method: fc.constantFrom('POST', 'GET', 'put'),
    host: fc.constantFrom('https://gate.example.com', 'http://LOCALHOST:8080', 'http://[::1]:80'),
    path: fc.constantFrom('', '/', '/a%2Fb', '/Gate/x/'),
    query: own,
    form: own,
    json: fc.option(fc.json({ maxDepth: 2 }), { nil: undefined }),
  })
  .map(({ method, host, path, query, form, json }): RequestToSign => {
    const url = `${host}${path}${query.length > 0 ? `?${new URLSearchParams(query).toString()}` : ''}`
    if (json !== undefined) return { method, url, contentType: 'application/json', body: json }
    return { method, url, form: form as readonly Parameter[] }
  })

it('never diagnoses a correct request: 1,000 at random', async () => {
  let correct = 0
  await fc.assert(
    fc.asyncProperty(request, fc.nat(19), async (sent, choice) => {
      // Each twentieth by RSA, whose signatures take a hundred times as long.
      const [key, verifies] = choice === 0 ? [pair.signs, pair.verifies] : [control, control]
      const options = {
        timestampSeconds: NOW,
        ...(sent.body ? { bodyHash: 'SHA-256' as const } : {}),
      }
      const signed = await sign(sent, { consumerKey: 'merchant-login', key }, options)
      const contentType = signed.headers['Content-Type']
      const arrived = received({ ...sent, contentType, body: signed.body }, signed.authorization)
      const verification = await verify(arrived, gateway({ keys: [verifies] }, NOW))
      expect(verification.ok).toBe(true)
      const diagnosis = await diagnose(arrived, { keys: [key] })
      expect(diagnosis).toEqual({ outcome: 'correct', baseString: verification.baseString })
      correct += 1
    }),
    { numRuns: 1_000 },
  )
  expect(correct).toBe(1_000)
})

it('never throws, whatever the request is', async () => {
  const header = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }).map((value) => `OAuth a="${value}"`),
    fc.dictionary(fc.constantFrom(...OAUTH.map(([name]) => name), 'oauth_signature'), fc.string()),
  )
  await fc.assert(
    fc.asyncProperty(header, fc.uint8Array(), fc.webUrl(), async (value, body, url) => {
      const authorization =
        typeof value === 'string'
          ? value
          : `OAuth ${Object.entries(value)
              .map(([name, part]) => `${name}="${encodeURIComponent(part)}"`)
              .join(',')}`
      const contentType = 'application/x-www-form-urlencoded'
      const arrived = { method: 'POST', url, authorization, contentType, body }
      const { outcome } = await diagnose(arrived, { keys: [control], baseString: 'POST&a' })
      expect(['mistake', 'unknown']).toContain(outcome)
    }),
    { numRuns: 1000 },
  )
})

it('never throws for a signed request with any body', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'binary' })),
      async (body) => {
        for (const contentType of ['application/json', 'application/x-www-form-urlencoded']) {
          const arrived = await send({ body, contentType, signedUrl: 'nowhere' })
          const { outcome } = await diagnose(arrived, { keys: [control] })
          expect(['mistake', 'unknown']).toContain(outcome)
        }
      },
    ),
    { numRuns: 15 },
  )
})
