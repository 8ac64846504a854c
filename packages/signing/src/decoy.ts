import { runtime } from '#crypto'
import type { Eventually, Hmac, RsaVerifier } from './crypto/runtime.ts'
import { writeSpki } from './rsa-key.ts'

const EXPONENT = Uint8Array.of(1, 0, 1)

const rsaDecoys = new Map<number, Eventually<RsaVerifier>>()
let hmacDecoy: Eventually<Hmac> | undefined

/** An HMAC key that nobody has. */
export function decoyHmac(): Eventually<Hmac> {
  hmacDecoy ??= runtime.importHmac('SHA-1', crypto.randomUUID())
  return hmacDecoy
}

/**
 * Costs what one RSA check costs, with a key of the signature's length that nobody has: a random
 * number as modulus costs the same. The signature's highest bit is cleared, for runtimes refuse one
 * above the modulus without work.
 */
export async function workAsRsa(baseString: string, signature: Uint8Array): Promise<void> {
  const below = signature.map((byte, index) => (index === 0 ? byte & 0x7f : byte))
  const decoy = rsaDecoys.get(signature.length) ?? importDecoy(signature.length)
  rsaDecoys.set(signature.length, decoy)
  await (await decoy).verify(baseString, below)
}

function importDecoy(byteCount: number): Eventually<RsaVerifier> {
  const modulus = crypto.getRandomValues(new Uint8Array(byteCount + 1))
  modulus[0] = 0
  modulus[1] = (modulus[1] ?? 0) | 0x80
  modulus[byteCount] = (modulus[byteCount] ?? 0) | 1
  return runtime.importRsaVerifier('SHA-256', writeSpki({ modulus, exponent: EXPONENT }))
}
