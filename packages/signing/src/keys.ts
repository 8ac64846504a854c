import { runtime } from '#crypto'
import { encodeBase64 } from './base64.ts'
import type { Eventually, HmacReadings, RsaSigner, RsaVerification } from './crypto/runtime.ts'
import { percentEncode } from './encode.ts'
import { RSA_BITS_MAX, RSA_BITS_MIN } from './limits.ts'
import { type PemBlock, readPem } from './pem.ts'
import {
  modulusBits,
  type RsaNumbers,
  type RsaPrivate,
  readCertificate,
  readPkcs1Private,
  readPkcs1Public,
  readPkcs8Private,
  readSpki,
  writeSpki,
} from './rsa-key.ts'
import { SigningError } from './signing-error.ts'
import { requireRecord, requireText, wrongArgument } from './wrong-argument.ts'

/** An imported control key, which signs and verifies. The object does not hold the secret, so nothing can print it. */
export interface ControlKey {
  readonly kind: 'control'
  readonly method: 'HMAC-SHA1'
}

/** The public facts about an RSA key. */
interface RsaKey {
  readonly method: 'RSA-SHA256'
  readonly bits: number
  /** The public exponent. The time of a verification depends on it. */
  readonly exponent: number
  /** `SHA256:` and the base64 of the SHA-256 of the public key (SPKI, DER). Both halves of a pair have the same. */
  readonly fingerprint: string
}

/** An imported RSA private key, which signs. The object does not hold the secret, so nothing can print it. */
export interface PrivateKey extends RsaKey {
  readonly kind: 'private'
}

/** An imported RSA public key, which verifies. */
export interface PublicKey extends RsaKey {
  readonly kind: 'public'
}

/** A key that makes signatures. */
export type SigningKey = ControlKey | PrivateKey

/** A key that verifies signatures. */
export type VerificationKey = ControlKey | PublicKey

interface ControlKeyMaterial {
  readonly secret: string
  readonly withoutToken: HmacReadings
  /** The keys for the last token secret, so that the next signature with it imports nothing. */
  withToken?: { readonly tokenSecret: string; readonly readings: HmacReadings }
}

// Maps hold the secrets, so that no log and no inspector finds them in the key objects.
const controlKeys = new WeakMap<ControlKey, ControlKeyMaterial>()
const privateKeys = new WeakMap<PrivateKey, RsaSigner>()
const publicKeys = new WeakMap<PublicKey, RsaVerification>()
const publicNumbers = new WeakMap<PrivateKey | PublicKey, RsaNumbers>()

/**
 * Imports a merchant's control key (the consumer secret) for HMAC-SHA1.
 *
 * @throws {SigningError} `key` if the control key is not a string, is empty, has spaces at its ends, or is PEM.
 * @example
 * const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
 * key.method // 'HMAC-SHA1'
 */
export async function importControlKey(controlKey: string): Promise<ControlKey> {
  if (typeof controlKey !== 'string')
    throw wrongArgument('a control key as a string', controlKey, 'key')
  if (controlKey === '' || controlKey.trim() !== controlKey || controlKey.includes('-----BEGIN ')) {
    throw new SigningError(
      'key',
      'expected a control key: one line of text, without spaces around it',
    )
  }
  const key: ControlKey = Object.freeze({ kind: 'control', method: 'HMAC-SHA1' })
  const withoutToken = await importReadings(controlKey, '')
  controlKeys.set(key, { secret: controlKey, withoutToken })
  return key
}

/**
 * Imports an RSA private key for RSA-SHA256: PKCS#1 or PKCS#8 as PEM, encrypted or not. WebCrypto cannot decrypt a key;
 * Node can.
 *
 * @param pem The PEM as text, or the bytes of its file.
 * @throws {SigningError} `key` for anything else; `key-too-short` under 2048 bits; `passphrase` if it is missing or
 * wrong, or if this runtime cannot decrypt; `options` if the options have the wrong type.
 * @example
 * const key = await importPrivateKey(await readFile('private.pem'))
 * key.bits // 2048
 */
