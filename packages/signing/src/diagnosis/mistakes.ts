import type { RefusalCode } from '../refusals/signing-error.ts'
import { type Row, SIGNED, type Table } from './signed-mistakes.ts'

const STEP_5 = 'specification, Signature generation, step 5'
const STEP_6 = 'specification, Signature generation, step 6'
const STEP_7 = 'specification, Signature generation, step 7'
const HEADER = 'specification, Authorization header'
const PARAMETERS = 'specification, OAuth parameters'
const CREDENTIALS = 'specification, Credentials'
const KEY_PAIR = 'specification, Key pair'
const TIMESTAMP = 'RFC 5849, 3.3'
const URI = 'RFC 5849, 3.4.1.2'
const GATHERING = 'RFC 5849, 3.4.1.3.1'
const HMAC = 'RFC 5849, 3.4.2'
const BODY_HASH = 'OAuth Request Body Hash 1.0, 3.2'

/** Mistakes that a signature shows by itself, or beside the base string that the caller signed. */
// biome-ignore format: a table
const SIGNATURES = {
  'rsa-other-hash': [STEP_6, 'You signed with RSA, but not by RSASSA-PKCS1-v1_5 with SHA-256.',
    'Sign the base string with RSASSA-PKCS1-v1_5 and SHA-256 (openssl dgst -sha256 -sign).'],
  'rsa-other-key': [KEY_PAIR,
    'You signed with another private key than the one whose public key the login has, or with the padding PSS.',
    'Sign with PKCS1-v1_5, and compare the fingerprint of your key with the one that the operator has for your login.'],
  'base-string-other': [STEP_5, 'Your key is right, and you signed another base string than the gateway built.',
    "Compare your base string with the gateway's, character by character."],
  'key-other': [CREDENTIALS, "Your base string is right, and the signature is not by the login's key.",
    'Sign with the control key of this login in this environment: production and sandbox have different keys.'],
  'signature-hex': [STEP_7, 'You wrote the signature in hex.',
    'Encode the bytes of the signature as base64: take the binary result of the HMAC function.'],
  'signature-base64url': [STEP_7, 'You wrote the signature in base64url.',
    'Use the usual base64 alphabet with "+" and "/", padded with "=".'],
  'signature-encoded-twice': [HEADER, 'You percent-encoded the signature twice in the header.',
    'Encode the signature once: an OAuth library may encode it for you.'],
  'hmac-other-hash': [HMAC, 'You signed with another hash function than SHA-1.',
    'Sign with HMAC and SHA-1, as oauth_signature_method says.'],
  'method-not-used': [PARAMETERS, 'You signed by another method than oauth_signature_method names.',
    'Name the method by which you sign: HMAC-SHA1 for a control key, RSA-SHA256 for a private key.'],
  'timestamp-local-time': [TIMESTAMP,
    'The oauth_timestamp is wrong by your time zone: you took the local time for UTC.',
    'Send the seconds since 1970 in UTC (Python: time.time(), not utcnow().timestamp()).'],
} as const satisfies Table

