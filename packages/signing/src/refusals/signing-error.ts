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

/** The steps of verification, in order. */
export type VerificationStep =
  | 'header'
  | 'parameters'
  | 'timestamp'
  | 'nonce'
  | 'consumer'
  | 'body-hash'
  | 'signature'

/** Every refusal code with the step that refuses. The codes are stable. */
export const REFUSAL_STEPS = {
  'header-missing': 'header',
  'header-too-long': 'header',
  'header-scheme': 'header',
  'header-malformed': 'header',
  'header-encoding': 'header',
  'header-repeated': 'header',
  'header-parameters': 'header',
  'parameter-missing': 'header',
  'signature-method': 'header',
  'oauth-version': 'header',
  'signature-base64': 'header',
  'signature-length': 'header',
  url: 'parameters',
  'form-encoding': 'parameters',
  'query-encoding': 'parameters',
  'form-too-long': 'parameters',
  'too-many-parameters': 'parameters',
  'oauth-parameter': 'parameters',
  'timestamp-malformed': 'timestamp',
  'timestamp-unit': 'timestamp',
  'timestamp-range': 'timestamp',
  'timestamp-forgotten': 'timestamp',
  'nonce-malformed': 'nonce',
  'nonce-replayed': 'nonce',
  'consumer-unknown': 'consumer',
  'consumer-key-missing': 'consumer',
  token: 'consumer',
  'body-hash-missing': 'body-hash',
  'body-hash-with-form': 'body-hash',
  'body-hash-malformed': 'body-hash',
  'body-hash-mismatch': 'body-hash',
  'signature-key-length': 'signature',
  'json-as-form': 'signature',
  'signature-mismatch': 'signature',
} as const satisfies Record<string, VerificationStep>

/** Why a request is refused. */
export type RefusalCode = keyof typeof REFUSAL_STEPS

/** Why a request is refused, in parts that a program can use. */
export interface Fault {
  readonly code: RefusalCode
  /** What the verifier expected, as the end of a sentence. */
  readonly expected: string
  /** What the request has instead: truncated, without secrets, signatures or card numbers. */
  readonly got?: string
}

/** Writes a fault as one sentence. */
export function sentenceOf({ expected, got }: Omit<Fault, 'code'>): string {
  return got === undefined ? `expected ${expected}` : `expected ${expected}, got ${got}`
}

/** Creates the error for an argument of the wrong type. It names the type, never the value. */
export function wrongArgument(
  expected: string,
  value: unknown,
  code: SigningErrorCode = 'options',
): SigningError {
  return new SigningError(code, `expected ${expected}, got ${typeName(value)}`)
}

/** Throws `options` unless a value is a string. */
export function requireText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw wrongArgument(`${name} as a string`, value)
}

/** Throws `options` unless a value is an object other than an array. */
export function requireRecord(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongArgument(name, value)
  }
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  // "[object Map]": works across realms, and reads nothing of the value.
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (tag === 'Promise') return 'a Promise: await it first'
  if (tag === 'Object' || tag === 'Array') return `an ${tag.toLowerCase()}`
  return `a ${tag}`
}
