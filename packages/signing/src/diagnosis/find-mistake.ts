import type { VerificationKey } from '../keys/keys.ts'
import { hmacEvidence } from './hmac-evidence.ts'
import type { Received } from './received.ts'
import { rsaEvidence } from './rsa-evidence.ts'
import { baseStringVariants, type Variant } from './variants.ts'

/** A request whose signature is wrong, and what is known about it. */
interface WrongSignature {
  readonly received: Received
  readonly keys: readonly VerificationKey[]
  /** The right base string. */
  readonly baseString: string
  /** The base string that the caller says she signed. */
  readonly claimed: string | undefined
  readonly pause: (() => Promise<void>) | undefined
}

/** A mistake, and the base string that was signed, if the mistake shows it. */
type Found = Omit<Variant, 'baseString'> & { readonly baseString?: string }

/** How many base strings are tried between two pauses. */
const PAUSED_VARIANTS = 16

/**
 * Finds the mistake that led to a wrong signature: in the base string, then in the key or the method, then in the base
 * string that the caller claims.
 */
export async function findMistake(wrong: WrongSignature): Promise<Found | undefined> {
  const { received, keys, baseString, claimed, pause } = wrong
  const { method, signature, consumerKey } = received.protocol
  const evidence =
    method === 'HMAC-SHA1'
      ? hmacEvidence(keys, signature, consumerKey)
      : await rsaEvidence(keys, signature)
  let claim: Variant | undefined
  let tried = 0
  for (const variant of baseStringVariants(received)) {
    if (await evidence.isOf(variant.baseString)) return variant
    if (!variant.secondCode) {
      const secondCode = await evidence.secondMistakeOf?.(variant.baseString)
      if (secondCode) return { ...variant, secondCode }
    }
    if (variant.baseString === claimed) claim = variant
    tried += 1
    if (tried % PAUSED_VARIANTS === 0) await pause?.()
  }
  const code = await evidence.mistakeOf(baseString)
  if (code) return { code, baseString }
  if (claim) return claim
  if (claimed === baseString) return { code: evidence.otherwise ?? 'key-other' }
  if (claimed !== undefined && (await evidence.isOf(claimed))) return { code: 'base-string-other' }
  return evidence.otherwise && { code: evidence.otherwise }
}
