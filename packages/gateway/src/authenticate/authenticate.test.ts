import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importControlKey, importPrivateKey, sign, type SigningKey } from '@counterfoil/signing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { controlKeyOf, createKeyOpener, publicKeyOf } from '../../../store/src/keys/credentials.ts'
import { openMasterKeys } from '../../../store/src/keys/seal.ts'
import { FairQueue } from '../../../common/src/fair-queue.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { openSqliteStore } from '../../../store/src/store/open-store.ts'
import type { Store } from '../../../store/src/store/store.ts'
import { authenticate, type Authenticator } from './authenticate.ts'
import { RefusedRequests } from './refused-requests.ts'

const ORIGIN = 'https://reports.example.com'
const NOW = 1_800_000_000
const CONTROL_KEY = 'a-control-key-of-the-shop'
const masterKey = randomBytes(32).toString('base64')
const context = { now: new Date(), randomBytes, foreignFingerprints: [] }

let folder: string
let store: Store
let authenticator: Authenticator
let hmac: SigningKey
let rsa: SigningKey
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  store = openSqliteStore(join(folder, 'store.sqlite'))
  const masterKeys = openMasterKeys([{ version: 1, environment: 'KEY' }], { KEY: masterKey })
  const shop = {
    role: 'merchant',
    sees: ['1'],
    bodyHashRequired: false,
    createdAt: new Date(),
  } as const
  await store.addLogin({ ...shop, name: 'shop' })
  await store.addKey(controlKeyOf('shop', CONTROL_KEY, masterKeys, context))
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await store.addKey(await publicKeyOf('shop', pem, context))
  hmac = await importControlKey(CONTROL_KEY)
  rsa = await importPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  authenticator = {
    store,
    openKey: createKeyOpener(masterKeys),
    publicUrl: ORIGIN,
    diagnoses: new FairQueue({
      places: 1,
      perLogin: 1,
      waitingMax: 1,
      waitMs: 1000,
      busy: { code: 'gateway-busy', message: '' },
    }),
    foreignFingerprints: new Set(),
    nowSeconds: () => NOW,
  }
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

async function request(key: SigningKey, origin = ORIGIN, consumerKey = 'shop') {
  const [method, contentType, body] = ['POST', 'application/json', Buffer.from('{}')]
  const message = { method, url: `${origin}/path?a=1`, contentType, body }
  const options = { timestampSeconds: NOW }
  const { authorization } = await sign(message, { consumerKey, key }, options)
  const target = '/path?a=1'
  return {
    requestId: 'r-1',
    method,
    target,
    authorization,
    contentType,
    body,
  }
}

test('accepts either key of a login', async () => {
  for (const key of [hmac, rsa]) {
    const identity = await authenticate(authenticator, await request(key))
    expect(identity).toMatchObject({ kind: 'identity', login: { name: 'shop', sees: ['1'] } })
  }
})

test('refuses a request that was signed for another address', async () => {
  const elsewhere = await request(hmac, 'https://elsewhere.example.com')
  expect(await authenticate(authenticator, elsewhere)).toMatchObject({
    kind: 'refusal',
    step: 'signature',
    claimedLogin: 'shop',
    message: expect.stringContaining('Step that failed: signature'),
  })
})

test('refuses a key of the other environment', async () => {
  const keys = await store.listKeys('shop')
  const foreignFingerprints = new Set(keys.map(({ fingerprint }) => fingerprint))
  const refusal = await authenticate({ ...authenticator, foreignFingerprints }, await request(rsa))
  expect(refusal).toMatchObject({ kind: 'refusal', step: 'consumer' })
})

test('keeps a refused request of a known login in memory while strangers send many', async () => {
  const refusedRequests = new RefusedRequests()
  const keeping = { ...authenticator, refusedRequests }
  const elsewhere = await request(hmac, 'https://elsewhere.example.com')
  expect(await authenticate(keeping, elsewhere)).toMatchObject({ step: 'signature' })
  const strange = { ...elsewhere, authorization: 'OAuth oauth_consumer_key="nobody"' }
  for (let count = 0; count < 2 * LIMITS.refusedRequestsMax; count += 1) {
    await authenticate(keeping, { ...strange, requestId: `stranger-${count}` })
  }
  expect(refusedRequests.find('r-1')?.refused).toMatchObject({ consumerKey: 'shop' })
  expect(refusedRequests.find('stranger-0')).toBeUndefined()
  await authenticate(keeping, { ...(await request(hmac)), requestId: 'accepted' })
  expect(refusedRequests.find('accepted')).toBeUndefined()
})

test('refuses a revoked key from the next request on, and accepts the other key', async () => {
  const [first] = await store.listKeys('shop')
  await store.revokeKey(first?.keyId ?? '', new Date())
  const refusal = await authenticate(authenticator, await request(hmac))
  expect(refusal).toMatchObject({ kind: 'refusal', step: 'consumer' })
  expect(await authenticate(authenticator, await request(rsa))).toMatchObject({ kind: 'identity' })
})

test('throws the error of a failing store, and does not refuse', async () => {
  const broken = { ...store, findLogin: () => Promise.reject(new Error('disk')) }
  const asked = authenticate({ ...authenticator, store: broken }, await request(rsa))
  await expect(asked).rejects.toThrow('disk')
})
