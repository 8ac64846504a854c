export type Hash = 'SHA-1' | 'SHA-256'

/** A value that one runtime returns directly and another as a promise. Always await it. */
export type Eventually<T> = T | Promise<T>

/** An imported HMAC key. `mac` returns the code in base64, which Node makes in one step. */
export interface Hmac {
  mac(text: string): Eventually<string>
}

/** An imported RSA private key, which makes RSASSA-PKCS1-v1_5 signatures. */
export interface RsaSigner {
  sign(text: string): Eventually<Uint8Array>
  /** The public key as SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
  readonly spki: Uint8Array
}

/** An imported RSA public key, which verifies RSASSA-PKCS1-v1_5 signatures. */
export interface RsaVerifier {
  verify(text: string, signature: Uint8Array): Eventually<boolean>
  /** The public key as SubjectPublicKeyInfo, as every runtime writes it. */
  readonly spki: Uint8Array
  /** The modulus and the exponent in base64url, as in a JSON Web Key (RFC 7518, 6.3.1). */
  readonly jwk: { readonly n?: string | undefined; readonly e?: string | undefined }
}

/** What differs between runtimes. Texts are UTF-8. Every import throws for bytes that hold no such key. */
export interface Runtime {
  hash(hash: Hash, bytes: Uint8Array): Eventually<Uint8Array>
  /** Compares two byte strings in a time that depends only on their lengths. */
  equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean
  encodeBase64(bytes: Uint8Array): string
  /** Decodes base64. For any other text the result is unspecified. */
  decodeBase64(text: string): Uint8Array
  /** Imports a key for HMAC-SHA1. A text is taken as UTF-8. */
  importHmac(secret: string | Uint8Array): Eventually<Hmac>
  /** Imports an RSA private key for SHA-256 (PKCS#8). */
  importRsaSigner(pkcs8: Uint8Array): Eventually<RsaSigner>
  /** Imports an RSA public key for SHA-256. */
  importRsaVerifier(spki: Uint8Array): Eventually<RsaVerifier>
  /** Decrypts an encrypted PEM into PKCS#8. Absent if the runtime cannot. */
  readonly decryptPrivateKey?: (pem: string, passphrase: string) => Uint8Array
  /** Returns the public key (SPKI) of an X.509 certificate in PEM. Absent if the runtime cannot. */
  readonly publicKeyOf?: (certificate: string) => Uint8Array
}
