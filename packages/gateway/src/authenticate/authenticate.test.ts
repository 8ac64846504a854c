import { createHook } from 'node:async_hooks'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importControlKey, importPrivateKey, sign, type SigningKey } from '@counterfoil/signing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { controlKeyOf, createKeyOpener, publicKeyOf } from '../keys/credentials.ts'
import { openMasterKeys } from '../keys/seal.ts'
import { LIMITS } from '../limits.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import type { LoginWithKeys, Store } from '../store/store.ts'
import { authenticate, type Authenticator } from './authenticate.ts'
import { DiagnosisShare } from './diagnosis-share.ts'
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
    sees: [1],
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
    diagnoses: new DiagnosisShare(() => 0),
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
    expect(identity).toMatchObject({ kind: 'identity', login: { name: 'shop', sees: [1] } })
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

test('takes no longer if the other environment has many keys', async () => {
  const forged = { ...(await request(hmac)), target: '/path?a=2' }
  const { diagnoses: _sandboxOnly, ...production } = authenticator
  const cpuTimeWith = async (foreignFingerprints: ReadonlySet<string>) => {
    const before = process.cpuUsage()
    for (let count = 0; count < 200; count += 1) {
      const refusal = await authenticate({ ...production, foreignFingerprints }, forged)
      expect(refusal).toMatchObject({ kind: 'refusal', step: 'signature' })
    }
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const many = Array.from({ length: 300_000 }, (_, number) => `SHA256:${number}`)
  await cpuTimeWith(new Set())
  expect(await cpuTimeWith(new Set(many))).toBeLessThan(5 * (await cpuTimeWith(new Set())))
})

test('takes as many steps for an unknown login as for a known login in production', async () => {
  const { diagnoses: _sandboxOnly, ...production } = authenticator
  const forged = { ...(await request(hmac)), body: Buffer.from('{"x":1}'), target: '/path?a=2' }
  const promisesFor = async (login: LoginWithKeys | undefined) => {
    // The tests of the store count the steps of `findLogin`.
    const fixed = { ...production, store: { ...store, findLogin: async () => login } }
    let promises = 0
    const hook = createHook({ init: (_, type) => (promises += type === 'PROMISE' ? 1 : 0) })
    for (const isCounted of [false, true]) {
      if (isCounted) hook.enable()
      const refusal = await authenticate(fixed, forged)
      hook.disable()
      expect(refusal).toMatchObject({ kind: 'refusal', step: login ? 'signature' : 'consumer' })
    }
    return promises
  }
  const known = await store.findLogin('shop')
  expect(known?.keys).toHaveLength(2)
  expect(await promisesFor(undefined)).toBe(await promisesFor(known))
})

test('checks an unknown login with the key of another one, and refuses also the owner of that key', async () => {
  const opened: string[] = []
  const openKey: Authenticator['openKey'] = async (stored) => {
    opened.push(stored.login)
    return await authenticator.openKey(stored)
  }
  for (const key of [hmac, rsa]) {
    opened.length = 0
    const asked = await request(key, ORIGIN, 'nobody')
    const refusal = await authenticate({ ...authenticator, openKey }, asked)
    expect(opened).toEqual(['shop', 'shop'])
    expect(refusal).toMatchObject({ kind: 'refusal', step: 'consumer', code: 'consumer-unknown' })
    expect(JSON.stringify(refusal)).not.toContain('shop')
  }
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

test('opens the key of a new login for the first request after it, which may name another login', async () => {
  const opened: string[] = []
  const openKey: Authenticator['openKey'] = async (stored) => {
    opened.push(stored.login)
    return await authenticator.openKey(stored)
  }
  const login = { role: 'merchant', sees: [1], bodyHashRequired: false } as const
  await store.addLogin({ ...login, name: 'new', createdAt: new Date() })
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await store.addKey(await publicKeyOf('new', pem, context))
  await authenticate({ ...authenticator, openKey }, await request(hmac))
  expect(opened).toContain('new')
  opened.length = 0
  await authenticate({ ...authenticator, openKey }, await request(hmac))
  expect(opened).not.toContain('new')
})
