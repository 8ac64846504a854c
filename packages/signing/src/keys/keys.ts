import { runtime } from '#crypto'
import type { Hmac, RsaSigner, RsaVerifier } from '../crypto/runtime.ts'
import { percentEncode } from '../parameters/parameters.ts'
import { RSA_BITS_MAX, RSA_BITS_MIN } from '../refusals/limits.ts'
import { SigningError, wrongArgument } from '../refusals/signing-error.ts'
import { type PemBlock, readPem, wrapPrivateKey, wrapPublicKey } from './pem.ts'

/** An imported control key, which signs and verifies. The object does not hold the secret, so nothing can print it. */
export interface ControlKey {
  readonly kind: 'control'
  readonly method: 'HMAC-SHA1'
}

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

/** The verifier of a public key, and its modulus: big-endian, as long as the key's signatures. */
export interface RsaVerification {
  readonly verifier: RsaVerifier
  readonly modulus: Uint8Array
}

type Hmacs = readonly [Hmac, ...Hmac[]]

// Maps hold the secrets, so that no log and no inspector finds them in the key objects.
const secrets = new WeakMap<ControlKey, { readonly text: string; readonly hmacs: Hmacs }>()
const signers = new WeakMap<PrivateKey, { readonly signer: RsaSigner; readonly half: PublicKey }>()
const verifiers = new WeakMap<PublicKey, RsaVerification>()

/**
 * Imports a merchant's control key (the consumer secret) for HMAC-SHA1.
 *
 * @throws {SigningError} `key` if the control key is empty, has spaces at its ends, or is PEM.
 * @example
 * const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
 * key.method // 'HMAC-SHA1'
 */
export async function importControlKey(controlKey: string): Promise<ControlKey> {
  // A program without types may pass undefined, from an unset variable.
  if (!controlKey || controlKey.trim() !== controlKey || controlKey.includes('-----BEGIN ')) {
    throw wrongKey('expected a control key: one line of text, without spaces around it')
  }
  const key: ControlKey = Object.freeze({ kind: 'control', method: 'HMAC-SHA1' })
  secrets.set(key, { text: controlKey, hmacs: await importHmacs(controlKey) })
  return key
}

/**
 * Imports an RSA private key for RSA-SHA256: PKCS#1 or PKCS#8 as PEM, encrypted or not. WebCrypto cannot decrypt a key;
 * Node can.
 *
 * @param pem The PEM as text, or the bytes of its file.
 * @throws {SigningError} `key` for anything else; `key-too-short` under 2048 bits; `passphrase` if it is missing or
 * wrong, or if this runtime cannot decrypt.
 * @example
 * const key = await importPrivateKey(await readFile('private.pem'))
 * key.bits // 2048
 */
export async function importPrivateKey(
  pem: string | Uint8Array,
  options: { readonly passphrase?: string } = {},
): Promise<PrivateKey> {
  const pkcs8 = readPrivateKey(readPem(pem), options.passphrase)
  const signer = await importRsa(() => runtime.importRsaSigner(pkcs8))
  const half = await importSpki(signer.spki)
  const key = Object.freeze({ ...half, kind: 'private' } as const)
  signers.set(key, { signer, half })
  return key
}

/**
 * Imports an RSA public key for RSA-SHA256: SPKI or PKCS#1 as PEM or, in Node, an X.509 certificate, of which only the
 * key is used.
 *
 * @param pem The PEM as text, or the bytes of its file.
 * @throws {SigningError} `key` for anything else (the message names a private key); `key-too-short` under 2048 bits.
 * @example
 * const key = await importPublicKey(await readFile('public.pem'))
 * key.bits // 2048
 */
export async function importPublicKey(pem: string | Uint8Array): Promise<PublicKey> {
  return await importSpki(await readPublicKey(readPem(pem)))
}

/** Returns a function that signs a text and returns base64. Throws `key` unless this package imported the key. */
export function signerFor(key: SigningKey): (text: string) => Promise<string> {
  if (key?.kind === 'private') {
    const { signer } = signerOf(key)
    return async (text) => runtime.encodeBase64(await signer.sign(text))
  }
  const [hmac] = hmacsOf(key)
  return async (text) => await hmac.mac(text)
}

