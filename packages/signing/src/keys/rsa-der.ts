// Runtimes import PKCS#8 and SPKI. These functions turn the other forms of RSA keys into them.

const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const SEQUENCE = 0x30

/** The algorithm rsaEncryption (RFC 8017, A.1). */
const ALGORITHM = Uint8Array.from([
  0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
])
const VERSION_0 = Uint8Array.of(INTEGER, 1, 0)

/** Wraps a PKCS#1 private key in PKCS#8 (RFC 5208, 5). */
export function wrapPrivateKey(pkcs1: Uint8Array): Uint8Array {
  return element(SEQUENCE, VERSION_0, ALGORITHM, element(OCTET_STRING, pkcs1))
}

/** Wraps a PKCS#1 public key in SPKI (RFC 5280, 4.1.2.7). */
export function wrapPublicKey(pkcs1: Uint8Array): Uint8Array {
  return element(SEQUENCE, ALGORITHM, element(BIT_STRING, Uint8Array.of(0), pkcs1))
}

/** Writes a public key as SPKI. The numbers are big-endian, with a leading zero byte if the first bit is set. */
export function writePublicKey(modulus: Uint8Array, exponent: Uint8Array): Uint8Array {
  return wrapPublicKey(element(SEQUENCE, element(INTEGER, modulus), element(INTEGER, exponent)))
}

/**
 * Finds the RSA public key in an X.509 certificate: the SPKI is the one sequence of the algorithm and a bit string. Does
 * not check the dates or the issuer. Returns no bytes for any other certificate.
 */
export function findPublicKey(certificate: Uint8Array): Uint8Array {
  const sought = [...ALGORITHM, BIT_STRING]
  for (let at = 5; at < certificate.length - sought.length; at += 1) {
    if (!sought.every((byte, index) => certificate[at + index] === byte)) continue
    // A key of 2048 bits or more has two bytes of length: 30 82 xx xx.
    const length = (certificate[at - 2] ?? 0) * 256 + (certificate[at - 1] ?? 0)
    return certificate.subarray(at - 4, at + length)
  }
  return new Uint8Array()
}

/** Writes an element of DER: the tag, the length, and the parts of its content (X.690, 8.1). */
function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = parts.flatMap((part) => [...part])
  const { length } = content
  if (length < 128) return Uint8Array.of(tag, length, ...content)
  if (length < 256) return Uint8Array.of(tag, 0x81, length, ...content)
  return Uint8Array.of(tag, 0x82, length >> 8, length & 0xff, ...content)
}
