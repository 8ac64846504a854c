import type { VerificationKey } from '../keys.ts'
import { parseAuthorization } from '../header.ts'
import { type ProtocolParameters, readProtocolParameters } from '../protocol-parameters.ts'
import type { RequestToVerify } from '../verifier.ts'
import type { Evidence } from './evidence.ts'
import { hmacEvidence } from './hmac-evidence.ts'
import { type Mistake, OTHER_MISTAKES } from './mistakes.ts'
import type { Received } from './received.ts'
import { rsaEvidence } from './rsa-evidence.ts'
import { baseStringVariants, type Variant } from './variants.ts'

/** A request whose signature is wrong, and what is known about it. */
interface WrongSignature {
  readonly request: RequestToVerify
  readonly received: Received
  readonly keys: readonly VerificationKey[]
  /** The right base string. */
  readonly baseString: string
  /** The base string that the caller says she signed. */
  readonly claimed: string | undefined
  readonly pause: () => Promise<void>
}

interface Found {
  readonly mistake: Mistake
  readonly secondMistake?: Mistake
  /** The base string that was signed, if the mistake shows it. */
  readonly signedBaseString?: string
}

/** How many base strings are tried between two pauses. */
const PAUSED_VARIANTS = 16

/**
 * Finds the mistake that led to a wrong signature: in the base string, then in the key or the method, then in the base
 * string that the caller claims.
 */
export async function findMistake(wrong: WrongSignature): Promise<Found | undefined> {
  const { baseString, claimed } = wrong
  const evidence = await evidenceOf(protocolOf(wrong.request), wrong.keys)
  const { signed, claim } = await findVariants(wrong, evidence)
  if (signed) return found(signed)
  const mistake = await evidence.mistakeOf(baseString)
  if (mistake) return { mistake, signedBaseString: baseString }
  if (claim) return found(claim)
  if (claimed === baseString) return { mistake: evidence.otherwise ?? OTHER_MISTAKES.key }
  if (claimed !== undefined && (await evidence.isOf(claimed))) {
    return { mistake: OTHER_MISTAKES.text }
  }
  return evidence.otherwise && { mistake: evidence.otherwise }
}

function protocolOf({ authorization }: RequestToVerify): ProtocolParameters {
  const { parameters } = parseAuthorization([authorization ?? ''].flat()[0] ?? '')
  return readProtocolParameters(parameters)
}

async function evidenceOf(
  { method, signature, consumerKey }: ProtocolParameters,
  keys: readonly VerificationKey[],
): Promise<Evidence> {
  if (method === 'HMAC-SHA1') return hmacEvidence(keys, signature, consumerKey)
  return await rsaEvidence(keys, signature)
}

/** Finds the variant that the signature is of, or else the one that the caller claims. */
async function findVariants(
  { received, claimed, pause }: WrongSignature,
  evidence: Evidence,
): Promise<{ readonly signed?: Variant; readonly claim?: Variant }> {
  let claim: Variant | undefined
  let tried = 0
  for (const variant of baseStringVariants(received)) {
    if (await evidence.isOf(variant.baseString)) return { signed: variant }
    if (!variant.secondMistake) {
      const secondMistake = await evidence.secondMistakeOf(variant.baseString)
      if (secondMistake) return { signed: { ...variant, secondMistake } }
    }
    if (variant.baseString === claimed) claim = variant
    tried += 1
    if (tried % PAUSED_VARIANTS === 0) await pause()
  }
  return claim ? { claim } : {}
}

function found({ mistake, secondMistake, baseString }: Variant): Found {
  return { mistake, ...(secondMistake && { secondMistake }), signedBaseString: baseString }
}
