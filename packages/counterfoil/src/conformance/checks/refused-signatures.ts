import { generateKeyPairSync, hash } from 'node:crypto'
import { percentDecode, percentEncode } from '@counterfoil/signing'
import { isRefused, isReport } from '../answer.ts'
import {
  asForm,
  hmacWith,
  lowerHex,
  reencoded,
  replaced,
  resigned,
  rsaWith,
  UNKNOWN_LOGIN,
  unsorted,
} from '../changes.ts'
import { type CheckRow, checksOf, type Judge, type Subject } from '../check.ts'
import { find, refusesCaller } from '../judges.ts'
import { rsa, signBase, writeHeader } from '../sign-request.ts'

/** RFC 5849 lets a gateway choose which clocks it accepts. */
const HOUR = 3600

/** Judges that a gateway refuses a request that is sent again, with more bytes after its body. */
const refusesReplay = (more = ''): Judge => {
  return async (first, { gateway, request }) => {
    if (!isReport(first)) return find(false, 'the report for the first request', first)
    const body = Buffer.concat([request.body, Buffer.from(more)])
    const second = await gateway.send({ ...request, body })
    const expected = 'a report, and then a text that begins "You are not authorised"'
    return find(isRefused(second), expected, second)
  }
}

// biome-ignore format: a check is a line of the table
const HEADERS: readonly CheckRow[] = [
  ['refuse-no-header', 'must', 'refuses a request without an Authorization header', 'specification, Authentication', 'no Authorization header', { write: () => undefined }],
  ['refuse-other-scheme', 'must', 'refuses another scheme than OAuth', 'specification, Authorization header', 'a valid signature after the scheme Bearer', { write: (pairs) => writeHeader(pairs).replace('OAuth', 'Bearer') }],
  ['refuse-two-headers', 'should', 'refuses two Authorization headers', 'RFC 9110, 5.3', 'a valid Authorization header twice', { write: (pairs) => [writeHeader(pairs), writeHeader(pairs)] }],
  ['refuse-parameters-in-query', 'must', 'refuses the parameters of the signature in the query alone', 'specification, Authorization header', 'a valid signature in the query, and no Authorization header', { write: () => undefined, sentQuery: asForm }],
  ['refuse-repeated-parameter', 'must', 'refuses a parameter with two values', 'RFC 5849, 3.1', 'a header with two different nonces, of which the first is signed', { header: (pairs) => [...pairs, ['oauth_nonce', 'other']] }],
  ['refuse-no-quotes', 'should', 'refuses values without quotes', 'specification, Authorization header; RFC 5849, 3.5.1', 'a header with oauth_nonce=value', { write: (pairs) => writeHeader(pairs).replaceAll('"', '') }],
  ['refuse-version', 'must', 'refuses another oauth_version than 1.0', 'specification, OAuth parameters; RFC 5849, 3.2', 'oauth_version="2.0", signed', { oauth: () => ({ oauth_version: '2.0' }) }],
  ['refuse-plaintext', 'must', 'refuses the signature method PLAINTEXT', 'specification, OAuth parameters', 'oauth_signature_method="PLAINTEXT" with an empty secret', { oauth: () => ({ oauth_signature_method: 'PLAINTEXT' }), sign: () => '&' }],
  ['refuse-method-name', 'should', 'refuses the name of a signature method in lower case', 'specification, Authentication (names are exact)', 'the method in lower case, correctly signed otherwise', { oauth: ({ oauth_signature_method: own = '' }) => ({ oauth_signature_method: own.toLowerCase() }) }],
  ['refuse-none-method', 'must', 'refuses the signature method "none"', 'specification, OAuth parameters', 'oauth_signature_method="none" with an empty signature', { oauth: () => ({ oauth_signature_method: 'none' }), header: replaced('oauth_signature', () => '') }],
  ['refuse-unknown-login', 'must', 'refuses a login that does not exist', 'specification, OAuth parameters', 'a random login, signed with the key of the login', UNKNOWN_LOGIN],
]

