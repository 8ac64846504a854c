import { runtime } from '#crypto'
import type { Eventually, Hmac, RsaVerification } from './crypto/runtime.ts'
import { writeSpki } from './rsa-key.ts'

const EXPONENT = Uint8Array.of(1, 0, 1)

const rsaDecoys = new Map<number, Eventually<RsaVerification>>()
let hmacDecoy: Eventually<Hmac> | undefined

/** Returns an HMAC key that belongs to nobody. */
export function decoyHmac(): Eventually<Hmac> {
  hmacDecoy ??= runtime.importHmac('SHA-1', crypto.randomUUID())
  return hmacDecoy
}

/**
 * Returns an RSA key that belongs to nobody, for signatures of one length. Its modulus is a random number, with which
 * verification costs the same as with a real one.
 */
export function decoyRsa(byteCount: number): Eventually<RsaVerification> {
  const decoy = rsaDecoys.get(byteCount) ?? importRsa(byteCount)
  rsaDecoys.set(byteCount, decoy)
  return decoy
}

async function importRsa(byteCount: number): Promise<RsaVerification> {
  const integer = crypto.getRandomValues(new Uint8Array(byteCount + 1))
  integer[0] = 0
  integer[1] = (integer[1] ?? 0) | 0x80
  integer[byteCount] = (integer[byteCount] ?? 0) | 1
  const spki = writeSpki({ modulus: integer, exponent: EXPONENT })
  const verifier = await runtime.importRsaVerifier('SHA-256', spki)
  return { verifier, modulus: integer.subarray(1) }
}
