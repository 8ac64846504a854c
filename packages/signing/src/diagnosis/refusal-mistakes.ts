import type { RefusalCode } from '../refusal.ts'
import type { Mistake } from './mistake.ts'

type Entry = readonly [sentence: string, fix: string, clause: string]

const HEADER = 'specification, Authorization header'
const PARAMETERS = 'specification, OAuth parameters'
const GATHERING = 'RFC 5849, 3.4.1.3.1'
const TIMESTAMP = 'RFC 5849, 3.3'
const BODY_HASH = 'OAuth Request Body Hash 1.0, 3.2'
const CREDENTIALS = 'specification, Credentials'

/** The mistake of each refusal that names it, without a look at the signature. */
const BY_REFUSAL: Readonly<Record<Exclude<RefusalCode, 'signature-mismatch'>, Entry>> = {
  'header-missing': [
    'The request has no Authorization header.',
    'Send the header "Authorization: OAuth ...", and not the oauth_* parameters in the query or the body alone.',
    HEADER,
  ],
  'header-too-long': [
    'The Authorization header is too long.',
    'Put only the oauth_* parameters into the header.',
    HEADER,
  ],
  'header-scheme': [
    'The Authorization header has another scheme than OAuth.',
    'Begin the value of the header with "OAuth" and a space.',
    HEADER,
  ],
  'header-malformed': [
    'The Authorization header is not a list of name="value" with commas between.',
    'Put each value in double quotes, and a comma between two parameters.',
    HEADER,
  ],
  'header-encoding': [
    'A value in the Authorization header is not percent-encoded.',
    'Encode each value of the header: in a signature, + / = become %2B %2F %3D.',
    HEADER,
  ],
  'header-repeated': [
    'The request has a second Authorization header, or the header has two values for a name.',
    'Send one Authorization header, with each parameter once.',
    HEADER,
  ],
  'header-parameters': [
    'The Authorization header has too many parameters.',
    'Put only the oauth_* parameters into the header.',
    HEADER,
  ],
  'parameter-missing': [
    'A required oauth_* parameter is missing or empty.',
    'Send the parameter with a value: an empty login often means that a variable is not set.',
    PARAMETERS,
  ],
  'signature-method': [
    'The gateway does not accept this oauth_signature_method.',
    'Write HMAC-SHA1 or RSA-SHA256, in upper case, for the method by which you sign.',
    PARAMETERS,
  ],
  'oauth-version': [
    'The oauth_version is not 1.0.',
    'Send oauth_version="1.0", or leave it out.',
    PARAMETERS,
  ],
  'signature-base64': [
    'The signature is not base64.',
    'Encode the bytes of the signature as base64, padded, on one line and without spaces.',
    'specification, Signature generation, step 7',
  ],
  'signature-length': [
    'The signature has a length that its method cannot make.',
    'Sign by the method that oauth_signature_method names, and encode the bytes of the result once.',
    'specification, Signature generation, step 7',
  ],
  url: [
    'The URL is not one that HTTP clients send unchanged.',
    'Send an absolute URL without a user name, dot segments, spaces or "#".',
    'RFC 5849, 3.4.1.2',
  ],
  'form-encoding': [
    'The form is not percent-encoded UTF-8.',
    'Encode each name and value of the form as UTF-8 and %XX.',
    GATHERING,
  ],
  'query-encoding': [
    'The query is not percent-encoded UTF-8.',
    'Encode each name and value of the query as UTF-8 and %XX.',
    GATHERING,
  ],
  'form-too-long': ['The form is too long.', 'Send a shorter form.', GATHERING],
  'too-many-parameters': [
    'The form or the query has too many parameters.',
    'Send fewer parameters.',
    GATHERING,
  ],
  'oauth-parameter': [
    'The form or the query has an oauth_* parameter that differs from the header.',
    'Send the oauth_* parameters in the header only, or with equal values.',
    'specification, Authorization header',
  ],
  'timestamp-malformed': [
    'The oauth_timestamp is not a whole number of seconds.',
    'Send the seconds since 1970 in UTC, with digits only.',
    PARAMETERS,
  ],
  'timestamp-unit': [
    'The oauth_timestamp is not in seconds.',
    'Divide milliseconds by 1000, and round down.',
    PARAMETERS,
  ],
  'timestamp-range': [
    'The clock of your machine is wrong, or the request was signed too long ago.',
    'Set the clock by NTP, and sign each request right before you send it.',
    TIMESTAMP,
  ],
  'timestamp-forgotten': [
    'The oauth_timestamp is older than the nonces that the gateway remembers.',
    'Sign the request again with the current time.',
    TIMESTAMP,
  ],
  'nonce-malformed': [
    'The oauth_nonce is too long, or has other characters than visible ASCII.',
    'Send a nonce of 16 to 43 letters and digits.',
    TIMESTAMP,
  ],
  'nonce-replayed': [
    'The request was sent before: its oauth_nonce was used with this oauth_timestamp.',
    'Make a new nonce for each request, also when you send a request again.',
    TIMESTAMP,
  ],
  'consumer-unknown': [
    'The gateway has no login of this name.',
    'Check the login, its letter case, and whether it belongs to this environment.',
    CREDENTIALS,
  ],
  'consumer-key-missing': [
    'The login has no key for this signature method.',
    'Sign by the method of your key, or ask the operator to add a key.',
    CREDENTIALS,
  ],
  token: [
    'The request names an oauth_token.',
    'Leave oauth_token out: a login has no token.',
    CREDENTIALS,
  ],
  'body-hash-missing': [
    'The request has no oauth_body_hash, which this login must sign.',
    'Sign the base64 of the SHA-256 of the body as oauth_body_hash.',
    BODY_HASH,
  ],
  'body-hash-with-form': [
    'The request is a form and has an oauth_body_hash.',
    'Leave oauth_body_hash out: the fields of a form are signed themselves.',
    'OAuth Request Body Hash 1.0, 3.1',
  ],
  'body-hash-malformed': [
    'The oauth_body_hash is not the base64 of a SHA-1 or SHA-256.',
    'Encode the bytes of the hash as base64, not as hex.',
    BODY_HASH,
  ],
  'body-hash-mismatch': [
    'The oauth_body_hash is of other bytes than you sent.',
    'Write the body once, and hash and send the same bytes.',
    BODY_HASH,
  ],
  'signature-key-length': [
    'You signed with another private key than the one whose public key the login has.',
    'Sign with the key that you registered for this environment.',
    'specification, Key pair',
  ],
  'json-as-form': [
    'You sent JSON with the Content-Type of a form.',
    'Send "Content-Type: application/json".',
    'specification, Custom report',
  ],
}