const MANDATORY = ['consumer_key', 'nonce', 'signature', 'signature_method', 'timestamp']

const MISSING = MANDATORY.flatMap((short): CheckRow[] => {
  const name = `oauth_${short}`
  const id = short.replaceAll('_', '-')
  const empty = { header: replaced(name, () => '') }
  return [
    [
      `refuse-without-${id}`,
      'must',
      `refuses a header without ${name}`,
      'specification, Authorization header; RFC 5849, 3.1',
      `a request without ${name}, correctly signed otherwise`,
      {
        oauth: () => ({ [name]: undefined }),
        header: (pairs) => pairs.filter(([own]) => own !== name),
      },
    ],
    [
      `refuse-empty-${id}`,
      'must',
      `refuses an empty ${name}`,
      'specification, OAuth parameters; RFC 5849, 3.1',
      `${name}="", correctly signed otherwise`,
      short === 'signature' ? empty : { ...empty, oauth: () => ({ [name]: '' }) },
    ],
  ]
})

// The specification does not say how JSON is signed.
// biome-ignore format: a check is a line of the table
const BASE_STRINGS: readonly CheckRow[] = [
  ['refuse-other-method', 'must', 'refuses a signature of another HTTP method', 'RFC 5849, 3.4.1.1', 'a POST with the signature of a GET', { signed: { method: 'GET' } }],
  ['refuse-other-path', 'must', 'refuses a signature of another path', 'RFC 5849, 3.4.1.2', 'the signature of the path with /x after it', { signed: { url: (url) => `${url}/x` } }],
  ['refuse-other-host', 'must', 'refuses a signature of another host', 'RFC 5849, 3.4.1.2', 'the signature of the host other.example', { signed: { url: (url) => Object.assign(new URL(url), { hostname: 'other.example' }).href } }],
  ['refuse-other-port', 'must', 'refuses a signature of another port', 'RFC 5849, 3.4.1.2', 'the signature of port 4', { signed: { url: (url) => Object.assign(new URL(url), { port: '4' }).href } }],
  ['refuse-other-scheme-of-url', 'must', 'refuses a signature of the other scheme, http or https', 'RFC 5849, 3.4.1.2', 'the signature of the URL with the other scheme', { signed: { url: (url) => url.replace(/^https?/, (own) => (own === 'http' ? 'https' : 'http')) } }],
  ['refuse-added-query', 'must', 'refuses a query that was added after signing', 'RFC 5849, 3.4.1.3.1', 'the query ?a=1, which is not signed', { sentQuery: () => 'a=1' }],
  ['refuse-changed-query', 'must', 'refuses a query that was changed after signing', 'RFC 5849, 3.4.1.3.1', 'the query ?a=2 with the signature of ?a=1', { query: 'a=1', sentQuery: () => 'a=2' }],
  ['refuse-removed-query', 'must', 'refuses a query that was removed after signing', 'RFC 5849, 3.4.1.3.1', 'no query, with the signature of ?a=1', { query: 'a=1', sentQuery: () => '' }],
  ['refuse-merged-duplicates', 'must', 'refuses a signature that covers a repeated parameter once', 'RFC 5849, 3.4.1.3.2', 'the query ?x=a&x=a with the signature of ?x=a', { query: 'x=a', sentQuery: () => 'x=a&x=a' }],
  ['refuse-unsorted', 'must', 'refuses unsorted parameters', 'specification, Signature generation, step 3', 'the signature of the parameters in reverse order', { signed: { parameters: unsorted } }],
  ['refuse-encoded-twice', 'must', 'refuses values that are encoded once too often', 'specification, Signature generation, steps 2 and 5', 'a nonce with %, encoded twice before the parameters are joined', reencoded(percentEncode)],
  ['refuse-not-encoded', 'must', 'refuses values that are not encoded', 'specification, Signature generation, step 2', 'a nonce with %, not encoded before the parameters are joined', reencoded(percentDecode)],
  ['refuse-plus-for-space', 'must', 'refuses + for a space in the base string', 'RFC 5849, 3.6', 'the query ?x=a%20b, signed as x=a+b', { query: 'x=a%20b', signed: { parameters: (text) => text.replace('x=a%20b', 'x=a+b') } }],
  ['refuse-base-not-encoded', 'must', 'refuses a base string whose parts are not encoded', 'specification, Signature generation, step 5', 'the signature of the base string before its encoding', { signed: { baseString: (base) => percentDecode(base) } }],
  ['refuse-base-lower-hex', 'must', 'refuses a base string whose percent-encoding is in lower case', 'RFC 5849, 3.6', 'the signature of a base string with %3a instead of %3A', { signed: { baseString: lowerHex } }],
  ['refuse-base-line-end', 'must', 'refuses a base string with a line end after it', 'RFC 5849, 3.4.1.1', 'the signature of the base string and a line feed', { signed: { baseString: (base) => `${base}\n` } }],
  ['refuse-signed-realm', 'must', 'refuses a realm that is signed', 'RFC 5849, 3.4.1.3.1', 'realm="reports" as one of the signed parameters', { realm: 'reports', alsoSigned: [['realm', 'reports']] }],
  ['refuse-signed-signature', 'must', 'refuses oauth_signature among the signed parameters', 'specification, Signature generation, step 1', 'an empty oauth_signature as one of the signed parameters', { alsoSigned: [['oauth_signature', '']] }],
  ['refuse-signed-json', 'should', 'refuses the members of the JSON among the signed parameters', 'RFC 5849, 3.4.1.3.1', 'reportIdentifier as one of the signed parameters', { alsoSigned: [['reportIdentifier', 'x']] }],
]

