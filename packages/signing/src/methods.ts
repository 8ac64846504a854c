import { runtime } from '#crypto'
import { encodeBase64 } from './base64.ts'
import { decoyHmac, decoyRsa } from './decoy.ts'
import {
  hmacReadings,
  rsaSigner,
  rsaVerification,
  type SigningKey,
  type VerificationKey,
} from './keys.ts'
import { RSA_BITS_MAX, RSA_BITS_MIN } from './limits.ts'
import { requireText, wrongArgument } from './wrong-argument.ts'

/** A signature method, as `oauth_signature_method` names it. */
export type SignatureMethod = SigningKey['method']

/** The names of the signature methods. */
export const SIGNATURE_METHODS: readonly SignatureMethod[] = ['HMAC-SHA1', 'RSA-SHA256']

/** A signature method: signs, and verifies signatures. */
export interface Method {
  /** The possible lengths of a signature, in bytes. */
  readonly signatureBytes: { readonly min: number; readonly max: number }
  /**
   * Signs a text as UTF-8. A base string is ASCII.
   *
   * @param tokenSecret Empty by default. RSA-SHA256 ignores it.
   * @returns The signature in base64.
   * @throws {SigningError} `key` for a key of another method; `options` if the text is not a string.
   */
  sign(baseString: string, key: SigningKey, tokenSecret?: string): Promise<string>
  /**
   * Whether `key` made the signature of the base string. Without a key, or with a key of another method, a decoy key is
   * compared.
   *
   * @param signature Its length must be within {@link Method.signatureBytes}.
   */
  verify(
    baseString: string,
    signature: Uint8Array,
    key: VerificationKey | undefined,
    tokenSecret?: string,
  ): Promise<boolean>
}

/**
 * The signature methods by name (RFC 5849, 3.4.2, and 3.4.3 with SHA-256).
 *
 * @example
 * const key = await importControlKey('control-key')
 * await METHODS['HMAC-SHA1'].sign('POST&https%3A%2F%2Fexample.com%2Fb&a%3D1', key)
 * // 'qCl57wMIqvB3v583qNZHh3FcZjE='
 */
export const METHODS: Readonly<Record<SignatureMethod, Method>> = {
  'HMAC-SHA1': {
    signatureBytes: { min: 20, max: 20 },

    async sign(baseString, key, tokenSecret = '') {
      requireText(baseString, 'the text to sign')
      if (key?.kind !== 'control') {
        throw wrongArgument('a control key for HMAC-SHA1: await importControlKey(...)', key, 'key')
      }
      const { first } = await hmacReadings(key, tokenSecret)
      return await first.mac(baseString)
    },

    async verify(baseString, signature, key, tokenSecret = '') {
      const own = key?.kind === 'control' ? await hmacReadings(key, tokenSecret) : undefined
      const { first, second } = own ?? { first: await decoyHmac() }
      if (isCode(await first.mac(baseString), signature)) return own !== undefined
      return second !== undefined && isCode(await second.mac(baseString), signature)
    },
  },

  'RSA-SHA256': {
    signatureBytes: { min: RSA_BITS_MIN / 8, max: RSA_BITS_MAX / 8 },

    async sign(baseString, key) {
      requireText(baseString, 'the text to sign')
      if (key?.kind !== 'private') {
        throw wrongArgument('a private key for RSA-SHA256: await importPrivateKey(...)', key, 'key')
      }
      return encodeBase64(await rsaSigner(key).sign(baseString))
    },

    async verify(baseString, signature, key) {
      const own = key?.kind === 'public' ? rsaVerification(key) : undefined
      const fits = own?.modulus.length === signature.length
      const { verifier, modulus } = await (fits ? own : decoyRsa(signature.length))
      const below = isBelow(signature, modulus)
      // A runtime refuses a number above the modulus without doing the work, so the time would tell an unknown login
      // from a known one. Clear the first byte of such a signature, verify it, and refuse it in the end.
      const checked = new Uint8Array(signature)
      if (!below) checked[0] = 0
      const isValid = await verifier.verify(baseString, checked)
      return isValid && below && fits
    },
  },
}

/**
 * Whether a signature is a number below the modulus (RFC 8017, 5.2.2). Both are big-endian and have the same length.
 */
function isBelow(signature: Uint8Array, modulus: Uint8Array): boolean {
  const index = signature.findIndex((byte, at) => byte !== modulus[at])
  return (signature[index] ?? 0) < (modulus[index] ?? 0)
}

function isCode(mac: string, signature: Uint8Array): boolean {
  return runtime.equalInConstantTime(runtime.decodeBase64(mac), signature)
}
