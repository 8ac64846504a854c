import type { RefusalCode } from '../refusals/signing-error.ts'

const STEP_1 = 'specification, Signature generation, step 1'
const STEP_2 = 'specification, Signature generation, step 2'
const STEP_5 = 'specification, Signature generation, step 5'
const STEP_6 = 'specification, Signature generation, step 6'
const STEP_7 = 'specification, Signature generation, step 7'
const HEADER = 'specification, Authorization header'
const PARAMETERS = 'specification, OAuth parameters'
const CREDENTIALS = 'specification, Credentials'
const KEY_PAIR = 'specification, Key pair'
const VERSION = 'RFC 5849, 3.1'
const TIMESTAMP = 'RFC 5849, 3.3'
const METHOD = 'RFC 5849, 3.4.1.1'
const URI = 'RFC 5849, 3.4.1.2'
const GATHERING = 'RFC 5849, 3.4.1.3.1'
const SORTING = 'RFC 5849, 3.4.1.3.2'
const HMAC = 'RFC 5849, 3.4.2'
const ENCODING = 'RFC 5849, 3.6'
const BODY_HASH = 'OAuth Request Body Hash 1.0, 3.2'

const SORT = 'Sort the encoded pairs by name and then by value, byte by byte'
const SIGN_RSA =
  'Sign the base string with RSASSA-PKCS1-v1_5 and SHA-256 (openssl dgst -sha256 -sign)'

type Texts = readonly [clause: string, sentence: string, fix: string]

