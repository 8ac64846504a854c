import { SHOWN_CHARACTERS_MAX } from './limits.ts'

/** The steps of verification, in order. */
export type VerificationStep =
  | 'header'
  | 'parameters'
  | 'timestamp'
  | 'nonce'
  | 'consumer'
  | 'body-hash'
  | 'signature'

// The clauses of refusals and of mistakes.
const STEP_6 = 'specification, Signature generation, step 6'
const STEP_7 = 'specification, Signature generation, step 7'
export const HEADER = 'specification, Authorization header'
export const PARAMETERS = 'specification, OAuth parameters'
export const CREDENTIALS = 'specification, Credentials'
export const KEY_PAIR = 'specification, Key pair'
export const TIMESTAMP = 'RFC 5849, 3.3'
export const URI = 'RFC 5849, 3.4.1.2'
export const GATHERING = 'RFC 5849, 3.4.1.3.1'
const BODY_HASH = 'OAuth Request Body Hash 1.0, 3.2'

type Row = readonly [clause: string, sentence: string, fix: string, step: VerificationStep]

/** Every refusal by its code, which is stable: the texts of the mistake, and the step that refuses. */
// biome-ignore format: a table
export const REFUSALS = {
  'header-missing': [HEADER, 'The request has no Authorization header.',
    'Send the header "Authorization: OAuth ...", and not the oauth_* parameters in the query or the body alone.', 'header'],
  'header-too-long': [HEADER, 'The Authorization header is too long.',
    'Put only the oauth_* parameters into the header.', 'header'],
  'header-scheme': [HEADER, 'The Authorization header has another scheme than OAuth.',
    'Begin the value of the header with "OAuth" and a space.', 'header'],
  'header-malformed': [HEADER, 'The Authorization header is not a list of name="value" with commas between.',
    'Put each value in double quotes, and a comma between two parameters.', 'header'],
  'header-encoding': [HEADER, 'A value in the Authorization header is not percent-encoded.',
    'Encode each value of the header: in a signature, + / = become %2B %2F %3D.', 'header'],
  'header-repeated': [HEADER, 'The request has a second Authorization header, or the header has two values for a name.',
    'Send one Authorization header, with each parameter once.', 'header'],
  'header-parameters': [HEADER, 'The Authorization header has too many parameters.',
    'Put only the oauth_* parameters into the header.', 'header'],
  'parameter-missing': [PARAMETERS, 'A required oauth_* parameter is missing or empty.',
    'Send the parameter with a value: an empty login often means that a variable is not set.', 'header'],
  'signature-method': [PARAMETERS, 'The gateway does not accept this oauth_signature_method.',
    'Write HMAC-SHA1 or RSA-SHA256, in upper case, for the method by which you sign.', 'header'],
  'oauth-version': [PARAMETERS, 'The oauth_version is not 1.0.', 'Send oauth_version="1.0", or leave it out.', 'header'],
  'signature-base64': [STEP_7, 'The signature is not base64.',
    'Encode the bytes of the signature as base64, padded, on one line and without spaces.', 'header'],
  'signature-length': [STEP_7, 'The signature has a length that its method cannot make.',
    'Sign by the method that oauth_signature_method names, and encode the bytes of the result once.', 'header'],
  url: [URI, 'The URL is not one that HTTP clients send unchanged.',
    'Send an absolute URL without a user name, dot segments, spaces or "#".', 'parameters'],
  'form-encoding': [GATHERING, 'The form is not percent-encoded UTF-8.',
    'Encode each name and value of the form as UTF-8 and %XX.', 'parameters'],
  'query-encoding': [GATHERING, 'The query is not percent-encoded UTF-8.',
    'Encode each name and value of the query as UTF-8 and %XX.', 'parameters'],
  'form-too-long': [GATHERING, 'The form is too long.', 'Send a shorter form.', 'parameters'],
  'too-many-parameters': [GATHERING, 'The form or the query has too many parameters.', 'Send fewer parameters.', 'parameters'],
  'oauth-parameter': [HEADER, 'The form or the query has an oauth_* parameter that differs from the header.',
    'Send the oauth_* parameters in the header only, or with equal values.', 'parameters'],
  'timestamp-malformed': [PARAMETERS, 'The oauth_timestamp is not a whole number of seconds.',
    'Send the seconds since 1970 in UTC, with digits only.', 'timestamp'],
  'timestamp-unit': [PARAMETERS, 'The oauth_timestamp is not in seconds.',
    'Divide milliseconds by 1000, and round down.', 'timestamp'],
  'timestamp-range': [TIMESTAMP, 'The clock of your machine is wrong, or the request was signed too long ago.',
    'Set the clock by NTP, and sign each request right before you send it.', 'timestamp'],
  'timestamp-forgotten': [TIMESTAMP, 'The oauth_timestamp is older than the nonces that the gateway remembers.',
    'Sign the request again with the current time.', 'timestamp'],
  'nonce-malformed': [TIMESTAMP, 'The oauth_nonce is too long, or has other characters than visible ASCII.',
    'Send a nonce of 16 to 43 letters and digits.', 'nonce'],
  'nonce-replayed': [TIMESTAMP, 'The request was sent before: its oauth_nonce was used with this oauth_timestamp.',
    'Make a new nonce for each request, also when you send a request again.', 'nonce'],
  'consumer-unknown': [CREDENTIALS, 'The gateway has no login of this name.',
    'Check the login, its letter case, and whether it belongs to this environment.', 'consumer'],
  'consumer-key-missing': [CREDENTIALS, 'The login has no key for this signature method.',
    'Sign by the method of your key, or ask the operator to add a key.', 'consumer'],
  token: [CREDENTIALS, 'The request names an oauth_token.', 'Leave oauth_token out: a login has no token.', 'consumer'],
  'body-hash-missing': [BODY_HASH, 'The request has no oauth_body_hash, which this login must sign.',
    'Sign the base64 of the SHA-256 of the body as oauth_body_hash.', 'body-hash'],
  'body-hash-with-form': ['OAuth Request Body Hash 1.0, 3.1', 'The request is a form and has an oauth_body_hash.',
    'Leave oauth_body_hash out: the fields of a form are signed themselves.', 'body-hash'],
  'body-hash-malformed': [BODY_HASH, 'The oauth_body_hash is not the base64 of a SHA-1 or SHA-256.',
    'Encode the bytes of the hash as base64, not as hex.', 'body-hash'],
  'body-hash-mismatch': [BODY_HASH, 'The oauth_body_hash is of other bytes than you sent.',
    'Write the body once, and hash and send the same bytes.', 'body-hash'],
  'signature-key-length': [KEY_PAIR, 'You signed with another private key than the one whose public key the login has.',
    'Sign with the key that you registered for this environment.', 'signature'],
  'json-as-form': ['specification, Custom report', 'You sent JSON with the Content-Type of a form.',
    'Send "Content-Type: application/json".', 'signature'],
  'signature-mismatch': [STEP_6, "No active key of the login made this signature of the gateway's base string.",
    'Compare your base string with the one that the gateway built, and check the key.', 'signature'],
} as const satisfies Readonly<Record<string, Row>>

