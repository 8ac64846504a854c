import { decodeBase64 } from '../keys/base64.ts'
import type { VerificationKey } from '../keys/keys.ts'
import { METHODS, SIGNATURE_METHODS, type SignatureMethod } from '../keys/methods.ts'
import { bodyHashFault } from '../parameters/body-hash.ts'
import { isForm } from '../parameters/form.ts'
import type { Parameter } from '../parameters/parameters.ts'
import { NONCE_CHARACTERS_MAX } from '../refusals/limits.ts'
import { type Fault, isMasked, makeFault, showValue } from '../refusals/refusals.ts'
import { malformed, SigningError } from '../refusals/signing-error.ts'
import type { Consumer, NonceOutcome, RequestToVerify, Verifier } from './verifier.ts'

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

const NONCE = new RegExp(`^[\\x21-\\x7e]{1,${NONCE_CHARACTERS_MAX}}$`)
const TIMESTAMP = /^[1-9][0-9]{0,11}$/

/** The syntax of a nonce, for messages. */
export const NONCE_FORM = `1 to ${NONCE_CHARACTERS_MAX} visible ASCII characters`

export function isNonce(text: string): boolean {
  return NONCE.test(text)
}

/** Whether a text is a timestamp: whole seconds in decimal, without a sign or leading zeros. */
export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text)
}