/** The texts of every mistake by its code. No text holds anything of a request. */
// biome-ignore format: a table, with two lines for each mistake
const TEXTS = {
  // The parameters that were signed.
  'form-not-signed': [STEP_1, "You left the form's fields out of the signature.",
    "Sign each field of the form together with the oauth_* parameters and the query's."],
  'query-not-signed': [GATHERING, "You left the query's parameters out of the signature.",
    'Sign each parameter of the query as if it were a field of the form.'],
  'json-members-signed': [GATHERING, 'You signed the members of the JSON body as parameters.',
    'Sign only the oauth_* parameters and the query. The signature does not cover a JSON body.'],
  'json-text-signed': [GATHERING, 'You signed the text of the JSON body as one parameter.',
    'Sign only the oauth_* parameters and the query. The signature does not cover a JSON body.'],
  'body-signed-as-form': [GATHERING, 'You signed the body as a form, and sent it with another Content-Type.',
    'Send a form with "Content-Type: application/x-www-form-urlencoded".'],
  'protocol-signed-twice': ['docs/signing.md, The steps, byte by byte',
    'You signed the oauth_* parameters of the header, and those of the body once more.',
    'Sign each oauth_* parameter once, also if the body repeats it.'],
  'duplicates-dropped': [SORTING, 'You signed one value of a name that the request sends more than once.',
    'Sign every value of a repeated name.'],
  'empty-dropped': [GATHERING, 'You left a parameter with an empty value out of the signature.',
    'Sign "name=" for each parameter that you send without a value.'],
  'line-end-in-form': [GATHERING, 'You sent a line end after the form, and did not sign the line end.',
    'Send the form without a line end (curl: --data-raw, or printf for echo).'],
  'byte-order-mark': [GATHERING, 'You sent a byte order mark before the form, and did not sign the mark.',
    'Write the body as UTF-8 without a byte order mark.'],
  'plus-not-encoded': [GATHERING, 'You sent "+" in the form or the query and meant a plus: there it is a space.',
    'Write %2B for a plus in the form and in the query.'],
  'sent-encoded-twice': [GATHERING, 'You encoded the values of the form or the query once more after you signed them.',
    'Send the values encoded once: the HTTP library may encode them for you.'],
  'spelling-mixed': [GATHERING, 'You signed a name with "_" and sent it with "-", or the reverse.',
    'Sign every name as you send it.'],
  'version-not-signed': [STEP_1, 'You sent oauth_version and did not sign it.',
    'Sign oauth_version, or leave it out of the header.'],
  'version-not-sent': [VERSION, 'You signed oauth_version and did not send it.',
    'Send oauth_version="1.0" in the header.'],
  'body-hash-not-signed': ['OAuth Request Body Hash 1.0, 4.1.1', 'You sent oauth_body_hash and did not sign it.',
    'Add oauth_body_hash to the parameters before you sort and sign them.'],
  'realm-signed': [GATHERING, 'You signed the realm.',
    'Leave the realm out of the signed parameters: it stands in the header only.'],
  'token-not-signed': [VERSION, 'You sent an empty oauth_token and did not sign it.',
    'Leave oauth_token out: this gateway has no tokens.'],
  'token-not-sent': [VERSION, 'You signed an empty oauth_token and did not send it.',
    'Leave oauth_token out of the signed parameters: this gateway has no tokens.'],
  'signature-signed': [STEP_1, 'You signed an oauth_signature parameter.',
    'Leave oauth_signature out of the signed parameters: it stands in the header only.'],
  'timestamp-differs': [HEADER, 'You signed another oauth_timestamp than you sent.',
    'Read the clock once, and use the same value in the base string and in the header.'],
  'protocol-encoded-before': [STEP_2, 'You encoded the oauth_* values once more before you signed them.',
    'Take the plain oauth_* values into the parameters, and encode each of them once.'],
  // How the parameters were encoded and sorted.
  'encoding-marks-left': [ENCODING, "You left ! ' ( ) * unencoded.",
    "Encode everything but A-Z a-z 0-9 - . _ ~: write %21, %27, %28, %29, %2A for ! ' ( ) *."],
  'encoding-plus-for-space': [ENCODING, 'You wrote "+" for a space.', 'Write %20 for a space in what you sign.'],
  'encoding-slash-left': [STEP_2, 'You left "/" unencoded.', "Write %2F for a slash (Python: quote(text, safe=''))."],
  'encoding-tilde-encoded': [ENCODING, 'You encoded "~".', 'Leave "~" as it is.'],
  'encoding-lower-case': [ENCODING, 'You wrote the hex digits of %XX in lower case.',
    'Write them in upper case: %2F, not %2f.'],
  'encoding-twice': [STEP_5, 'You encoded the names and values twice before you built the base string.',
    'Encode each name and value once, and the parameter string once more as a part of the base string.'],
  'encoding-none': [STEP_2, 'You did not encode the values.',
    'Encode each name and value before you sort and join the parameters.'],
  'encoding-names-left': [SORTING, 'You encoded the values and not the names.',
    'Encode the names of the parameters too.'],
  'encoding-charset': [ENCODING, 'You encoded the text in another character set than UTF-8.',
    'Write text as UTF-8 before you encode it as %XX.'],
  'encoding-utf-16': [ENCODING, 'You encoded characters as %uXXXX.',
    'Encode the bytes of UTF-8 as %XX: JavaScript has encodeURIComponent, not escape.'],
  'order-after-joining': [SORTING, 'You sorted the joined texts "name=value".', `${SORT}.`],
  'order-before-encoding': [SORTING, 'You sorted the parameters before you encoded them.',
    'Encode the names and values first, and then sort them.'],
  'order-by-name-only': [SORTING, 'You sorted the parameters by name, and did not sort the values of a repeated name.',
    `${SORT}.`],
  'order-case-insensitive': [SORTING, 'You sorted upper-case and lower-case letters as if they were equal.',
    `${SORT}: upper case comes before lower case.`],
  'order-by-locale': [SORTING, 'You sorted the parameters by the rules of a language.',
    `${SORT}: not with localeCompare or a collation.`],
  'order-reversed': [SORTING, 'You sorted the parameters from the last to the first.', `${SORT}, in ascending order.`],
  'order-unsorted': ['specification, Signature generation, step 3', 'You did not sort the parameters.', `${SORT}.`],
  // The URL, the method, and how the three parts were joined.
  'url-scheme': [URI, 'You signed http for https, or https for http.',
    "Sign the scheme of the gateway's public address, also behind a proxy that ends TLS."],
  'url-port-left-out': [URI, 'You left the port out of the URL that you signed.',
    'Sign every port but 443 of https and 80 of http.'],
  'url-default-port': [URI, 'You signed the default port.',
    'Leave :443 of https and :80 of http out of the URL that you sign.'],
  'url-port': [URI, 'You signed another port than that of the public address of the gateway.',
    'Sign the address that the gateway gives in /.well-known/counterfoil, with its port.'],
  'url-host': [URI, 'You signed another host than the public address of the gateway.',
    'Sign the address that the gateway gives in /.well-known/counterfoil, and send the request there.'],
  'url-host-case': [URI, 'You signed the host with upper-case letters.',
    'Write the host in lower case in the URL that you sign.'],
  'url-trailing-slash': [URI, 'You signed the path with a slash at its end and sent it without, or the reverse.',
    'Sign the path exactly as you send it.'],
  'url-path-case': [URI, 'You signed the path in another letter case than you sent it.',
    'Sign the path exactly as you send it.'],
  'url-path-encoding': [URI, 'You encoded or decoded the path once more before you signed it.',
    'Sign the path exactly as you send it.'],
  'url-with-query': [URI, 'You left the query in the URL that you signed.',
    "Sign the URL without its query, and the query's parameters with the other parameters."],
  'url-path-only': [URI, 'You signed the path instead of the URL.', 'Sign scheme, host and path.'],
  'url-base-path': [URI, 'You signed the URL without the first part of its path, as behind a proxy.',
    "Sign the gateway's public URL with its complete path."],
  'method-lower-case': [METHOD, 'You signed the method in lower case.', 'Write the method in upper case: POST.'],
  'method-other': [METHOD, 'You signed another method than you sent.', 'Sign the method of the request.'],
  'base-string-line-end': [STEP_5, 'You signed the base string with a line end after it.',
    'Sign the base string without a line end (printf %s, not echo).'],
  'base-string-not-encoded': [STEP_5, 'You did not encode the three parts of the base string.',
    'Encode the method, the URL and the parameter string, and then join the three with "&".'],
  'base-string-joined': [STEP_5, 'You joined the three parts of the base string with something else than "&".',
    'Join the encoded method, URL and parameter string with "&", without anything around it.'],
  'base-string-part-missing': [STEP_5, 'You left out one of the three parts of the base string.',
    'Sign METHOD&URL&PARAMETERS.'],
  // The key and the signature method.
  'key-without-ampersand': [STEP_6, 'You signed with the control key alone.', 'Put "&" after the control key.'],
  'key-with-line-end': [STEP_6, 'Your control key has a line end.',
    'Trim the control key after you read it from its file or variable.'],
  'key-with-space': [STEP_6, 'Your control key has a space before or after it.',
    'Trim the control key after you read it from its file or variable.'],
  'key-in-quotes': [STEP_6, 'Your control key has quotes around it.',
    'Remove the quotes: they are not a part of the control key.'],
  'key-case': [STEP_6, 'You changed the letter case of the control key.',
    'Use the control key exactly as you received it.'],
  'key-decoded': [STEP_6, 'You decoded the control key from hex or base64.',
    'Use the text of the control key as it is.'],
  'key-encoded-as-base64': [STEP_6, 'You wrote the control key as hex or base64.',
    'Use the text of the control key as it is.'],
  'key-encoded-twice': [HMAC, 'You percent-encoded the control key twice, or "&" with it.',
    'Percent-encode the control key once, and put "&" after it.'],
  'key-empty': [STEP_6, 'You signed with an empty control key.',
    'Check the name of the variable or file from which your program reads the control key.'],
  'key-login': [STEP_6, 'You signed with the login instead of the control key.',
    'Sign with the control key that belongs to the login.'],
  'key-repeated': [CREDENTIALS, 'You put the control key after the "&", where a token secret would stand.',
    'Put the control key before the "&", and nothing after it.'],
  'hmac-swapped': [HMAC, 'You swapped the key and the text of the HMAC.',
    'Pass the control key with "&" as the key, and the base string as the text.'],
  'sha1-without-hmac': [HMAC, 'You signed with SHA-1 instead of HMAC-SHA1.',
    'Use the HMAC function of your library with SHA-1.'],
  'hmac-of-hash': [HMAC, 'You signed the hash of the base string instead of the base string.',
    'Pass the base string to the HMAC function, which hashes it itself.'],
  'rsa-sha1': [STEP_6, 'You signed with RSA and SHA-1.', `${SIGN_RSA}.`],
  'rsa-other-hash': [STEP_6, 'You signed with RSA and another hash function than SHA-256.', `${SIGN_RSA}.`],
  'rsa-pss': [STEP_6, 'You signed with the padding PSS.',
    'Sign with RSASSA-PKCS1-v1_5 and SHA-256: the key is the same, the padding another.'],
  'rsa-without-hash-name': ['RFC 8017, 9.2',
    'You encrypted the hash or the text with the private key, without the name of the hash that RFC 8017 requires.',
    `${SIGN_RSA}, not with a function that encrypts.`],
  'rsa-of-hash': [STEP_6, 'You signed the hash of the base string instead of the base string.',
    'Pass the base string to the signing function, which hashes it itself.'],
  'rsa-other-key': [KEY_PAIR, 'You signed with another private key than the one whose public key the login has.',
    'Compare the fingerprint of your key with the one that the operator has for your login.'],
  'base-string-other': [STEP_5, 'Your key is right, and you signed another base string than the gateway built.',
    "Compare your base string with the gateway's, character by character."],
  'key-other': [CREDENTIALS, "Your base string is right, and the signature is not by the login's key.",
    'Sign with the control key of this login in this environment: production and sandbox have different keys.'],
  // Refusals that name the mistake. The code is that of the refusal.
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
  // Mistakes that a refusal and the request show together.
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
} as const satisfies Readonly<Record<Exclude<RefusalCode, 'signature-mismatch'>, Texts>> &
  Readonly<Record<string, Texts>>

/** The code of a mistake that `diagnose` names. */
export type MistakeCode = keyof typeof TEXTS

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

/** Returns the mistake of a code. */
export function mistakeOf(code: MistakeCode): Mistake {
  const [clause, sentence, fix] = TEXTS[code]
  return { code, sentence, fix, clause }
}

/**
 * Every mistake that `diagnose` names.
 *
 * @example
 * MISTAKES.find(({ code }) => code === 'encoding-plus-for-space')?.fix
 * // 'Write %20 for a space in what you sign.'
 */
export const MISTAKES: readonly Mistake[] = Object.keys(TEXTS)
  .filter((code) => isMistakeCode(code))
  .map(mistakeOf)

function isMistakeCode(code: string): code is MistakeCode {
  return Object.hasOwn(TEXTS, code)
}