// biome-ignore format: a check is a line of the table
const KEYS: readonly CheckRow[] = [
  ['refuse-wrong-control-key', 'must', 'refuses another control key', 'specification, Signature generation, step 6', 'a signature with the control key and one more character', hmacWith((key) => `${key}x&`)],
  ['refuse-key-without-ampersand', 'must', 'refuses a key without the ampersand after it', 'specification, Signature generation, step 6', 'an HMAC with the control key alone', hmacWith((key) => key)],
  ['refuse-empty-key', 'must', 'refuses an empty key', 'specification, Signature generation, step 6', 'an HMAC with the key "&"', hmacWith(() => '&')],
  ['refuse-key-with-line-end', 'must', 'refuses a key with a line end', 'specification, Signature generation, step 6', 'an HMAC with the control key, a line feed and an ampersand', hmacWith((key) => `${key}\n&`)],
  ['refuse-hmac-sha256', 'must', 'refuses HMAC-SHA256 under the name HMAC-SHA1', 'specification, Signature generation, step 6', 'an HMAC with SHA-256', hmacWith((key) => `${key}&`, 'sha256')],
  ['refuse-bare-sha1', 'must', 'refuses a hash without a key', 'specification, Signature generation, step 6', 'the SHA-1 of the base string', { needs: 'HMAC-SHA1', sign: (base) => hash('sha1', base, 'base64') }],
  ['refuse-wrong-rsa-key', 'must', 'refuses another RSA key', 'specification, Signature generation, step 6', 'a signature with a new RSA key of 2048 bits', { needs: 'RSA-SHA256', sign: (base) => rsa(base, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey) }],
  ['refuse-pss', 'must', 'refuses the padding PSS', 'specification, Signature generation; RFC 8017, 8.2', 'an RSA signature with PSS', rsaWith('RSA-SHA256', true)],
  ['refuse-rsa-sha1', 'must', 'refuses RSA with SHA-1', 'specification, Signature generation, step 6', 'an RSA signature with SHA-1', rsaWith('RSA-SHA1')],
]

