import { type Fault, sentenceOf } from './refusal.ts'

/**
 * What was wrong: `encoding` (percent, UTF-8, Unicode), `url`, `header` (Authorization),
 * `parameters` (repeated `oauth_*`, too many), `options` (an argument of the wrong type or value),
 * `key` (not the expected key), `key-too-short` (RSA under 2048 bits), `passphrase` (needed, wrong,
 * or this runtime cannot decrypt), `verifier` (what a `Verifier` returned breaks its contract).
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

/** The one error of this package; its message says what was expected, and never holds a secret. */
export class SigningError extends Error {
  override readonly name = 'SigningError'
  readonly code: SigningErrorCode
  /** The fault in parts, where a request is malformed. */
  readonly fault: Fault | undefined

  constructor(code: SigningErrorCode, problem: string | Fault, options?: ErrorOptions) {
    super(typeof problem === 'string' ? problem : sentenceOf(problem), options)
    this.code = code
    this.fault = typeof problem === 'string' ? undefined : problem
  }
}
