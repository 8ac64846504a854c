import { runtime } from '#crypto'
import { hexOf } from '../keys/base64.ts'
import { controlKeyText, numbersOf, type VerificationKey, verifierOf } from '../keys/keys.ts'
import { METHODS } from '../keys/methods.ts'
import { VARIANT_CHARACTERS_MAX } from '../refusals/limits.ts'
import { isMistakeCode, type MistakeCode, PAIRS, SIGNED, type Table } from './mistakes.ts'
import { buildBaseString, type Received, type Recipe, rightRecipe } from './recipe.ts'

/** What a caller may have signed, and the mistakes that lead to it: one, or two. */
export interface Candidate {
  readonly code: MistakeCode
  readonly secondCode?: MistakeCode
  readonly baseString: string
  readonly recipe: Recipe
}

/** Yields what callers sign by one mistake, then by two. Each candidate differs from every other, and none is right. */
export function* candidatesOf(received: Received): Generator<Candidate, void> {
  const right = rightRecipe(received)
  const built = new Set([buildBaseString(right)])
  let characters = 0

  /** Makes each mistake of a table: in all its ways, or in the usual one, which is the first that this request has. */
  function* vary(table: Table, from: Recipe, isUsual: boolean): Generator<Candidate, void> {
    for (const [code, [, , , ...ways]] of Object.entries(table)) {
      if (!isMistakeCode(code)) continue
      for (const way of ways) {
        if (characters > VARIANT_CHARACTERS_MAX) return
        const candidate = attempt(() => {
          const change = typeof way === 'function' ? way(from, received) : way
          const recipe = { ...from, ...change }
          return { code, baseString: buildBaseString(recipe), recipe }
        })
        if (!candidate) continue
        characters += candidate.baseString.length
        const { keysOf } = candidate.recipe
        const text = candidate.baseString + (keysOf ? `\nkeys ${String(keysOf('Key'))}` : '')
        if (built.has(text)) continue
        built.add(text)
        yield candidate
        if (isUsual) break
      }
    }
  }

  const usual = new Map<Table, Map<string, Candidate>>()
  for (const table of SIGNED) {
    const firsts = new Map<string, Candidate>()
    usual.set(table, firsts)
    for (const candidate of vary(table, right, false)) {
      if (!firsts.has(candidate.code)) firsts.set(candidate.code, candidate)
      yield candidate
    }
  }
  for (const [table, secondTable] of PAIRS) {
    for (const { code, recipe } of usual.get(table)?.values() ?? []) {
      for (const second of vary(secondTable, recipe, true)) {
        if (second.code !== code) yield { ...second, code, secondCode: second.code }
      }
    }
  }
}

interface Evidence {
  /** Whether one of the keys made the signature of a base string: the right key, or one that a recipe makes of it. */
  isOf(baseString: string, keysOf?: Recipe['keysOf']): Promise<boolean>
  /** The mistake if no other is found, because the signature itself shows it. */
  readonly otherwise?: MistakeCode
}

interface WrongSignature {
  readonly received: Received
  readonly keys: readonly VerificationKey[]
  /** The right base string. */
  readonly baseString: string
  /** The base string that the caller says she signed. */
  readonly claimed: string | undefined
  readonly pause: (() => Promise<void>) | undefined
}

const PAUSED_CANDIDATES = 16

/** Finds the mistake that led to a wrong signature, and the base string that was signed, if the mistake shows it. */
export async function findMistake(
  wrong: WrongSignature,
): Promise<(Partial<Candidate> & Pick<Candidate, 'code'>) | undefined> {
  const { received, keys, baseString, claimed, pause } = wrong
  const { method, signature } = received.protocol
  const evidence =
    method === 'HMAC-SHA1' ? hmacEvidence(keys, signature) : rsaEvidence(keys, signature)
  let claim: Candidate | undefined
  let tried = 0
  for (const candidate of candidatesOf(received)) {
    const { keysOf } = candidate.recipe
    if (await evidence.isOf(candidate.baseString, keysOf)) return candidate
    if (candidate.baseString === claimed && claimed !== baseString && !keysOf) claim ??= candidate
    tried += 1
    if (tried % PAUSED_CANDIDATES === 0) await pause?.()
  }
  if (claim) return claim
  if (claimed === baseString) return { code: evidence.otherwise ?? 'key-other' }
  if (claimed !== undefined && (await evidence.isOf(claimed))) return { code: 'base-string-other' }
  return evidence.otherwise && { code: evidence.otherwise }
}

function hmacEvidence(keys: readonly VerificationKey[], signature: Uint8Array): Evidence {
  return {
    async isOf(baseString, keysOf) {
      for (const key of keys) {
        if (key.kind !== 'control') continue
        if (!keysOf && (await METHODS['HMAC-SHA1'].verify(baseString, signature, key))) return true
        for (const secret of keysOf?.(controlKeyText(key)) ?? []) {
          const code = await (await runtime.importHmac(secret)).mac(baseString)
          if (runtime.equalInConstantTime(runtime.decodeBase64(code), signature)) return true
        }
      }
      return false
    },
  }
}

/** What stands before the digest in a signature of RSASSA-PKCS1-v1_5: the name of the hash (RFC 8017, 9.2, note 1). */
const SHA_256_NAME = '3031300d060960864801650304020105000420'

/** The public operation is done once for each key. After it, a base string costs one hash. */
function rsaEvidence(keys: readonly VerificationKey[], signature: Uint8Array): Evidence {
  const contents = keys.flatMap((key) => {
    if (key.kind !== 'public' || signature.length !== Math.ceil(key.bits / 8)) return []
    return pkcs1Content(power(signature, ...numbersOf(verifierOf(key).verifier))) ?? []
  })
  const [content] = contents
  const digest = content?.startsWith(SHA_256_NAME) ? content.slice(SHA_256_NAME.length) : undefined
  const utf8 = new TextEncoder()
  return {
    async isOf(baseString) {
      return digest === hexOf(await runtime.hash('SHA-256', utf8.encode(baseString)))
    },
    ...(keys.length > 0 && {
      otherwise:
        content === undefined ? 'rsa-other-key' : digest ? 'base-string-other' : 'rsa-other-hash',
    }),
  }
}

/** Computes signature^exponent modulo the modulus in hex (RFC 8017, 5.2.2). These values are public. */
function power(signature: Uint8Array, modulus: Uint8Array, exponent: Uint8Array): string {
  const [n, base] = [BigInt(`0x${hexOf(modulus)}`), BigInt(`0x${hexOf(signature)}`)]
  let result = 1n
  for (const bit of BigInt(`0x${hexOf(exponent)}`).toString(2)) {
    result = (result * result) % n
    if (bit === '1') result = (result * base) % n
  }
  return result.toString(16).padStart(signature.length * 2, '0')
}

/** Returns what follows `00 01 FF ... FF 00` in a block (RFC 8017, 9.2). */
function pkcs1Content(block: string): string | undefined {
  return /^0001(?:ff){8,}00((?:..)*)$/.exec(block)?.[1]
}

function attempt<T>(build: () => T): T | undefined {
  try {
    return build()
  } catch {
    // Text that this mistake cannot encode or decode: nobody can have made it with this request.
    return undefined
  }
}
