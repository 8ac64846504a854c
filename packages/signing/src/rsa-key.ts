import { type Element, readElements, readSequence, TAG, writeElement } from './der.ts'
import { SigningError } from './signing-error.ts'

/**
 * The modulus and exponent of an RSA public key, as the contents of DER integers: big-endian, with a leading zero byte
 * if the first bit is set.
 */
export interface RsaNumbers {
  readonly modulus: Uint8Array
  readonly exponent: Uint8Array
}

/** A private key as PKCS#8, which every runtime imports, and its public numbers. */
export interface RsaPrivate extends RsaNumbers {
  readonly pkcs8: Uint8Array
}

const RSA_ENCRYPTION = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]
const ALGORITHM = writeElement(
  TAG.sequence,
  writeElement(TAG.objectIdentifier, Uint8Array.from(RSA_ENCRYPTION)),
  writeElement(TAG.null),
)
const ZERO = writeElement(TAG.integer, Uint8Array.of(0))

/** Reads a PKCS#1 private key (RFC 8017, A.1.2) and wraps it in PKCS#8, because WebCrypto imports nothing else. */
export function readPkcs1Private(der: Uint8Array): RsaPrivate {
  const [version, modulus, exponent, ...secrets] = readSequence(der) ?? []
  if (version?.content[0] !== 0 || !modulus || !exponent || secrets.length !== 6) {
    throw unexpectedShape('a PKCS#1 private key under the label RSA PRIVATE KEY', der)
  }
  return {
    pkcs8: writeElement(TAG.sequence, ZERO, ALGORITHM, writeElement(TAG.octetString, der)),
    ...numbers(modulus, exponent),
  }
}

/** Reads a PKCS#8 private key (RFC 5208, 5). */
export function readPkcs8Private(der: Uint8Array): RsaPrivate {
  const [version, algorithm, key] = readSequence(der) ?? []
  if (version?.tag !== TAG.integer || !algorithm || key?.tag !== TAG.octetString) {
    throw unexpectedShape('a PKCS#8 private key under the label PRIVATE KEY', der)
  }
  requireRsa(algorithm)
  return readPkcs1Private(key.content)
}

/** Reads a PKCS#1 public key (RFC 8017, A.1.1). */
export function readPkcs1Public(der: Uint8Array): RsaNumbers {
  const [modulus, exponent, ...more] = readSequence(der) ?? []
  if (modulus?.tag !== TAG.integer || exponent?.tag !== TAG.integer || more.length > 0) {
    throw unexpectedShape('a PKCS#1 public key under the label RSA PUBLIC KEY', der)
  }
  return numbers(modulus, exponent)
}

/** Reads a public key as SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
export function readSpki(der: Uint8Array): RsaNumbers {
  const [algorithm, key, ...more] = readSequence(der) ?? []
  if (algorithm?.tag !== TAG.sequence || key?.tag !== TAG.bitString || more.length > 0) {
    throw unexpectedShape('a public key (SPKI) under the label PUBLIC KEY', der)
  }
  requireRsa(algorithm)
  return readPkcs1Public(key.content.subarray(1))
}

/** Reads the public key of an X.509 certificate (RFC 5280, 4.1). It does not check the dates or the issuer. */
export function readCertificate(der: Uint8Array): RsaNumbers {
  const [signedPart] = readSequence(der) ?? []
  const fields = (signedPart && readElements(signedPart.content)) ?? []
  const spki = fields[fields[0]?.tag === TAG.explicit0 ? 6 : 5]
  if (!spki) throw unexpectedShape('an X.509 certificate under the label CERTIFICATE', der)
  return readSpki(spki.bytes)
}

/** Writes a public key as SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
export function writeSpki({ modulus, exponent }: RsaNumbers): Uint8Array {
  const key = writeElement(
    TAG.sequence,
    writeElement(TAG.integer, modulus),
    writeElement(TAG.integer, exponent),
  )
  return writeElement(TAG.sequence, ALGORITHM, writeElement(TAG.bitString, Uint8Array.of(0), key))
}

/** Returns the length of a modulus in bits. */
export function modulusBits({ modulus }: RsaNumbers): number {
  const first = modulus.findIndex((byte) => byte !== 0)
  return first === -1 ? 0 : (modulus.length - first) * 8 - (Math.clz32(modulus[first] ?? 0) - 24)
}

function numbers(modulus: Element, exponent: Element): RsaNumbers {
  const isOne = exponent.content.length === 1 && exponent.content[0] === 1
  if (!isOddPositive(modulus) || !isOddPositive(exponent) || isOne || exponent.content.length > 4) {
    throw unreadable('expected an RSA key with an odd modulus and an odd exponent from 3 to 2^31')
  }
  return { modulus: modulus.content, exponent: exponent.content }
}

function isOddPositive({ tag, content }: Element): boolean {
  return tag === TAG.integer && (content[0] ?? 0x80) < 0x80 && (content.at(-1) ?? 0) % 2 === 1
}

function requireRsa(algorithm: Element): void {
  const [identifier] = readElements(algorithm.content) ?? []
  const isRsa =
    identifier?.content.length === RSA_ENCRYPTION.length &&
    RSA_ENCRYPTION.every((byte, index) => identifier.content[index] === byte)
  if (!isRsa)
    throw unreadable('expected an RSA key (rsaEncryption), got a key of another algorithm')
}

/** Creates the error for bytes of another kind. The message names the kind if it is a known one. */
function unexpectedShape(expected: string, der: Uint8Array): SigningError {
  const shape = readSequence(der)?.map(({ tag }) => tag) ?? []
  const knownShape = KNOWN_SHAPES.find(({ tags }) =>
    tags.every((tag, index) => shape[index] === tag),
  )
  return unreadable(`expected ${expected}, got ${knownShape?.name ?? 'other or damaged bytes'}`)
}

const { integer, sequence, octetString, bitString } = TAG
const KNOWN_SHAPES = [
  { name: 'PKCS#8: its label is PRIVATE KEY', tags: [integer, sequence, octetString] },
  { name: 'PKCS#1 private: its label is RSA PRIVATE KEY', tags: [integer, integer, integer] },
  { name: 'an elliptic-curve key', tags: [integer, octetString] },
  { name: 'PKCS#1 public: its label is RSA PUBLIC KEY', tags: [integer, integer] },
  { name: 'SPKI: its label is PUBLIC KEY', tags: [sequence, bitString] },
  { name: 'a certificate: its label is CERTIFICATE', tags: [sequence, sequence, bitString] },
  { name: 'an encrypted key: its label is ENCRYPTED PRIVATE KEY', tags: [sequence, octetString] },
]

function unreadable(message: string): SigningError {
  return new SigningError('key', message)
}
