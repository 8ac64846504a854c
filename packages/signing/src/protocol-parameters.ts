import { decodeBase64 } from './base64.ts'
import { NONCE_CHARACTERS_MAX, NONCE_CHARACTERS_MIN } from './limits.ts'
import { METHODS, SIGNATURE_METHODS, type SignatureMethod } from './methods.ts'
import type { Parameter } from './parameter.ts'
import { SigningError } from './signing-error.ts'

/** The `oauth_*` parameters of a request, read and checked for their form. */
export interface ProtocolParameters {
  readonly consumerKey: string
  readonly method: SignatureMethod
  readonly nonce: string
  /** As text: its form is checked at its own step. */
  readonly timestamp: string
  readonly signature: Uint8Array
  readonly token: string | undefined
  readonly bodyHash: string | undefined
}

const NONCE = new RegExp(`^[\\x21-\\x7e]{${NONCE_CHARACTERS_MIN},${NONCE_CHARACTERS_MAX}}$`)
const TIMESTAMP = /^[1-9][0-9]{0,11}$/

/** The form of a nonce, in words. */
export const NONCE_FORM = `${NONCE_CHARACTERS_MIN} to ${NONCE_CHARACTERS_MAX} visible ASCII characters`

/** Whether a text has the form of a nonce. */
export function isNonce(text: string): boolean {
  return NONCE.test(text)
}

/** Whether a text is a timestamp: whole seconds, in decimal, without a sign or leading zeros. */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text)
}

/**
 * Reads the parameters that every Authorization header must hold (RFC 5849, 3.1; `oauth_version`
 * may be absent). Throws `header` with what was expected.
 */
export function readProtocolParameters(parameters: readonly Parameter[]): ProtocolParameters {
  const methodName = required(parameters, 'oauth_signature_method')
  const method = SIGNATURE_METHODS.find((name) => name === methodName)
  if (!method) fail(`oauth_signature_method to be ${SIGNATURE_METHODS.join(' or ')}`)
  if ((find(parameters, 'oauth_version') ?? '1.0') !== '1.0') {
    fail('oauth_version to be 1.0, or absent')
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
  return find(parameters, name) || fail(`${name} in the header, with a value`)
}

function find(parameters: readonly Parameter[], name: string): string | undefined {
  for (const parameter of parameters) {
    if (parameter[0] === name) return parameter[1]
  }
  return undefined
}

function readSignature(text: string, methodName: SignatureMethod): Uint8Array {
  const bytes = decodeBase64(text)
  if (!bytes) fail('oauth_signature in canonical base64')
  const { min, max } = METHODS[methodName].signatureBytes
  if (bytes.length < min || bytes.length > max) {
    const range = min === max ? `${min}` : `${min} to ${max}`
    fail(`oauth_signature of ${range} bytes for ${methodName}, got ${bytes.length}`)
  }
  return bytes
}

function fail(expected: string): never {
  throw new SigningError('header', `expected ${expected}`)
}