// biome-ignore format: a check is a line of the table
const CHANGED: readonly CheckRow[] = [
  ['refuse-changed-nonce', 'must', 'refuses a nonce that was changed after signing', 'RFC 5849, 3.4.1.3.1', 'another nonce than the signed one', { header: replaced('oauth_nonce', (value) => `${value}0`) }],
  ['refuse-changed-timestamp', 'must', 'refuses a timestamp that was changed after signing', 'RFC 5849, 3.4.1.3.1', 'a timestamp one second after the signed one', { header: replaced('oauth_timestamp', (value) => String(Number(value) + 1)) }],
  ['refuse-removed-version', 'must', 'refuses a request whose signed oauth_version was removed', 'RFC 5849, 3.4.1.3.1', 'a header without the signed oauth_version', { header: (pairs) => pairs.filter(([name]) => name !== 'oauth_version') }],
  ['refuse-other-method-name', 'must', 'refuses a signature under the name of the other method', 'specification, Signature generation', 'the signature with the name of the other signature method, signed', { oauth: ({ oauth_signature_method: own }) => ({ oauth_signature_method: own === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1' }) }],
  ['refuse-flipped-bit', 'must', 'refuses a signature with one changed bit', 'RFC 5849, 3.2', 'the signature with its first bit changed', resigned((bytes) => bytes.with(0, (bytes[0] ?? 0) ^ 0x80))],
  ['refuse-short-signature', 'must', 'refuses a signature without its last byte', 'RFC 5849, 3.2', 'the signature without its last byte', resigned((bytes) => bytes.subarray(0, -1))],
  ['refuse-zero-signature', 'must', 'refuses a signature of zeros', 'RFC 5849, 3.2', 'as many zero bytes as the signature has', resigned((bytes) => bytes.fill(0))],
  ['refuse-hex-signature', 'must', 'refuses a signature in hex', 'specification, Signature generation, step 7', 'the signature in hex instead of base64', { sign: (base, secret) => Buffer.from(signBase(base, secret), 'base64').toString('hex') }],
  ['refuse-old-timestamp', 'should', 'refuses a timestamp of an hour ago', 'RFC 5849, 3.3', 'a timestamp of an hour ago, signed', { clock: -HOUR }],
  ['refuse-future-timestamp', 'should', 'refuses a timestamp of an hour ahead', 'RFC 5849, 3.3', 'a timestamp of an hour ahead, signed', { clock: HOUR }],
  ['refuse-milliseconds', 'should', 'refuses a timestamp in milliseconds', 'RFC 5849, 3.3', 'the time in milliseconds, signed', { oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `${seconds}000` }) }],
  ['refuse-fraction', 'should', 'refuses a timestamp with a fraction', 'RFC 5849, 3.3', 'the time in seconds with ".5" after it, signed', { oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `${seconds}.5` }) }],
  ['refuse-negative-timestamp', 'should', 'refuses a negative timestamp', 'RFC 5849, 3.3', 'the time in seconds after a minus sign, signed', { oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `-${seconds}` }) }],
  ['refuse-changed-body', 'should', 'refuses a body that is not the one of oauth_body_hash', 'OAuth Request Body Hash 1.0, 3.4.1', 'the signed SHA-256 of the body, and the body with a space after it', { bodyHash: 'SHA-256', sentBody: (body) => `${body} ` }],
  ['refuse-replay', 'must', 'refuses a request that is sent twice', 'specification, OAuth parameters; RFC 5849, 3.3', 'the same request twice', {}, refusesReplay()],
  ['refuse-replay-with-other-body', 'must', 'refuses a header that is sent again with another body', 'specification, OAuth parameters; RFC 5849, 3.3', 'a header twice, the second time with a space after the body', {}, refusesReplay(' ')],
]

/** What a gateway must refuse: malformed headers, signatures of something else, wrong keys, changed requests. */
export const REFUSED_SIGNATURES: readonly Subject[] = [
  { name: 'Refused headers', checks: checksOf([...HEADERS, ...MISSING], refusesCaller) },
  { name: 'Wrong base strings', checks: checksOf(BASE_STRINGS, refusesCaller) },
  { name: 'Wrong keys', checks: checksOf(KEYS, refusesCaller) },
  { name: 'Changed and repeated requests', checks: checksOf(CHANGED, refusesCaller) },
]