/** The RFC's HMAC key (3.4.2) and, for reserved characters, the specification's: the control key unencoded. */
export function hmacsOf(key: ControlKey): Hmacs {
  return requireImported(secrets.get(key), key).hmacs
}

export function controlKeyText(key: ControlKey): string {
  return requireImported(secrets.get(key), key).text
}

export function signerOf(key: PrivateKey): {
  readonly signer: RsaSigner
  readonly half: PublicKey
} {
  return requireImported(signers.get(key), key)
}

export function verifierOf(key: PublicKey): RsaVerification {
  return requireImported(verifiers.get(key), key)
}

async function importHmacs(secret: string): Promise<Hmacs> {
  const encoded = percentEncode(secret)
  const first = await runtime.importHmac(`${encoded}&`)
  return encoded === secret ? [first] : [first, await runtime.importHmac(`${secret}&`)]
}

async function importSpki(spki: Uint8Array): Promise<PublicKey> {
  const verifier = await importRsa(() => runtime.importRsaVerifier(spki))
  const [modulus, exponentBytes] = numbersOf(verifier)
  const bits = modulus.length * 8 - (Math.clz32(modulus[0] ?? 0) - 24)
  if (bits < RSA_BITS_MIN) {
    const expected = `expected an RSA key of ${RSA_BITS_MIN} bits or more`
    throw new SigningError('key-too-short', `${expected}, got ${bits}`)
  }
  if (bits > RSA_BITS_MAX) {
    throw wrongKey(`expected an RSA key of ${RSA_BITS_MAX} bits or less, got ${bits}`)
  }
  const exponent = exponentBytes.reduce((number, byte) => number * 256 + byte, 0)
  const fingerprint = `SHA256:${runtime.encodeBase64(await runtime.hash('SHA-256', verifier.spki))}`
  const facts = { kind: 'public', method: 'RSA-SHA256', bits, exponent, fingerprint } as const
  const key = Object.freeze(facts)
  verifiers.set(key, { verifier, modulus })
  return key
}

/** Returns the modulus and the exponent of a public key, big-endian. */
export function numbersOf({ jwk: { n = '', e = '' } }: RsaVerifier): [Uint8Array, Uint8Array] {
  const decode = (text: string) => {
    return runtime.decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  }
  return [decode(n), decode(e)]
}

function readPrivateKey(block: PemBlock, passphrase: string | undefined): Uint8Array {
  if (block.label === 'ENCRYPTED PRIVATE KEY' || !block.der) {
    return decrypt(block, passphrase)
  }
  if (block.label === 'PRIVATE KEY') return block.der
  if (block.label === 'RSA PRIVATE KEY') return wrapPrivateKey(block.der)
  const expected = 'expected a private key (RSA PRIVATE KEY, PRIVATE KEY or ENCRYPTED PRIVATE KEY)'
  throw wrongKey(`${expected}, got ${block.label}${adviceFor(block.label)}`)
}

async function readPublicKey({ label, text, der }: PemBlock): Promise<Uint8Array> {
  if (der && label === 'PUBLIC KEY') return der
  if (der && label === 'RSA PUBLIC KEY') return wrapPublicKey(der)
  if (label === 'CERTIFICATE') {
    const { publicKeyOf } = runtime
    if (publicKeyOf) return await importRsa(() => publicKeyOf(text))
    throw wrongKey('this runtime cannot read certificates: pass the public key')
  }
  const expected = 'expected a public key (PUBLIC KEY, RSA PUBLIC KEY or CERTIFICATE)'
  throw wrongKey(`${expected}, got ${label}${adviceFor(label)}`)
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

async function importRsa<T>(importKey: () => T): Promise<Awaited<T>> {
  try {
    return await importKey()
  } catch (cause) {
    const expected =
      'expected an RSA key (rsaEncryption) of the form that the label of the PEM names'
    throw wrongKey(`${expected}, got another key or damaged bytes`, { cause })
  }
}

function requireImported<T>(imported: T | undefined, key: unknown): T {
  if (imported) return imported
  const expected = 'a key from "await importControlKey(...)", importPrivateKey or importPublicKey'
  throw wrongArgument(expected, key, 'key')
}

function wrongKey(message: string, options?: ErrorOptions): SigningError {
  return new SigningError('key', message, options)
}
