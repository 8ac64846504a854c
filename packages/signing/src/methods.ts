import { runtime } from '#crypto'
import { encodeBase64 } from './base64.ts'
import { decoyHmac, workAsRsa } from './decoy.ts'
import {
  hmacReadings,
  rsaSigner,
  rsaVerification,
  type SigningKey,
  type VerificationKey,
} from './keys.ts'
import { RSA_BITS_MAX, RSA_BITS_MIN } from './limits.ts'
import { SigningError } from './signing-error.ts'

/** A signature method, as `oauth_signature_method` names it. */
export type SignatureMethod = SigningKey['method']

/** The names of the signature methods. */
export const SIGNATURE_METHODS: readonly SignatureMethod[] = ['HMAC-SHA1', 'RSA-SHA256']

/** One signature method: how it signs, and how its signatures are checked. */
export interface Method {
  /** The lengths that its signatures can have, in bytes. */
  readonly signatureBytes: { readonly min: number; readonly max: number }
  /**
   * Signs a base string, in base64; without a token its secret is empty. Throws `key` for a key of
   * another method.
   */
  sign(baseString: string, key: SigningKey, tokenSecret?: string): Promise<string>
  /**
   * Whether a signature of a possible length is the base string's by this key. Every false costs
   * the same: without a key, or for one of another method, the work is done with a decoy.
   */
  verify(
    baseString: string,
    signature: Uint8Array,
    key: VerificationKey | undefined,
    tokenSecret?: string,
  ): Promise<boolean>
}

/** The signature methods by name (RFC 5849, 3.4.2, and 3.4.3 with SHA-256). */
export const METHODS: Readonly<Record<SignatureMethod, Method>> = {
  'HMAC-SHA1': {
    signatureBytes: { min: 20, max: 20 },

    async sign(baseString, key, tokenSecret = '') {
      if (key.kind !== 'control') throw otherMethod('a control key, for HMAC-SHA1')
      const [reading] = await hmacReadings(key, tokenSecret)
      return await reading.mac(baseString)
    },

    async verify(baseString, signature, key, tokenSecret = '') {
      const readings = key?.kind === 'control' ? await hmacReadings(key, tokenSecret) : []
      for (const index of [0, 1]) {
        const reading = readings[index]
        const mac = await (reading ?? (await decoyHmac())).mac(baseString)
        const equal = runtime.equalInConstantTime(runtime.decodeBase64(mac), signature)
        if (equal && reading) return true
      }
      return false
    },
  },

  'RSA-SHA256': {
    signatureBytes: { min: RSA_BITS_MIN / 8, max: RSA_BITS_MAX / 8 },

    async sign(baseString, key) {
      if (key.kind !== 'private') throw otherMethod('an RSA private key, for RSA-SHA256')
      return encodeBase64(await rsaSigner(key).sign(baseString))
    },

    async verify(baseString, signature, key) {
      if (key?.kind === 'public') {
        const { verifier, modulus } = rsaVerification(key)
        if (isBelow(signature, modulus)) return await verifier.verify(baseString, signature)
      }
      await workAsRsa(baseString, signature)
      return false
    },
  },
}

/**
 * Whether a signature is a number below the modulus, both of one length and big-endian (RFC 8017,
 * 5.2.2). Runtimes refuse any other without work, which would tell an unknown login from a known
 * one.
 */
function isBelow(signature: Uint8Array, modulus: Uint8Array): boolean {
  if (signature.length !== modulus.length) return false
  const index = signature.findIndex((byte, at) => byte !== modulus[at])
  return (signature[index] ?? 0) < (modulus[index] ?? 0)
}

function otherMethod(expected: string): SigningError {
  return new SigningError('key', `expected ${expected}`)
}
