import type { VerificationKey } from './keys.ts'
import type { SignatureMethod } from './methods.ts'
import type { RefusalCode, VerificationStep } from './refusal.ts'
import type { Token } from './sign.ts'

/** A request as it was received. */
export interface RequestToVerify {
  readonly method: string
  /**
   * Absolute, as the caller signed it: from the configured public address, never from a proxy's
   * header.
   */
  readonly url: string | URL
  /** The header's value. A list of all its values, as `headersDistinct` of Node holds it, lets a second one be refused. */
  readonly authorization?: string | readonly string[] | null | undefined
  readonly contentType?: string | null | undefined
  /** The raw bytes. */
  readonly body: Uint8Array
}

/** Whose signatures are accepted. */
export interface Consumer {
  /**
   * The active keys, of any method; two at most of each, or a failure takes longer than for an
   * unknown login.
   */
  readonly keys: readonly VerificationKey[]
  readonly bodyHashRequired?: boolean
  /** Without it a request that carries an `oauth_token` is refused. */
  readonly token?: Token
}

/** What `spendNonce` is asked to remember. */
export interface NonceUse {
  readonly consumerKey: string
  readonly timestampSeconds: number
  readonly nonce: string
}

/** `replayed`: this use was seen before. `expired`: so old that uses of its time are forgotten. */
export type NonceOutcome = 'spent' | 'replayed' | 'expired'

/** What verification needs to know and to remember. */
export interface Verifier {
  findConsumer(consumerKey: string): Promise<Consumer | undefined> | Consumer | undefined
  /**
   * Called after a valid signature only; must be atomic. Only `spent` accepts the request; anything
   * but the three outcomes throws.
   */
  spendNonce(use: NonceUse): Promise<NonceOutcome> | NonceOutcome
  /** Seconds since 1970; the system's clock where it is absent. */
  readonly nowSeconds?: () => number
  /** How far a timestamp may lie from now, either way; 300 where it is absent. */
  readonly timestampToleranceSeconds?: number
  /** The methods that are taken; all where it is absent. */
  readonly methods?: readonly SignatureMethod[]
}

/** A request that is its consumer's own, with everything that led to that. */
export interface Verified {
  readonly ok: true
  readonly consumerKey: string
  readonly method: SignatureMethod
  /** The key that the signature was made with or for. */
  readonly key: VerificationKey
  readonly nonce: string
  readonly timestampSeconds: number
  readonly parameterString: string
  readonly baseString: string
}

/**
 * The step that failed, what was expected there, and the intermediates that were reached before.
 * Nothing in it is made with a key, but the strings hold the request's own values, card numbers
 * among them: mask before showing.
 */
export interface Refused {
  readonly ok: false
  readonly step: VerificationStep
  /** What was wrong, stable: decide by it. */
  readonly code: RefusalCode
  /** `expected` and `got` as one sentence. */
  readonly reason: string
  readonly expected: string
  /** What the request has instead: shortened, without signatures, keys or card numbers. */
  readonly got?: string
  readonly consumerKey?: string
  readonly parameterString?: string
  readonly baseString?: string
}

export type Verification = Verified | Refused