/** Mistakes that a refusal and the request show together. */
const MORE = {
  'signature-hex': [
    'You wrote the signature in hex.',
    'Encode the bytes of the signature as base64: take the binary result of the HMAC function.',
    'specification, Signature generation, step 7',
  ],
  'signature-base64url': [
    'You wrote the signature in base64url.',
    'Use the usual base64 alphabet with "+" and "/", padded with "=".',
    'specification, Signature generation, step 7',
  ],
  'signature-encoded-twice': [
    'You percent-encoded the signature twice in the header.',
    'Encode the signature once: an OAuth library may encode it for you.',
    HEADER,
  ],
  'hmac-other-hash': [
    'You signed with another hash function than SHA-1.',
    'Sign with HMAC and SHA-1, as oauth_signature_method says.',
    'RFC 5849, 3.4.2',
  ],
  'method-not-used': [
    'You signed by another method than oauth_signature_method names.',
    'Name the method by which you sign: HMAC-SHA1 for a control key, RSA-SHA256 for a private key.',
    PARAMETERS,
  ],
  'timestamp-local-time': [
    'The oauth_timestamp is wrong by your time zone: you took the local time for UTC.',
    'Send the seconds since 1970 in UTC (Python: time.time(), not utcnow().timestamp()).',
    TIMESTAMP,
  ],
} as const satisfies Readonly<Record<string, Entry>>

/** The code of a mistake that a refusal shows: the refusal's own code, or a more precise one. */
export type RefusalMistakeCode = keyof typeof BY_REFUSAL | keyof typeof MORE

const ENTRIES: Readonly<Record<RefusalMistakeCode, Entry>> = { ...BY_REFUSAL, ...MORE }

/** The codes of all mistakes that a refusal shows. */
export const REFUSAL_MISTAKE_CODES = Object.keys(ENTRIES).filter(isRefusalMistakeCode)

/** Returns the mistake of a code. */
export function refusalMistakeOf(code: RefusalMistakeCode): Mistake<RefusalMistakeCode> {
  const [sentence, fix, clause] = ENTRIES[code]
  return { code, sentence, fix, clause }
}

function isRefusalMistakeCode(code: string): code is RefusalMistakeCode {
  return Object.hasOwn(ENTRIES, code)
}
