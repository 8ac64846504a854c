import { runtime } from '#crypto'
import { encodeBase64 } from '../base64.ts'
import { rsaNumbers, type VerificationKey } from '../keys.ts'
import type { Evidence } from './evidence.ts'
import { type Mistake, OTHER_MISTAKES } from './mistakes.ts'
import { RSA_MISTAKES } from './rsa-mistakes.ts'
import { type OpenedSignature, openSignature } from './rsa-signature.ts'

const UTF8 = new TextEncoder()

/**
 * Looks at a signature of RSA-SHA256 with the public keys of a login. The public operation is done once for each key.
 * After it, a base string costs one hash.
 */
export async function rsaEvidence(
  keys: readonly VerificationKey[],
  signature: Uint8Array,
): Promise<Evidence> {
  if (keys.length === 0) return NO_EVIDENCE
  const opened = await openWith(keys, signature)
  if (!opened) return certain(RSA_MISTAKES.otherKey)
  if (opened.padding === 'pss') return certain(RSA_MISTAKES.pss)
  const { hash, digest } = opened
  if (hash === undefined) return certain(RSA_MISTAKES.withoutName)
  if (hash !== 'SHA-256') {
    return certain(hash === 'SHA-1' ? RSA_MISTAKES.sha1 : RSA_MISTAKES.otherHash)
  }
  const isOf = async (text: string | Uint8Array) => {
    const bytes = typeof text === 'string' ? UTF8.encode(text) : text
    return runtime.equalInConstantTime(await runtime.hash('SHA-256', bytes), digest)
  }
  return {
    isOf,
    async mistakeOf(baseString) {
      const once = await runtime.hash('SHA-256', UTF8.encode(baseString))
      for (const text of [once, hexOf(once), encodeBase64(once)]) {
        if (await isOf(text)) return RSA_MISTAKES.hashSigned
      }
      return undefined
    },
    secondMistakeOf: async () => undefined,
    otherwise: OTHER_MISTAKES.text,
  }
}

async function openWith(
  keys: readonly VerificationKey[],
  signature: Uint8Array,
): Promise<OpenedSignature | undefined> {
  for (const key of keys) {
    const opened = key.kind === 'public' && (await openSignature(signature, rsaNumbers(key)))
    if (opened) return opened
  }
  return undefined
}

/** What a signature shows without a key. */
const NO_EVIDENCE: Evidence = {
  isOf: async () => false,
  mistakeOf: async () => undefined,
  secondMistakeOf: async () => undefined,
}

/** The evidence if the signature itself shows the mistake. */
function certain(mistake: Mistake): Evidence {
  return { ...NO_EVIDENCE, otherwise: mistake }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