export async function importPrivateKey(
  pem: string | Uint8Array,
  options: { readonly passphrase?: string } = {},
): Promise<PrivateKey> {
  requireRecord(options, 'options as an object: { passphrase }')
  if (options.passphrase !== undefined) requireText(options.passphrase, 'passphrase')
  const rsa = readPrivateKey(readPem(pem), options.passphrase)
  const key = Object.freeze({ kind: 'private', ...(await describe(rsa)) } as const)
  privateKeys.set(key, await importNumbers(() => runtime.importRsaSigner('SHA-256', rsa.pkcs8)))
  publicNumbers.set(key, { modulus: rsa.modulus, exponent: rsa.exponent })
  return key
}

/**
 * Imports an RSA public key for RSA-SHA256: SPKI or PKCS#1 as PEM, or an X.509 certificate, of which only the key is
 * used.
 *
 * @param pem The PEM as text, or the bytes of its file.
 * @throws {SigningError} `key` for anything else (the message names a private key); `key-too-short` under 2048 bits.
 * @example
 * const key = await importPublicKey(await readFile('public.pem'))
 * key.bits // 2048
 */
export async function importPublicKey(pem: string | Uint8Array): Promise<PublicKey> {
  return await importRsaPublic(readPublicKey(readPem(pem)))
}

/**
 * Returns the HMAC keys that a control key stands for. The first is the RFC's: `encode(secret)&encode(token secret)`
 * (RFC 5849, 3.4.2). If the secrets have reserved characters, the second is the specification's, taken literally: both
 * secrets unencoded.
 */
export function hmacReadings(key: ControlKey, tokenSecret: string): Eventually<HmacReadings> {
  const material = requireMaterial(controlKeys.get(key))
  if (tokenSecret === '') return material.withoutToken
  const { withToken } = material
  if (withToken?.tokenSecret === tokenSecret) return withToken.readings
  return importWithToken(material, tokenSecret)
}

/** Throws `key` unless a value is a key that this package imported. */
export function requireSigningKey(key: SigningKey): void {
  if (key?.kind === 'control' && controlKeys.has(key)) return
  if (key?.kind === 'private' && privateKeys.has(key)) return
  const expected = 'a key from "await importControlKey(...)" or "await importPrivateKey(...)"'
  throw wrongArgument(expected, key, 'key')
}

async function importWithToken(
  material: ControlKeyMaterial,
  tokenSecret: string,
): Promise<HmacReadings> {
  const readings = await importReadings(material.secret, tokenSecret)
  material.withToken = { tokenSecret, readings }
  return readings
}

/** Returns the signer of a private key. Throws `key` unless this package imported the key. */
export function rsaSigner(key: PrivateKey): RsaSigner {
  return requireMaterial(privateKeys.get(key))
}

/** Returns the verifier of a public key. Throws `key` unless this package imported the key. */
export function rsaVerification(key: PublicKey): RsaVerification {
  return requireMaterial(publicKeys.get(key))
}

/** Returns the public half of a private key. */
export async function publicHalf(key: PrivateKey): Promise<PublicKey> {
  return await importRsaPublic(rsaNumbers(key))
}

/** Returns the modulus and the exponent of an RSA key. Throws `key` unless this package imported the key. */
export function rsaNumbers(key: PrivateKey | PublicKey): RsaNumbers {
  return requireMaterial(publicNumbers.get(key))
}

/** Returns the text of a control key. Throws `key` unless this package imported the key. */
export function controlKeyText(key: ControlKey): string {
  return requireMaterial(controlKeys.get(key)).secret
}

async function importReadings(secret: string, tokenSecret: string): Promise<HmacReadings> {
  const encoded = `${percentEncode(secret)}&${percentEncode(tokenSecret)}`
  const raw = `${secret}&${tokenSecret}`
  const first = await runtime.importHmac('SHA-1', encoded)
  if (encoded === raw) return { first }
  return { first, second: await runtime.importHmac('SHA-1', raw) }
}

