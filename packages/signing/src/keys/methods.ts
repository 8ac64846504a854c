import { runtime } from '#crypto'
import type { Eventually, Hmac } from '../crypto/runtime.ts'
import { RSA_BITS_MAX, RSA_BITS_MIN } from '../refusals/limits.ts'
import {
  hmacsOf,
  type RsaVerification,
  type SigningKey,
  type VerificationKey,
  verifierOf,
} from './keys.ts'
import { writePublicKey } from './pem.ts'

/** A signature method, as `oauth_signature_method` names it. */
export type SignatureMethod = SigningKey['method']

/** The names of the signature methods. */
export const SIGNATURE_METHODS: readonly SignatureMethod[] = ['HMAC-SHA1', 'RSA-SHA256']

interface Method {
  /** The possible lengths of a signature, in bytes. */
  readonly signatureBytes: { readonly min: number; readonly max: number }
  /** Whether `key` made the signature. Without a key of this method, a decoy key is compared. */
  verify(
    baseString: string,
    signature: Uint8Array,
    key: VerificationKey | undefined,
  ): Promise<boolean>
}

/** The signature methods by name (RFC 5849, 3.4.2, and 3.4.3 with SHA-256). */
export const METHODS: Readonly<Record<SignatureMethod, Method>> = {
  'HMAC-SHA1': {
    signatureBytes: { min: 20, max: 20 },

    async verify(baseString, signature, key) {
      const own = key?.kind === 'control'
      const hmacs = own ? hmacsOf(key) : [await decoyHmac()]
      for (const hmac of hmacs) {
        const code = runtime.decodeBase64(await hmac.mac(baseString))
        if (runtime.equalInConstantTime(code, signature)) return own
      }
      return false
    },
  },

  'RSA-SHA256': {
    signatureBytes: { min: RSA_BITS_MIN / 8, max: RSA_BITS_MAX / 8 },

    async verify(baseString, signature, key) {
      const own = key?.kind === 'public' ? verifierOf(key) : undefined
      const fits = own?.modulus.length === signature.length
      const { verifier, modulus } = fits ? own : await decoyRsa(signature.length)
      const below = isBelow(signature, modulus)
      // A runtime refuses a number above the modulus without the RSA work, so the time would tell an unknown login from
      // a known one. Clear the first byte of such a signature, verify it, and refuse it in the end.
      const checked = new Uint8Array(signature)
      if (!below) checked[0] = 0
      const isValid = await verifier.verify(baseString, checked)
      return isValid && below && fits
    },
  },
}

/** Whether a signature is below the modulus (RFC 8017, 5.2.2). Both are big-endian and have the same length. */
function isBelow(signature: Uint8Array, modulus: Uint8Array): boolean {
  const index = signature.findIndex((byte, at) => byte !== modulus[at])
  return (signature[index] ?? 0) < (modulus[index] ?? 0)
}

let hmacDecoy: Eventually<Hmac> | undefined
const rsaDecoys = new Map<number, Promise<RsaVerification>>()

/** Returns an HMAC key that belongs to nobody. */
function decoyHmac(): Eventually<Hmac> {
  hmacDecoy ??= runtime.importHmac(crypto.randomUUID())
  return hmacDecoy
}

/** Returns an RSA key that belongs to nobody, for signatures of one length. Its modulus is a random odd number. */
function decoyRsa(byteCount: number): Promise<RsaVerification> {
  const decoy = rsaDecoys.get(byteCount) ?? importDecoyRsa(byteCount)
  rsaDecoys.set(byteCount, decoy)
  return decoy
}

async function importDecoyRsa(byteCount: number): Promise<RsaVerification> {
  const modulus = crypto.getRandomValues(new Uint8Array(byteCount)).fill(0xff, 0, 1).fill(1, -1)
  const spki = writePublicKey(Uint8Array.of(0, ...modulus), Uint8Array.of(1, 0, 1))
  return { verifier: await runtime.importRsaVerifier(spki), modulus }
}
