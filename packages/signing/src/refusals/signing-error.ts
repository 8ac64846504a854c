import { type Fault, makeFault, type RefusalCode, sentenceOf } from './refusals.ts'

/**
 * What went wrong: the code of a refusal for a malformed request, or
 *
 * - `encoding`: invalid percent sequences, UTF-8 or Unicode
 * - `options`: an argument of the wrong type or value
 * - `key`: not the expected key
 * - `key-too-short`: an RSA key under 2048 bits
 * - `passphrase`: missing or wrong, or this runtime cannot decrypt
 */
export type SigningErrorCode =
  | RefusalCode
  | 'encoding'
  | 'options'
  | 'key'
  | 'key-too-short'
  | 'passphrase'

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

  constructor(code: SigningErrorCode, message: string, options?: ErrorOptions, fault?: Fault) {
    super(message, options)
    this.code = code
    this.fault = fault
  }
}

/** Creates the error for a malformed request. */
export function malformed(
  code: RefusalCode,
  expected: string,
  got?: string,
  options?: ErrorOptions,
): SigningError {
  const fault = makeFault(code, expected, got)
  return new SigningError(code, sentenceOf(fault), options, fault)
}

/** Creates the error for an argument of the wrong type. It names the type, never the value. */
export function wrongArgument(
  expected: string,
  value: unknown,
  code: SigningErrorCode = 'options',
): SigningError {
  const got = value instanceof Promise ? 'a Promise: await it first' : typeof value
  return new SigningError(code, `expected ${expected}, got ${got}`)
}
