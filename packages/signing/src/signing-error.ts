/**
 * What was wrong: `encoding` (percent, UTF-8, Unicode), `url`, `header` (Authorization),
 * `parameters` (repeated `oauth_*`, body hash on a form), `options` (of `sign`), `key` (not the key
 * that was expected), `key-too-short` (RSA under 2048 bits), `passphrase` (needed, wrong, or this
 * runtime cannot decrypt), `verifier` (what a `Verifier` returned breaks its contract).
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

  constructor(code: SigningErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
