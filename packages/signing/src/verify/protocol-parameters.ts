import { decodeBase64 } from '../keys/base64.ts'
import { NONCE_CHARACTERS_MAX, NONCE_CHARACTERS_MIN } from '../refusals/limits.ts'
import { METHODS, SIGNATURE_METHODS, type SignatureMethod } from '../keys/methods.ts'
import type { Parameter } from '../parameters/parameter.ts'
import type { RefusalCode } from '../refusals/refusal.ts'
import { showValue } from '../refusals/show-value.ts'
import { SigningError } from '../refusals/signing-error.ts'

/** The `oauth_*` parameters of a request, with their syntax checked. */
export interface ProtocolParameters {
  readonly consumerKey: string
  readonly method: SignatureMethod
  readonly nonce: string
  /** As text. A later step checks its syntax. */
  readonly timestamp: string
  readonly signature: Uint8Array
  readonly token: string | undefined
  readonly bodyHash: string | undefined
}

const NONCE = new RegExp(`^[\\x21-\\x7e]{${NONCE_CHARACTERS_MIN},${NONCE_CHARACTERS_MAX}}$`)
const TIMESTAMP = /^[1-9][0-9]{0,11}$/

/** The syntax of a nonce, for messages. */
export const NONCE_FORM = `${NONCE_CHARACTERS_MIN} to ${NONCE_CHARACTERS_MAX} visible ASCII characters`

/** Whether a text has the syntax of a nonce. */
export function isNonce(text: string): boolean {
  return NONCE.test(text)
}

/** Whether a text is a timestamp: whole seconds in decimal, without a sign or leading zeros. */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text)
}

/**
 * Reads the parameters that every Authorization header must have; `oauth_version` is optional (RFC 5849, 3.1). Throws
 * `header`.
 */
export function readProtocolParameters(
  parameters: readonly Parameter[],
  methods: readonly SignatureMethod[] = SIGNATURE_METHODS,
): ProtocolParameters {
  const methodName = required(parameters, 'oauth_signature_method')
  const method = SIGNATURE_METHODS.find((name) => name === methodName)
  if (!method) {
    const expected = `oauth_signature_method to be ${methods.join(' or ')}`
    fail('signature-method', expected, showValue(methodName))
  }
  const version = find(parameters, 'oauth_version') ?? '1.0'
  if (version !== '1.0') {
    fail('oauth-version', 'oauth_version to be 1.0, or absent', showValue(version))
  }
  return {
    consumerKey: required(parameters, 'oauth_consumer_key'),
    method,
    nonce: required(parameters, 'oauth_nonce'),
    timestamp: required(parameters, 'oauth_timestamp'),
    signature: readSignature(required(parameters, 'oauth_signature'), method),
    token: find(parameters, 'oauth_token'),
    bodyHash: find(parameters, 'oauth_body_hash'),
  }
}

function required(parameters: readonly Parameter[], name: string): string {
  const value = find(parameters, name)
  if (value) return value
  const got = value === undefined ? 'none' : 'an empty one'
  return fail('parameter-missing', `${name} in the header, with a value`, got)
}

function find(parameters: readonly Parameter[], name: string): string | undefined {
  for (const parameter of parameters) {
    if (parameter[0] === name) return parameter[1]
  }
  return undefined
}

function readSignature(text: string, methodName: SignatureMethod): Uint8Array {
  const bytes = decodeBase64(text)
  if (!bytes) fail('signature-base64', 'oauth_signature in canonical base64', describeText(text))
  const { min, max } = METHODS[methodName].signatureBytes
  if (bytes.length < min || bytes.length > max) {
    const range = min === max ? `${min}` : `${min} to ${max}`
    const hex = /^[0-9a-f]+$/i.test(text) ? ' (it looks like hex)' : ''
    const expected = `oauth_signature of ${range} bytes for ${methodName}`
    fail('signature-length', expected, `${bytes.length} bytes${hex}`)
  }
  return bytes
}

/** Describes a text that is not canonical base64 without showing any of it. */
function describeText(text: string): string {
  if (/^[0-9a-f]+$/i.test(text)) return 'hex'
  if (/[-_]/.test(text)) return 'base64url: write "+" and "/" for "-" and "_"'
  if (/\s/.test(text)) return 'a text with spaces: percent-encode "+" as %2B'
  if (text.length % 4 !== 0) return `${text.length} characters: padding with "=" may be missing`
  return `${text.length} other characters`
}

function fail(code: RefusalCode, expected: string, got: string): never {
  throw new SigningError('header', { code, expected, got })
}
