import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  importControlKey,
  importPrivateKey,
  sign,
  type SigningKey,
  verify,
} from '@counterfoil/signing'
import { expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import {
  checkMasterKeys,
  controlKeyOf,
  createKeyOpener,
  type KeyContext,
  makeControlKey,
  publicKeyOf,
} from './credentials.ts'
import { type MasterKeys, openMasterKeys } from './seal.ts'
import type { StoredKey } from '../store/login-store.ts'

const NOW = new Date('2026-01-02T03:04:05Z')
const context: KeyContext = { now: NOW, randomBytes, foreignFingerprints: [] }
const masterKeys = randomMasterKeys()

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicPem = String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))
const privatePem = String(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }))

test('a control key that is made is long, random, and of unreserved characters only', () => {
  const made = new Set(Array.from({ length: 100 }, () => makeControlKey(randomBytes)))
  expect(made.size).toBe(100)
  for (const controlKey of made) expect(controlKey).toMatch(/^[\w-]{40}$/)
})

test('a control key that was stored verifies what its owner signs', async () => {
  const controlKey = makeControlKey(randomBytes)
  const stored = controlKeyOf('shop', controlKey, masterKeys, context)
  const fingerprint = `SHA256:${createHash('sha256').update(controlKey).digest('base64')}`
  expect(stored).toMatchObject({ login: 'shop', method: 'HMAC-SHA1', createdAt: NOW, fingerprint })
  expect(JSON.stringify(stored)).not.toContain(controlKey)
  expect(await verifies(stored, await importControlKey(controlKey))).toBe(true)
  expect(await verifies(stored, await importControlKey(makeControlKey(randomBytes)))).toBe(false)
})

test('a master key that did not seal what is there is found out at once', async () => {
  const sealed = controlKeyOf('shop', makeControlKey(randomBytes), masterKeys, context)
  const revoked = {
    ...controlKeyOf('old', '0123456789abcdef', randomMasterKeys(), context),
    revokedAt: NOW,
  }
  const store = { listKeys: async () => [sealed, revoked] }
  await checkMasterKeys(store, masterKeys)
  const message = expect.stringContaining(`key ${sealed.keyId} of shop with master key`)
  await expect(checkMasterKeys(store, randomMasterKeys())).rejects.toMatchObject({ message })
})

test.each([
  '',
  '0123456789abcde',
  '0123456789abcdef ',
  '0123456789\tabcdef',
  '0123456789abcdeé',
  'k'.repeat(LIMITS.controlKeyLengthMax + 1),
])('a control key %j that an operator brings is refused without being shown', (controlKey) => {
  const store = () => controlKeyOf('shop', controlKey, masterKeys, context)
  const expected = 'expected a control key of 16 to 512 visible ASCII characters'
  expect(store).toThrow(new GatewayError('credentials', expected))
})

test('a public key that was stored verifies what its owner signs', async () => {
  const stored = await publicKeyOf('shop', publicPem, context)
  const spki = rsa.publicKey.export({ type: 'spki', format: 'der' })
  const digest = createHash('sha256').update(spki).digest('base64')
  expect(stored).toMatchObject({ method: 'RSA-SHA256', fingerprint: `SHA256:${digest}` })
  expect(await verifies(stored, await importPrivateKey(privatePem))).toBe(true)
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const otherPem = String(other.export({ type: 'pkcs1', format: 'pem' }))
  expect(await verifies(stored, await importPrivateKey(otherPem))).toBe(false)
})

test('a private key, a short RSA key and what is no key are refused as public keys', async () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  const shortPem = String(short.export({ type: 'spki', format: 'pem' }))
  const refused = { code: 'credentials' }
  await expect(publicKeyOf('shop', shortPem, context)).rejects.toThrow('2048 bits or more')
  await expect(publicKeyOf('shop', privatePem, context)).rejects.toThrow('stays with its owner')
  await expect(publicKeyOf('shop', 'hello', context)).rejects.toMatchObject(refused)
})

test('a public key of a rare exponent is refused, because its time would tell that its login exists', async () => {
  const [modulusLength, publicExponent] = [2048, 3]
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent })
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  const expected = 'expected an RSA key of the exponent 65537, got 3'
  await expect(publicKeyOf('shop', pem, context)).rejects.toThrow(
    new GatewayError('credentials', expected),
  )
})

test('a key of the other environment is refused by its fingerprint', async () => {
  const { fingerprint } = await publicKeyOf('shop', publicPem, context)
  const refusing = { ...context, foreignFingerprints: [fingerprint] }
  await expect(publicKeyOf('shop', publicPem, refusing)).rejects.toThrow(fingerprint)

  const controlKey = makeControlKey(randomBytes)
  const foreign = controlKeyOf('shop', controlKey, masterKeys, context).fingerprint
  const store = () =>
    controlKeyOf('shop', controlKey, masterKeys, { ...context, foreignFingerprints: [foreign] })
  expect(store).toThrow('The other environment uses the key')
})

test('an opened key stays open, and a key that does not open is refused each time', async () => {
  const stored = controlKeyOf('shop', makeControlKey(randomBytes), masterKeys, context)
  const openKey = createKeyOpener(masterKeys)
  expect(await openKey(stored)).toBe(await openKey(stored))

  const openOther = createKeyOpener(randomMasterKeys())
  await expect(openOther(stored)).rejects.toMatchObject({ code: 'credentials' })
  await expect(openOther(stored)).rejects.toMatchObject({ code: 'credentials' })
})

function randomMasterKeys(): MasterKeys {
  const KEY = randomBytes(32).toString('base64')
  return openMasterKeys([{ version: 1, environment: 'KEY' }], { KEY })
}

async function verifies(
  stored: StoredKey,
  signingKey: SigningKey,
  openKey = createKeyOpener(masterKeys),
): Promise<boolean> {
  const request = { method: 'POST', url: 'https://gateway.example/report' }
  const { authorization } = await sign(request, { consumerKey: 'shop', key: signingKey })
  const keys = [await openKey(stored)]
  const { ok } = await verify(
    { ...request, authorization, body: new Uint8Array() },
    {
      findConsumer: () => ({ keys }),
      spendNonce: () => 'spent',
      nowSeconds: () => Date.now() / 1000,
    },
  )
  return ok
}