async function importRsaPublic(rsa: RsaNumbers): Promise<PublicKey> {
  const key = Object.freeze({ kind: 'public', ...(await describe(rsa)) } as const)
  const verifier = await importNumbers(() => runtime.importRsaVerifier('SHA-256', writeSpki(rsa)))
  publicKeys.set(key, { verifier, modulus: rsa.modulus.slice(-Math.ceil(key.bits / 8)) })
  publicNumbers.set(key, rsa)
  return key
}

function readPrivateKey(block: PemBlock, passphrase: string | undefined): RsaPrivate {
  if (block.label === 'ENCRYPTED PRIVATE KEY' || !block.der) {
    return readPkcs8Private(decrypt(block, passphrase))
  }
  if (block.label === 'PRIVATE KEY') return readPkcs8Private(block.der)
  if (block.label === 'RSA PRIVATE KEY') return readPkcs1Private(block.der)
  const expected = 'expected a private key (RSA PRIVATE KEY, PRIVATE KEY or ENCRYPTED PRIVATE KEY)'
  throw new SigningError('key', `${expected}, got ${block.label}${adviceFor(block.label)}`)
}

function readPublicKey({ label, der }: PemBlock): RsaNumbers {
  if (der && label === 'PUBLIC KEY') return readSpki(der)
  if (der && label === 'RSA PUBLIC KEY') return readPkcs1Public(der)
  if (der && label === 'CERTIFICATE') return readCertificate(der)
  const expected = 'expected a public key (PUBLIC KEY, RSA PUBLIC KEY or CERTIFICATE)'
  throw new SigningError('key', `${expected}, got ${label}${adviceFor(label)}`)
}

function adviceFor(label: string): string {
  if (label === 'OPENSSH PRIVATE KEY') return ': convert it with "ssh-keygen -p -m PEM -f FILE"'
  if (label.endsWith('PRIVATE KEY')) return ': the private key stays with its owner'
  return ''
}

function decrypt({ text }: PemBlock, passphrase: string | undefined): Uint8Array {
  if (!runtime.decryptPrivateKey) {
    const advice = 'decrypt it first with "openssl pkcs8 -in FILE"'
    throw new SigningError('passphrase', `this runtime cannot read encrypted keys: ${advice}`)
  }
  if (passphrase === undefined) {
    throw new SigningError('passphrase', 'expected a passphrase: the private key is encrypted')
  }
  try {
    return runtime.decryptPrivateKey(text, passphrase)
  } catch (cause) {
    const message = 'expected the passphrase that the private key was encrypted with'
    throw new SigningError('passphrase', message, { cause })
  }
}

async function describe(rsa: RsaNumbers): Promise<RsaKey> {
  const bits = modulusBits(rsa)
  if (bits < RSA_BITS_MIN) {
    throw new SigningError(
      'key-too-short',
      `expected an RSA key of ${RSA_BITS_MIN} bits or more, got ${bits}`,
    )
  }
  if (bits > RSA_BITS_MAX) {
    throw new SigningError(
      'key',
      `expected an RSA key of ${RSA_BITS_MAX} bits or less, got ${bits}`,
    )
  }
  const digest = await runtime.hash('SHA-256', writeSpki(rsa))
  const exponent = rsa.exponent.reduce((number, byte) => number * 256 + byte, 0)
  return { method: 'RSA-SHA256', bits, exponent, fingerprint: `SHA256:${encodeBase64(digest)}` }
}

async function importNumbers<T>(importKey: () => T): Promise<Awaited<T>> {
  try {
    return await importKey()
  } catch (cause) {
    throw new SigningError('key', 'expected an RSA key, got one whose numbers are damaged', {
      cause,
    })
  }
}

function requireMaterial<T>(material: T | undefined): T {
  if (material) return material
  throw new SigningError(
    'key',
    'expected a key from importControlKey, importPrivateKey or importPublicKey',
  )
}
