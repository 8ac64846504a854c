import type { VerificationKey } from '../keys/keys.ts'
import type { SignatureMethod } from '../keys/methods.ts'
import { NONCE_KEPT_SECONDS } from '../refusals/limits.ts'
import type { RefusalCode, VerificationStep } from '../refusals/refusals.ts'

/** A request as the server received it. */
export interface RequestToVerify {
  readonly method: string
  /** Absolute, as the caller signed it. Build it from the configured public address, never from a proxy's header. */
  readonly url: string | URL
  /** The value of the header. Pass all its values, as Node's `headersDistinct` holds them, to refuse a second one. */
  readonly authorization?: string | readonly string[] | null | undefined
  readonly contentType?: string | null | undefined
  /** The raw bytes, before anything parses them. */
  readonly body: Uint8Array
}

/** A login, as `findConsumer` returns it. */
export interface Consumer {
  /**
   * The active keys for all methods. With more than two for one method, a failure takes longer than for an unknown
   * login.
   */
  readonly keys: readonly VerificationKey[]
  /** Whether to refuse a request without `oauth_body_hash`, unless it is a form. */
  readonly bodyHashRequired?: boolean
}

/** The nonce that `spendNonce` remembers. */
export interface NonceUse {
  readonly consumerKey: string
  readonly timestampSeconds: number
  readonly nonce: string
}

/** `replayed`: this nonce was spent before with this timestamp. `expired`: the nonces of this time are forgotten. */
export type NonceOutcome = 'spent' | 'replayed' | 'expired'

/** The logins, the nonce cache and the settings of `verify`. */
export interface Verifier {
  /** Returns a login, or undefined if it is unknown. */
  findConsumer(consumerKey: string): Promise<Consumer | undefined> | Consumer | undefined
  /**
   * Remembers a nonce, atomically. `verify` calls it only after a valid signature, and accepts the request only for
   * `spent`. Any value other than the three outcomes makes `verify` throw.
   */
  spendNonce(use: NonceUse): Promise<NonceOutcome> | NonceOutcome
  /** Seconds since 1970; by default the system's clock. */
  readonly nowSeconds?: () => number
  /** How far a timestamp may be from now, in both directions; by default 300. */
  readonly timestampToleranceSeconds?: number
  /** The accepted signature methods; by default all. */
  readonly methods?: readonly SignatureMethod[]
}

/** An accepted request, and every intermediate value. */
export interface Verified {
  readonly ok: true
  readonly consumerKey: string
  readonly method: SignatureMethod
  /** The login's key that verified the signature. */
  readonly key: VerificationKey
  readonly nonce: string
  readonly timestampSeconds: number
  readonly parameterString: string
  readonly baseString: string
}

/**
 * A refused request: the step that failed, and the intermediate values up to there. Nothing in it is computed with a
 * key. The strings hold values of the request, which may include card numbers: mask them before you show them.
 */
export interface Refused {
  readonly ok: false
  readonly step: VerificationStep
  /** Stable: let your code decide by it. */
  readonly code: RefusalCode
  /** `expected` and `got` as one sentence. */
  readonly reason: string
  readonly expected: string
  /** What the request has instead: truncated, without signatures, keys or card numbers. */
  readonly got?: string
  readonly consumerKey?: string
  readonly parameterString?: string
  readonly baseString?: string
}

export type Verification = Verified | Refused

/**
 * Creates a nonce cache in the memory of this process. It accepts each combination of login, timestamp and nonce once,
 * and forgets it 360 s after its timestamp.
 *
 * Use it for one process only. A second process, or a restarted one, does not know which nonces this one accepted.
 *
 * @param nowSeconds Seconds since 1970; by default the system's clock. Pass the function that the verifier has.
 * @example
 * const { spendNonce } = createMemoryNonces()
 * const timestampSeconds = Math.floor(Date.now() / 1000)
 * spendNonce({ consumerKey: 'merchant-login', timestampSeconds, nonce: 'n1' }) // 'spent'
 * spendNonce({ consumerKey: 'merchant-login', timestampSeconds, nonce: 'n1' }) // 'replayed'
 */
export function createMemoryNonces(nowSeconds = () => Date.now() / 1000): {
  readonly spendNonce: (use: NonceUse) => NonceOutcome
} {
  const bySecond = new Map<number, Set<string>>()
  // The clock may jump back, and the nonces up to this second are gone.
  let forgottenUpTo = Number.NEGATIVE_INFINITY
  return {
    spendNonce({ consumerKey, timestampSeconds, nonce }) {
      forgottenUpTo = Math.max(forgottenUpTo, Math.floor(nowSeconds()) - NONCE_KEPT_SECONDS)
      for (const second of bySecond.keys()) {
        if (second <= forgottenUpTo) bySecond.delete(second)
      }
      if (timestampSeconds <= forgottenUpTo) return 'expired'
      const nonces = bySecond.get(timestampSeconds) ?? new Set()
      const use = JSON.stringify([consumerKey, nonce])
      if (nonces.has(use)) return 'replayed'
      bySecond.set(timestampSeconds, nonces.add(use))
      return 'spent'
    },
  }
}
