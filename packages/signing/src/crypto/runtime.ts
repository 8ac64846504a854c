/** A hash by its WebCrypto name. */
export type Hash = 'SHA-1' | 'SHA-256'

/** A value that one runtime returns directly and another as a promise. Always await it. */
export type Eventually<T> = T | Promise<T>

/** An imported HMAC key. `mac` returns the code in base64. */
export interface Hmac {
  mac(text: string): Eventually<string>
}

/** The HMAC keys that one control key stands for. */
export interface HmacReadings {
  /** The key that signs. */
  readonly first: Hmac
  readonly second?: Hmac
}

/** The verifier of a public key, and its modulus: big-endian, as long as the key's signatures. */
export interface RsaVerification {
  readonly verifier: RsaVerifier
  readonly modulus: Uint8Array
}

/** An imported RSA private key, which makes RSASSA-PKCS1-v1_5 signatures. */
export interface RsaSigner {
  sign(text: string): Eventually<Uint8Array>
}

/** An imported RSA public key, which verifies RSASSA-PKCS1-v1_5 signatures. */
export interface RsaVerifier {
  verify(text: string, signature: Uint8Array): Eventually<boolean>
}

/**
 * Everything that differs between runtimes. `node.ts` implements it with `node:crypto`, `web.ts` with WebCrypto. Texts
 * are hashed and signed as UTF-8.
 */
export interface Runtime {
  hash(hash: Hash, bytes: Uint8Array): Eventually<Uint8Array>
  /** Compares two byte strings in a time that depends only on their lengths. */
  equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean
  encodeBase64(bytes: Uint8Array): string
  /** Decodes base64. For any other text the result is unspecified. */
  decodeBase64(text: string): Uint8Array
  /** Imports an HMAC key. A text is taken as UTF-8. */
  importHmac(hash: Hash, secret: string | Uint8Array): Eventually<Hmac>
  importRsaSigner(hash: Hash, pkcs8: Uint8Array): Eventually<RsaSigner>
  importRsaVerifier(hash: Hash, spki: Uint8Array): Eventually<RsaVerifier>
  /** Decrypts an encrypted PEM into PKCS#8. Absent if the runtime cannot. */
  readonly decryptPrivateKey?: (pem: string, passphrase: string) => Uint8Array
}