/** Refusals that name the mistake. The code is that of the refusal. */
// biome-ignore format: a table
const REFUSALS = {
  'header-missing': [HEADER, 'The request has no Authorization header.',
    'Send the header "Authorization: OAuth ...", and not the oauth_* parameters in the query or the body alone.'],
  'header-too-long': [HEADER, 'The Authorization header is too long.',
    'Put only the oauth_* parameters into the header.'],
  'header-scheme': [HEADER, 'The Authorization header has another scheme than OAuth.',
    'Begin the value of the header with "OAuth" and a space.'],
  'header-malformed': [HEADER, 'The Authorization header is not a list of name="value" with commas between.',
    'Put each value in double quotes, and a comma between two parameters.'],
  'header-encoding': [HEADER, 'A value in the Authorization header is not percent-encoded.',
    'Encode each value of the header: in a signature, + / = become %2B %2F %3D.'],
  'header-repeated': [HEADER, 'The request has a second Authorization header, or the header has two values for a name.',
    'Send one Authorization header, with each parameter once.'],
  'header-parameters': [HEADER, 'The Authorization header has too many parameters.',
    'Put only the oauth_* parameters into the header.'],
  'parameter-missing': [PARAMETERS, 'A required oauth_* parameter is missing or empty.',
    'Send the parameter with a value: an empty login often means that a variable is not set.'],
  'signature-method': [PARAMETERS, 'The gateway does not accept this oauth_signature_method.',
    'Write HMAC-SHA1 or RSA-SHA256, in upper case, for the method by which you sign.'],
  'oauth-version': [PARAMETERS, 'The oauth_version is not 1.0.', 'Send oauth_version="1.0", or leave it out.'],
  'signature-base64': [STEP_7, 'The signature is not base64.',
    'Encode the bytes of the signature as base64, padded, on one line and without spaces.'],
  'signature-length': [STEP_7, 'The signature has a length that its method cannot make.',
    'Sign by the method that oauth_signature_method names, and encode the bytes of the result once.'],
  url: [URI, 'The URL is not one that HTTP clients send unchanged.',
    'Send an absolute URL without a user name, dot segments, spaces or "#".'],
  'form-encoding': [GATHERING, 'The form is not percent-encoded UTF-8.',
    'Encode each name and value of the form as UTF-8 and %XX.'],
  'query-encoding': [GATHERING, 'The query is not percent-encoded UTF-8.',
    'Encode each name and value of the query as UTF-8 and %XX.'],
  'form-too-long': [GATHERING, 'The form is too long.', 'Send a shorter form.'],
  'too-many-parameters': [GATHERING, 'The form or the query has too many parameters.', 'Send fewer parameters.'],
  'oauth-parameter': [HEADER, 'The form or the query has an oauth_* parameter that differs from the header.',
    'Send the oauth_* parameters in the header only, or with equal values.'],
  'timestamp-malformed': [PARAMETERS, 'The oauth_timestamp is not a whole number of seconds.',
    'Send the seconds since 1970 in UTC, with digits only.'],
  'timestamp-unit': [PARAMETERS, 'The oauth_timestamp is not in seconds.',
    'Divide milliseconds by 1000, and round down.'],
  'timestamp-range': [TIMESTAMP, 'The clock of your machine is wrong, or the request was signed too long ago.',
    'Set the clock by NTP, and sign each request right before you send it.'],
  'timestamp-forgotten': [TIMESTAMP, 'The oauth_timestamp is older than the nonces that the gateway remembers.',
    'Sign the request again with the current time.'],
  'nonce-malformed': [TIMESTAMP, 'The oauth_nonce is too long, or has other characters than visible ASCII.',
    'Send a nonce of 16 to 43 letters and digits.'],
  'nonce-replayed': [TIMESTAMP, 'The request was sent before: its oauth_nonce was used with this oauth_timestamp.',
    'Make a new nonce for each request, also when you send a request again.'],
  'consumer-unknown': [CREDENTIALS, 'The gateway has no login of this name.',
    'Check the login, its letter case, and whether it belongs to this environment.'],
  'consumer-key-missing': [CREDENTIALS, 'The login has no key for this signature method.',
    'Sign by the method of your key, or ask the operator to add a key.'],
  token: [CREDENTIALS, 'The request names an oauth_token.', 'Leave oauth_token out: a login has no token.'],
  'body-hash-missing': [BODY_HASH, 'The request has no oauth_body_hash, which this login must sign.',
    'Sign the base64 of the SHA-256 of the body as oauth_body_hash.'],
  'body-hash-with-form': ['OAuth Request Body Hash 1.0, 3.1', 'The request is a form and has an oauth_body_hash.',
    'Leave oauth_body_hash out: the fields of a form are signed themselves.'],
  'body-hash-malformed': [BODY_HASH, 'The oauth_body_hash is not the base64 of a SHA-1 or SHA-256.',
    'Encode the bytes of the hash as base64, not as hex.'],
  'body-hash-mismatch': [BODY_HASH, 'The oauth_body_hash is of other bytes than you sent.',
    'Write the body once, and hash and send the same bytes.'],
  'signature-key-length': [KEY_PAIR, 'You signed with another private key than the one whose public key the login has.',
    'Sign with the key that you registered for this environment.'],
  'json-as-form': ['specification, Custom report', 'You sent JSON with the Content-Type of a form.',
    'Send "Content-Type: application/json".'],
} as const satisfies Readonly<Record<Exclude<RefusalCode, 'signature-mismatch'>, Row>>

const [BODY, PROTOCOL, URLS, ENCODING, ORDER, TEXTS, KEYS] = SIGNED
const TABLE = {
  ...BODY,
  ...PROTOCOL,
  ...URLS,
  ...ENCODING,
  ...ORDER,
  ...TEXTS,
  ...KEYS,
  ...SIGNATURES,
  ...REFUSALS,
}

/** The code of a mistake that `diagnose` names. */
export type MistakeCode = keyof typeof TABLE

/** A mistake that `diagnose` names. */
export interface Mistake {
  /** Stable: let your code decide by it. */
  readonly code: MistakeCode
  /** What is wrong, in one sentence. */
  readonly sentence: string
  /** What to do, in one sentence. */
  readonly fix: string
  /** The clause that says so: of the specification, of an RFC, or of this project's documentation. */
  readonly clause: string
}

/**
 * Every mistake that `diagnose` names.
 *
 * @example
 * MISTAKES.find(({ code }) => code === 'encoding-plus-for-space')?.fix
 * // 'Write %20 for a space in what you sign.'
 */
export const MISTAKES: readonly Mistake[] = Object.keys(TABLE)
  .filter((code) => isMistakeCode(code))
  .map(mistakeOf)

/** Returns the mistake of a code. */
export function mistakeOf(code: MistakeCode): Mistake {
  const [clause, sentence, fix] = TABLE[code]
  return { code, sentence, fix, clause }
}

/** Whether a text is the code of a mistake. */
export function isMistakeCode(code: string): code is MistakeCode {
  return Object.hasOwn(TABLE, code)
}
