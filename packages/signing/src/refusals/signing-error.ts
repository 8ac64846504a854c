import { type Fault, sentenceOf } from './refusal.ts'

/**
 * What went wrong:
 *
 * - `encoding`: invalid percent sequences, UTF-8 or Unicode
 * - `url`: a malformed URL, or one that HTTP clients rewrite
 * - `header`: a malformed Authorization header
 * - `parameters`: too many, or `oauth_*` parameters that differ from the header's
 * - `options`: an argument of the wrong type or value
 * - `key`: not the expected key
 * - `key-too-short`: an RSA key under 2048 bits
 * - `passphrase`: missing or wrong, or this runtime cannot decrypt
 * - `verifier`: what a `Verifier` returned breaks its contract
 */
export type SigningErrorCode =
  | 'encoding'
  | 'url'
  | 'header'
  | 'parameters'
  | 'options'
  | 'key'
  | 'key-too-short'
  | 'passphrase'
  | 'verifier'

/**
 * The only error class of this package. Its message says what was expected, and never holds a secret.
 *
 * @example
 * const error = await importControlKey('').catch((cause) => cause)
 * error instanceof SigningError // true
 * error.code // 'key'
 */
export class SigningError extends Error {
  override readonly name = 'SigningError'
  readonly code: SigningErrorCode
  /** The fault in parts, if a request is malformed. */
  readonly fault: Fault | undefined

  constructor(code: SigningErrorCode, problem: string | Fault, options?: ErrorOptions) {
    super(typeof problem === 'string' ? problem : sentenceOf(problem), options)
    this.code = code
    this.fault = typeof problem === 'string' ? undefined : problem
  }
}