/** Only `oauth_version` is optional (RFC 5849, 3.1). Throws the code of a refusal. */
export function readProtocolParameters(
  parameters: readonly Parameter[],
  methods: readonly SignatureMethod[] = SIGNATURE_METHODS,
): ProtocolParameters {
  const methodName = required(parameters, 'oauth_signature_method')
  const method = SIGNATURE_METHODS.find((name) => name === methodName)
  if (!method) {
    const expected = `oauth_signature_method to be ${methods.join(' or ')}`
    throw malformed('signature-method', expected, showValue(methodName))
  }
  const version = find(parameters, 'oauth_version') ?? '1.0'
  if (version !== '1.0') {
    throw malformed('oauth-version', 'oauth_version to be 1.0, or absent', showValue(version))
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
  throw malformed('parameter-missing', `${name} in the header, with a value`, got)
}

function find(parameters: readonly Parameter[], wanted: string): string | undefined {
  return parameters.find(([name]) => name === wanted)?.[1]
}

function readSignature(text: string, methodName: SignatureMethod): Uint8Array {
  const bytes = decodeBase64(text)
  if (!bytes) {
    const got = `${text.length} other characters`
    throw malformed('signature-base64', 'oauth_signature in canonical base64', got)
  }
  const { min, max } = METHODS[methodName].signatureBytes
  if (bytes.length < min || bytes.length > max) {
    const range = min === max ? `${min}` : `${min} to ${max}`
    const expected = `oauth_signature of ${range} bytes for ${methodName}`
    throw malformed('signature-length', expected, `${bytes.length} bytes`)
  }
  return bytes
}

const TOLERANCE_SECONDS = 300

const CLOSE_SECONDS = 366 * 24 * 3600

export function methodFault(method: SignatureMethod, { methods }: Verifier): Fault | undefined {
  if (methods === undefined || methods.includes(method)) return undefined
  const expected = `oauth_signature_method to be ${methods.join(' or ')}`
  return makeFault('signature-method', expected, method)
}

/** Refuses a timestamp that is malformed, in milliseconds, or too far from the verifier's clock. */
export function timestampFault(timestamp: string, verifier: Verifier): Fault | undefined {
  const { nowSeconds = () => Date.now() / 1000 } = verifier
  const now = nowSeconds()
  if (!isTimestamp(timestamp)) {
    const expected = 'oauth_timestamp in whole seconds since 1970'
    if (isInMilliseconds(timestamp, now))
      return makeFault('timestamp-unit', expected, 'milliseconds')
    return makeFault('timestamp-malformed', expected, describeTimestamp(timestamp))
  }
  const tolerance = verifier.timestampToleranceSeconds ?? TOLERANCE_SECONDS
  const ahead = Number(timestamp) - now
  if (Math.abs(ahead) <= tolerance) return undefined
  const difference = `${Math.ceil(Math.abs(ahead))} s ${ahead > 0 ? 'ahead' : 'behind'}`
  const expected = `oauth_timestamp within ${tolerance} s of the gateway's clock`
  return makeFault('timestamp-range', expected, `one that is ${difference}`)
}

export function nonceFault(nonce: string): Fault | undefined {
  if (isNonce(nonce)) return undefined
  const isVisible = /^[\x21-\x7e]*$/.test(nonce)
  const got = isVisible ? `${nonce.length} characters` : 'other characters'
  return makeFault('nonce-malformed', `oauth_nonce to be ${NONCE_FORM}`, got)
}

/** Says why a login is refused: it is unknown, has no key for the method, or the request names a token. */
export function consumerFault(
  { consumerKey, method }: ProtocolParameters,
  consumer: Consumer | undefined,
): Fault {
  if (!consumer) {
    const shown = showValue(consumerKey)
    return makeFault('consumer-unknown', 'oauth_consumer_key to be a known login', shown)
  }
  if (!consumer.keys.some((key) => key.method === method)) {
    const others = new Set(consumer.keys.map((key) => key.method))
    const got = others.size === 0 ? 'no active key' : `keys for ${[...others].join(' and ')} only`
    return makeFault('consumer-key-missing', `a login that has an active key for ${method}`, got)
  }
  return makeFault('token', 'no oauth_token', 'one')
}

/** It computes the hash for every caller, so that the time does not reveal which logins exist. */
export async function bodyFault(
  { contentType, body }: RequestToVerify,
  bodyHash: string | undefined,
  consumer: Consumer | undefined,
): Promise<Fault | undefined> {
  const form = isForm(contentType)
  if (bodyHash === undefined) {
    if (form || !consumer?.bodyHashRequired) return undefined
    return makeFault('body-hash-missing', 'oauth_body_hash, which this login must sign', 'none')
  }
  if (form) {
    const expected = 'no oauth_body_hash with a form, which is signed itself'
    return makeFault('body-hash-with-form', expected, 'one')
  }
  return await bodyHashFault(bodyHash, body)
}

/** Says why no key of a known login made the signature, as far as the request shows it. */
export function signatureFault(
  { url, contentType, body }: RequestToVerify,
  keys: readonly VerificationKey[],
  signature: Uint8Array,
): Fault {
  const lengths = keys.map((key) => (key.kind === 'public' ? Math.ceil(key.bits / 8) : undefined))
  if (lengths.every((length) => length !== undefined && length !== signature.length)) {
    const expected = `oauth_signature of ${[...new Set(lengths)].join(' or ')} bytes, as long as the login's key`
    const got = `${signature.length} bytes (a ${signature.length * 8}-bit key)`
    return makeFault('signature-key-length', expected, got)
  }
  const first = String.fromCharCode(body.find((byte) => byte > 0x20) ?? 0)
  if (isForm(contentType) && (first === '{' || first === '[')) {
    const expected = 'a form, as Content-Type says, or JSON as application/json'
    return makeFault('json-as-form', expected, `a body that begins with "${first}"`)
  }
  const query = /\?[^#]/.test(String(url)) ? " (the query's parameters are part of it)" : ''
  const expected = `the signature of this base string${query}, made with the key that the login has here`
  return makeFault('signature-mismatch', expected)
}

const NEW_NONCE = 'oauth_nonce to be new: this one was used with this timestamp'
const NEWER_TIMESTAMP = 'a newer oauth_timestamp: nonces of its time are forgotten'
const SPEND_FAULTS: Readonly<Record<NonceOutcome, Fault | undefined>> = {
  spent: undefined,
  replayed: makeFault('nonce-replayed', NEW_NONCE),
  expired: makeFault('timestamp-forgotten', NEWER_TIMESTAMP),
}

/** Refuses a nonce that is not new. Throws `options` for anything but a {@link NonceOutcome}, so it accepts no request. */
export function spendFault(outcome: NonceOutcome): Fault | undefined {
  if (Object.hasOwn(SPEND_FAULTS, outcome)) return SPEND_FAULTS[outcome]
  const expected = 'expected spendNonce to return "spent", "replayed" or "expired"'
  throw new SigningError('options', `${expected}, got ${JSON.stringify(outcome)}`)
}

/** Describes a malformed timestamp. Shows its value only if it cannot be a card number. */
function describeTimestamp(timestamp: string): string {
  if (/^[1-9]\d*$/.test(timestamp)) return `${timestamp.length} digits`
  return isMasked(timestamp) ? 'other characters' : showValue(timestamp)
}

function isInMilliseconds(timestamp: string, now: number): boolean {
  return /^\d{13}$/.test(timestamp) && Math.abs(Number(timestamp) / 1000 - now) < CLOSE_SECONDS
}
