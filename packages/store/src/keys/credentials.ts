import { createHash, type KeyObject } from 'node:crypto'
import {
  importControlKey,
  importPublicKey,
  SigningError,
  type VerificationKey,
} from '@counterfoil/signing'
import { GatewayError, LIMITS } from '@counterfoil/common'
import type { LoginStore, StoredKey } from '../store/login-store.ts'
import {
  deriveKey,
  type MasterKeys,
  type MasterKeySource,
  openMasterKeys,
  type RandomBytes,
  seal,
  unseal,
} from './seal.ts'

/** What a new key needs from around it. */
export interface KeyContext {
  readonly now: Date
  readonly randomBytes: RandomBytes
  /** The fingerprints that the configuration lists as the other environment's. */
  readonly foreignFingerprints: readonly string[]
}

const KEY_ID_BYTES = 9
const CONTROL_KEY_BYTES = 30
/** The exponent of RSA keys, also of the decoy key for unknown logins: the time of a verification depends on it. */
const RSA_EXPONENT = 65_537

/** A random control key: 40 unreserved characters (RFC 3986, 2.3), 240 bits. */
export function makeControlKey(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(CONTROL_KEY_BYTES)).toString('base64url')
}

/**
 * Seals a control key for a login, ready to be stored.
 * Throws a `GatewayError` of the code `credentials` for a key under 16 or over 512 characters, with others than visible
 * ASCII, or of the other environment.
 */
export function controlKeyOf(
  login: string,
  controlKey: string,
  masterKeys: MasterKeys,
  context: KeyContext,
): StoredKey {
  const { controlKeyLengthMin: min, controlKeyLengthMax: max } = LIMITS
  if (!/^[!-~]+$/.test(controlKey) || controlKey.length < min || controlKey.length > max) {
    const expected = `expected a control key of ${min} to ${max} visible ASCII characters`
    throw new GatewayError('credentials', expected)
  }
  const fingerprint = `SHA256:${createHash('sha256').update(controlKey).digest('base64')}`
  const keyId = makeKeyId(context)
  const sealed = seal(controlKey, { login, keyId }, masterKeys, context.randomBytes)
  return refuseForeign(context, {
    keyId,
    login,
    method: 'HMAC-SHA1',
    fingerprint,
    createdAt: context.now,
    material: { kind: 'control-key', sealed },
  })
}

/**
 * Makes a login's public key ready to be stored: SPKI, PKCS#1 or a certificate as PEM.
 * Throws a `GatewayError` of the code `credentials` for anything else, for RSA under 2048 bits, for another exponent
 * than 65537, for a private key, and for a key of the other environment.
 */
export async function publicKeyOf(
  login: string,
  pem: string,
  context: KeyContext,
): Promise<StoredKey> {
  const { fingerprint, exponent } = await imported(() => importPublicKey(pem))
  if (exponent !== RSA_EXPONENT) {
    const message = `expected an RSA key of the exponent ${RSA_EXPONENT}, got ${exponent}`
    throw new GatewayError('credentials', message)
  }
  return refuseForeign(context, {
    keyId: makeKeyId(context),
    login,
    method: 'RSA-SHA256',
    fingerprint,
    createdAt: context.now,
    material: { kind: 'public-key', pem },
  })
}

/** Opens stored keys, and keeps them open. */
export type OpenKey = (key: StoredKey) => Promise<VerificationKey>

/** Makes what opens keys; it throws a `GatewayError` of the code `credentials` or `config` for one that does not open. */
export function createKeyOpener(masterKeys: MasterKeys): OpenKey {
  const opened = new Map<string, VerificationKey>()
  return async (stored) => {
    const known = opened.get(stored.keyId)
    if (known) return known
    const key = await openKey(stored, masterKeys)
    opened.set(stored.keyId, key)
    return key
  }
}

/** What the derived key is for: another purpose gives another key. */
const CARD_HASHES = 'counterfoil card hashes'

/**
 * Opens the master keys, and checks that they open the keys of the store.
 *
 * @returns what opens the keys of logins, what derives the key that hashes card numbers, and the master keys
 * @throws `credentials` when a master key is missing, or does not open what the store holds
 */
export async function openKeys(
  store: Pick<LoginStore, 'listKeys'>,
  sources: readonly MasterKeySource[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  const masterKeys = openMasterKeys(sources, environment)
  await checkMasterKeys(store, masterKeys)
  return {
    openKey: createKeyOpener(masterKeys),
    hashKeyOf: (version: number): KeyObject => deriveKey(masterKeys, version, CARD_HASHES),
    masterKeys,
  }
}

/**
 * Opens one sealed key for each master key that has sealed any. Throws a `GatewayError` that names the key and the
 * master key: better where a gateway starts, or seals another one, than at a caller's first request.
 */
export async function checkMasterKeys(
  store: Pick<LoginStore, 'listKeys'>,
  masterKeys: MasterKeys,
): Promise<void> {
  const checked = new Set<number>()
  for (const key of await store.listKeys()) {
    if (key.material.kind !== 'control-key' || key.revokedAt !== undefined) continue
    const { masterKeyVersion } = key.material.sealed
    if (!checked.has(masterKeyVersion)) await openKey(key, masterKeys)
    checked.add(masterKeyVersion)
  }
}

async function openKey(key: StoredKey, masterKeys: MasterKeys): Promise<VerificationKey> {
  const { material } = key
  return await imported<VerificationKey>(() =>
    material.kind === 'control-key'
      ? importControlKey(unseal(material.sealed, key, masterKeys))
      : importPublicKey(material.pem),
  )
}

function makeKeyId({ randomBytes }: KeyContext): string {
  return Buffer.from(randomBytes(KEY_ID_BYTES)).toString('hex')
}

function refuseForeign(context: KeyContext, key: StoredKey): StoredKey {
  if (!context.foreignFingerprints.includes(key.fingerprint)) return key
  const message = `The other environment uses the key ${key.fingerprint}. Add another key`
  throw new GatewayError('credentials', message)
}

async function imported<T>(importKey: () => Promise<T>): Promise<T> {
  try {
    return await importKey()
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause
    throw new GatewayError('credentials', cause.message, { cause })
  }
}