/** Why a request is refused. */
export type RefusalCode = keyof typeof REFUSALS

/** Every refusal code with the step that refuses. */
export const REFUSAL_STEPS: Readonly<Record<string, VerificationStep>> = Object.fromEntries(
  Object.entries(REFUSALS).map(([code, [, , , step]]) => [code, step]),
)

/** Why a request is refused, in parts that a program can use. */
export interface Fault {
  readonly code: RefusalCode
  /** What the verifier expected, as the end of a sentence. */
  readonly expected: string
  /** What the request has instead: truncated, without secrets, signatures or card numbers. */
  readonly got?: string
}

/** Makes a fault, without an undefined `got`. */
export function makeFault(code: RefusalCode, expected: string, got?: string): Fault {
  return got === undefined ? { code, expected } : { code, expected, got }
}

export function sentenceOf({ expected, got }: Omit<Fault, 'code'>): string {
  return got === undefined ? `expected ${expected}` : `expected ${expected}, got ${got}`
}

const DIGITS = /\p{Nd}/gu
const WORD = /^[A-Za-z][A-Za-z0-9.-]*$/
const PLAIN_NAME = /^[A-Za-z][A-Za-z_.-]{0,62}[0-9]{0,2}$/

/** A text with this number of digits may hold a card number, so errors mask its digits. */
const CARD_DIGITS_MIN = 8

export function isMasked(text: string): boolean {
  return (text.match(DIGITS)?.length ?? 0) >= CARD_DIGITS_MIN
}

/** Writes a request's value for an error: truncated, quoted, and masked if it may hold a card number. */
export function showValue(text: string): string {
  const masked = isMasked(text) ? maskDigits(text) : text
  if (masked.length > SHOWN_CHARACTERS_MAX) {
    return `${JSON.stringify(masked.slice(0, SHOWN_CHARACTERS_MAX))}...`
  }
  return WORD.test(masked) ? masked : JSON.stringify(masked)
}

/** Writes a parameter's name for an error, or its position if the name may be JSON or a card number. */
export function showName(name: string, place: number): string {
  return PLAIN_NAME.test(name) ? name : `parameter ${place}`
}

function maskDigits(text: string): string {
  return text.replaceAll(DIGITS, '*')
}
