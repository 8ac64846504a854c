/** A hash by its WebCrypto name. */
export type Hash = 'SHA-1' | 'SHA-256'

/** A value that some runtimes have at once and others later: always awaited. */
export type Eventually<T> = T | Promise<T>

/** An imported HMAC key, ready to use again and again; its codes come as base64. */
export interface Hmac {
  mac(text: string): Eventually<string>
}

/**
 * The HMAC keys that one control key stands for. There are always two, so that every check costs the
 * same: the second is a decoy where `count` is 1, and both are where it is 0.
 */
export interface HmacReadings {
  /** The one that signs. */
  readonly first: Hmac
  readonly second: Hmac
  readonly count: 0 | 1 | 2
}

/** What verifies for a public key, with its modulus: big-endian, as long as its signatures. */
export interface RsaVerification {
  readonly verifier: RsaVerifier
  readonly modulus: Uint8Array
}

/** An imported RSA private key that makes RSASSA-PKCS1-v1_5 signatures. */
export interface RsaSigner {
  sign(text: string): Eventually<Uint8Array>
}

/** An imported RSA public key that checks RSASSA-PKCS1-v1_5 signatures. */
export interface RsaVerifier {
  verify(text: string, signature: Uint8Array): Eventually<boolean>
}

/**
 * What this package needs of a runtime, and all that differs between them: `node.ts` where there is
 * `node:crypto`, `web.ts` elsewhere. Texts are hashed and signed as UTF-8.
 */
export interface Runtime {
  hash(hash: Hash, bytes: Uint8Array): Eventually<Uint8Array>
  /** Whether two byte strings are equal, in a time that depends on their lengths alone. */
  equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean
  encodeBase64(bytes: Uint8Array): string
  /** The bytes of a base64 text; what is no base64 may give any bytes, or none. */
  decodeBase64(text: string): Uint8Array
  importHmac(hash: Hash, secret: string): Eventually<Hmac>
  importRsaSigner(hash: Hash, pkcs8: Uint8Array): Eventually<RsaSigner>
  importRsaVerifier(hash: Hash, spki: Uint8Array): Eventually<RsaVerifier>
  /** Decrypts a private key's PEM into PKCS#8; absent where the runtime cannot. */
  readonly decryptPrivateKey?: (pem: string, passphrase: string) => Uint8Array
}
