import { generateKeyPairSync, hash } from 'node:crypto'
import { percentDecode, percentEncode } from '@counterfoil/signing'
import {
  type Check,
  expects,
  find,
  isRefused,
  isReport,
  type Judge,
  refusesCaller,
  type Subject,
} from '../check.ts'
import {
  alsoSigned,
  type Change,
  hmacWith,
  lowerHex,
  nonce,
  otherUrl,
  reencoded,
  resigned,
  rsaWith,
  signBase,
  values,
  writeHeader,
} from '../sign-request.ts'

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

const sendsReport = expects('status 200 and the complete report', (answer) => {
  return isReport(answer) && answer.isComplete
})

const acceptsNonceAgain: Judge = async (_, { gateway, request }) => {
  const [, own = ''] = /oauth_nonce%3D(\w+)/.exec(request.baseString) ?? []
  const { answer } = await gateway.ask(nonce(() => own))
  return find(isReport(answer), 'the report for both requests', answer)
}

const REALM: Change = { header: (pairs) => [['realm', 'reports'], ...pairs] }

// biome-ignore format: a check is a line of the table
const MISSING = ['consumer_key', 'nonce', 'signature', 'signature_method', 'timestamp'].flatMap((short): Check[] => {
  const [name, id] = [`oauth_${short}`, short.replaceAll('_', '-')]
  const empty = { header: values(() => '', name) }
  return [
    [`refuse-without-${id}`, 'must', `refuses a header without ${name}`, 'specification, Authorization header; RFC 5849, 3.1', `a request without ${name}, correctly signed otherwise`, { oauth: () => ({ [name]: undefined }), header: (pairs) => pairs.filter(([own]) => own !== name) }],
    [`refuse-empty-${id}`, 'must', `refuses an empty ${name}`, 'specification, OAuth parameters; RFC 5849, 3.1', `${name}="", correctly signed otherwise`, short === 'signature' ? empty : { ...empty, oauth: () => ({ [name]: '' }) }],
  ]
})

// biome-ignore format: a check is a line of the table
export const SIGNATURES: readonly Subject[] = [
  { name: 'Accepted signatures', judge: sendsReport, checks: [
    ['plain-request', 'must', 'answers a signed request with the report', 'specification, Custom report', 'the plain request, signed'],
    ['accept-hmac', 'must', 'accepts a signature with HMAC-SHA1', 'specification, Signature generation; RFC 5849, 3.4.2', 'a request signed with HMAC-SHA1', { needs: 'HMAC-SHA1' }],
    ['accept-rsa', 'must', 'accepts a signature with RSA-SHA256', 'specification, Signature generation', 'a request signed with RSA-SHA256, PKCS #1 v1.5', { needs: 'RSA-SHA256' }],
    ['accept-realm', 'must', 'accepts a realm, which is not signed', 'specification, Authorization header; RFC 5849, 3.5.1', 'a header that begins with realm="reports"', REALM],
    ['accept-empty-realm', 'must', 'accepts an empty realm', 'specification, Authorization header', 'a header that begins with realm=""', { header: (pairs) => [['realm', ''], ...pairs] }],
    ['accept-no-version', 'must', 'accepts a request without oauth_version', 'RFC 5849, 3.1', 'neither a signed nor a sent oauth_version', { oauth: () => ({ oauth_version: undefined }) }],
    ['accept-comma-space', 'must', 'accepts a space after each comma', 'specification, Authorization header', 'parameters of the header separated by ", "', { write: (pairs) => writeHeader(pairs, ', ') }],
    ['accept-wide-spacing', 'should', 'accepts spaces and tabs around commas', 'RFC 5849, 3.5.1; RFC 9110, 5.6.1', 'parameters of the header separated by " ,\\t "', { write: (pairs) => writeHeader(pairs, ' ,\t ') }],
    ['accept-scheme-case', 'must', 'accepts the scheme in lower case', 'RFC 5849, 3.5.1', 'a header that begins with "oauth "', { write: (pairs) => writeHeader(pairs).replace('OAuth', 'oauth') }],
    ['accept-any-order', 'must', 'accepts the parameters of the header in any order', 'RFC 5849, 3.5.1', 'the parameters of the header in reverse order', { header: (pairs) => pairs.toReversed() }],
    ['accept-lower-hex', 'must', 'accepts percent-encoding in lower case', 'RFC 3986, 2.1', 'values of the header with %2b instead of %2B', { ...nonce((random) => `${random}+/=`), header: values(lowerHex) }],
    ['accept-needless-encoding', 'should', 'accepts an encoded character that needs no encoding', 'RFC 3986, 2.3', 'the version of the header as %31.0', { header: values((value) => (value === '1.0' ? '%31.0' : value)) }],
    ['accept-nonce-base64', 'must', 'accepts a nonce with characters of base64', 'specification, Authorization header', 'a nonce with +, / and =, percent-encoded in the header', nonce((random) => `${random}+/=`)],
    ['accept-nonce-hard', 'should', "accepts a nonce with the characters !'()* and ~", 'RFC 5849, 3.6', "a nonce with !'()*~, encoded as RFC 5849 says", nonce((random) => `${random}!'()*~`)],
    ['accept-nonce-short', 'must', 'accepts a nonce of 8 characters', 'specification, OAuth parameters', 'a nonce of 8 digits and letters', nonce((random) => random.slice(0, 8))],
    ['accept-nonce-long', 'should', 'accepts a nonce of 64 characters', 'specification, OAuth parameters', 'a nonce of 64 characters', nonce((random) => random.padEnd(64, 'x'))],
    ['accept-clock-behind', 'should', 'accepts a clock that is 30 seconds behind', 'RFC 5849, 3.3', 'a timestamp of 30 seconds ago', { clock: -30 }],
    ['accept-clock-ahead', 'should', 'accepts a clock that is 30 seconds ahead', 'RFC 5849, 3.3', 'a timestamp of 30 seconds from now', { clock: 30 }],
    ['accept-query', 'must', 'accepts a signed query', 'RFC 5849, 3.4.1.3.1', 'the query ?a=1, whose parameter is signed', { query: 'a=1' }],
    ['accept-query-of-rfc', 'must', 'accepts the query of the example in RFC 5849', 'RFC 5849, 3.4.1.3.1', 'the query ?b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2=&a3=2+q', { query: 'b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2=&a3=2+q' }],
    ['accept-query-order', 'must', 'sorts parameters by their encoded names and values', 'specification, Signature generation; RFC 5849, 3.4.1.3.2', 'the query ?a_b=1&a-b=2&B=3&a=4&a%20b=5&a%C3%A9=6&a~=7&a.b=8', { query: 'a_b=1&a-b=2&B=3&a=4&a%20b=5&a%C3%A9=6&a~=7&a.b=8' }],
    ['accept-query-repeated-name', 'must', 'signs each of several parameters of one name, sorted by value', 'RFC 5849, 3.4.1.3.2', 'the query ?x=b&x=a&x=B&x=a', { query: 'x=b&x=a&x=B&x=a' }],
    ['accept-query-plus', 'must', 'reads a + of the query as a space', 'RFC 5849, 3.4.1.3.1', 'the query ?x=a+b%2Bc', { query: 'x=a+b%2Bc' }],
    ['accept-query-without-value', 'must', 'signs a parameter without a value', 'RFC 5849, 3.4.1.3.1', 'the query ?empty=&name', { query: 'empty=&name' }],
    ['accept-query-reserved', 'must', 'encodes reserved characters, and no others', 'specification, Signature generation; RFC 3986, 2.2', "the query with %!'()*,/:;=?@[]~ and a letter outside ASCII", { query: 'x=%25%21%27%28%29%2A%2C%2F%3A%3B%3D%3F%40%5B%5D~-._%C3%A9%E2%82%AC' }],
    ['accept-json-charset', 'should', 'accepts application/json with charset=utf-8', 'RFC 9110, 8.3', 'Content-Type: application/json; charset=utf-8', { contentType: 'application/json; charset=utf-8' }],
    ['accept-body-hash-sha1', 'should', 'accepts a signed oauth_body_hash with SHA-1', 'OAuth Request Body Hash 1.0, 3.2', 'the SHA-1 of the body as oauth_body_hash', { bodyHash: 'SHA-1' }],
    ['accept-nonce-at-other-time', 'should', 'accepts a nonce again with another timestamp', 'RFC 5849, 3.3', 'two requests with the same nonce, and timestamps 7 seconds apart', { clock: -7 }, acceptsNonceAgain],
  ] },
  { name: 'Refused headers', judge: refusesCaller, checks: [
    ['refuse-no-header', 'must', 'refuses a request without an Authorization header', 'specification, Authentication', 'no Authorization header', { write: () => undefined }],
    ['refuse-other-scheme', 'must', 'refuses another scheme than OAuth', 'specification, Authorization header', 'a valid signature after the scheme Bearer', { write: (pairs) => writeHeader(pairs).replace('OAuth', 'Bearer') }],
    ['refuse-two-headers', 'should', 'refuses two Authorization headers', 'RFC 9110, 5.3', 'a valid Authorization header twice', { write: (pairs) => [writeHeader(pairs), writeHeader(pairs)] }],
    ['refuse-parameters-in-query', 'must', 'refuses the parameters of the signature in the query alone', 'specification, Authorization header', 'a valid signature in the query, and no Authorization header', { write: () => undefined, sentQuery: (pairs) => pairs.map((pair) => pair.join('=')).join('&') }],
    ['refuse-repeated-parameter', 'must', 'refuses a parameter with two values', 'RFC 5849, 3.1', 'a header with two different nonces, of which the first is signed', { header: (pairs) => [...pairs, ['oauth_nonce', 'other']] }],
    ['refuse-no-quotes', 'should', 'refuses values without quotes', 'specification, Authorization header; RFC 5849, 3.5.1', 'a header with oauth_nonce=value', { write: (pairs) => writeHeader(pairs).replaceAll('"', '') }],
    ['refuse-version', 'must', 'refuses another oauth_version than 1.0', 'specification, OAuth parameters; RFC 5849, 3.2', 'oauth_version="2.0", signed', { oauth: () => ({ oauth_version: '2.0' }) }],
    ['refuse-plaintext', 'must', 'refuses the signature method PLAINTEXT', 'specification, OAuth parameters', 'oauth_signature_method="PLAINTEXT" with an empty secret', { oauth: () => ({ oauth_signature_method: 'PLAINTEXT' }), sign: () => '&' }],
    ['refuse-method-name', 'should', 'refuses the name of a signature method in lower case', 'specification, Authentication (names are exact)', 'the method in lower case, correctly signed otherwise', { oauth: ({ oauth_signature_method: own = '' }) => ({ oauth_signature_method: own.toLowerCase() }) }],
    ['refuse-none-method', 'must', 'refuses the signature method "none"', 'specification, OAuth parameters', 'oauth_signature_method="none" with an empty signature', { oauth: () => ({ oauth_signature_method: 'none' }), header: values(() => '', 'oauth_signature') }],
    ['refuse-unknown-login', 'must', 'refuses a login that does not exist', 'specification, OAuth parameters', 'a random login, signed with the key of the login', { oauth: ({ oauth_nonce: random }) => ({ oauth_consumer_key: `nobody-${random}` }) }],
    ...MISSING,
  ] },
  // The specification does not say how JSON is signed.
  { name: 'Wrong base strings', judge: refusesCaller, checks: [
    ['refuse-other-method', 'must', 'refuses a signature of another HTTP method', 'RFC 5849, 3.4.1.1', 'a POST with the signature of a GET', { baseString: (base) => base.replace(/^POST/, 'GET') }],
    ['refuse-other-path', 'must', 'refuses a signature of another path', 'RFC 5849, 3.4.1.2', 'the signature of the path with /x after it', otherUrl((url) => `${url}/x`)],
    ['refuse-other-host', 'must', 'refuses a signature of another host', 'RFC 5849, 3.4.1.2', 'the signature of the host other.example', otherUrl((url) => Object.assign(new URL(url), { hostname: 'other.example' }).href)],
    ['refuse-other-port', 'must', 'refuses a signature of another port', 'RFC 5849, 3.4.1.2', 'the signature of port 4', otherUrl((url) => Object.assign(new URL(url), { port: '4' }).href)],
    ['refuse-other-scheme-of-url', 'must', 'refuses a signature of the other scheme, http or https', 'RFC 5849, 3.4.1.2', 'the signature of the URL with the other scheme', otherUrl((url) => url.replace(/^https?/, (own) => (own === 'http' ? 'https' : 'http')))],
    ['refuse-added-query', 'must', 'refuses a query that was added after signing', 'RFC 5849, 3.4.1.3.1', 'the query ?a=1, which is not signed', { sentQuery: () => 'a=1' }],
    ['refuse-changed-query', 'must', 'refuses a query that was changed after signing', 'RFC 5849, 3.4.1.3.1', 'the query ?a=2 with the signature of ?a=1', { query: 'a=1', sentQuery: () => 'a=2' }],
    ['refuse-removed-query', 'must', 'refuses a query that was removed after signing', 'RFC 5849, 3.4.1.3.1', 'no query, with the signature of ?a=1', { query: 'a=1', sentQuery: () => '' }],
    ['refuse-merged-duplicates', 'must', 'refuses a signature that covers a repeated parameter once', 'RFC 5849, 3.4.1.3.2', 'the query ?x=a&x=a with the signature of ?x=a', { query: 'x=a', sentQuery: () => 'x=a&x=a' }],
    ['refuse-unsorted', 'must', 'refuses unsorted parameters', 'specification, Signature generation, step 3', 'the signature of the parameters in reverse order', { parameters: (text) => text.split('&').toReversed().join('&') }],
    ['refuse-encoded-twice', 'must', 'refuses values that are encoded once too often', 'specification, Signature generation, steps 2 and 5', 'a nonce with %, encoded twice before the parameters are joined', reencoded(percentEncode)],
    ['refuse-not-encoded', 'must', 'refuses values that are not encoded', 'specification, Signature generation, step 2', 'a nonce with %, not encoded before the parameters are joined', reencoded(percentDecode)],
    ['refuse-plus-for-space', 'must', 'refuses + for a space in the base string', 'RFC 5849, 3.6', 'the query ?x=a%20b, signed as x=a+b', { query: 'x=a%20b', parameters: (text) => text.replace('x=a%20b', 'x=a+b') }],
    ['refuse-base-not-encoded', 'must', 'refuses a base string whose parts are not encoded', 'specification, Signature generation, step 5', 'the signature of the base string before its encoding', { baseString: (base) => percentDecode(base) }],
    ['refuse-base-lower-hex', 'must', 'refuses a base string whose percent-encoding is in lower case', 'RFC 5849, 3.6', 'the signature of a base string with %3a instead of %3A', { baseString: lowerHex }],
    ['refuse-base-line-end', 'must', 'refuses a base string with a line end after it', 'RFC 5849, 3.4.1.1', 'the signature of the base string and a line feed', { baseString: (base) => `${base}\n` }],
    ['refuse-signed-realm', 'must', 'refuses a realm that is signed', 'RFC 5849, 3.4.1.3.1', 'realm="reports" as one of the signed parameters', { ...REALM, ...alsoSigned('realm=reports') }],
    ['refuse-signed-signature', 'must', 'refuses oauth_signature among the signed parameters', 'specification, Signature generation, step 1', 'an empty oauth_signature as one of the signed parameters', alsoSigned('oauth_signature=')],
    ['refuse-signed-json', 'should', 'refuses the members of the JSON among the signed parameters', 'RFC 5849, 3.4.1.3.1', 'reportIdentifier as one of the signed parameters', alsoSigned('reportIdentifier=x')],
  ] },
  { name: 'Wrong keys', judge: refusesCaller, checks: [
    ['refuse-wrong-control-key', 'must', 'refuses another control key', 'specification, Signature generation, step 6', 'a signature with the control key and one more character', hmacWith((key) => `${key}x&`)],
    ['refuse-key-without-ampersand', 'must', 'refuses a key without the ampersand after it', 'specification, Signature generation, step 6', 'an HMAC with the control key alone', hmacWith((key) => key)],
    ['refuse-empty-key', 'must', 'refuses an empty key', 'specification, Signature generation, step 6', 'an HMAC with the key "&"', hmacWith(() => '&')],
    ['refuse-key-with-line-end', 'must', 'refuses a key with a line end', 'specification, Signature generation, step 6', 'an HMAC with the control key, a line feed and an ampersand', hmacWith((key) => `${key}\n&`)],
    ['refuse-hmac-sha256', 'must', 'refuses HMAC-SHA256 under the name HMAC-SHA1', 'specification, Signature generation, step 6', 'an HMAC with SHA-256', hmacWith((key) => `${key}&`, 'sha256')],
    ['refuse-bare-sha1', 'must', 'refuses a hash without a key', 'specification, Signature generation, step 6', 'the SHA-1 of the base string', { needs: 'HMAC-SHA1', sign: (base) => hash('sha1', base, 'base64') }],
    ['refuse-wrong-rsa-key', 'must', 'refuses another RSA key', 'specification, Signature generation, step 6', 'a signature with a new RSA key of 2048 bits', rsaWith('RSA-SHA256', false, () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
    ['refuse-pss', 'must', 'refuses the padding PSS', 'specification, Signature generation; RFC 8017, 8.2', 'an RSA signature with PSS', rsaWith('RSA-SHA256', true)],
    ['refuse-rsa-sha1', 'must', 'refuses RSA with SHA-1', 'specification, Signature generation, step 6', 'an RSA signature with SHA-1', rsaWith('RSA-SHA1')],
  ] },
  { name: 'Changed and repeated requests', judge: refusesCaller, checks: [
    ['refuse-changed-nonce', 'must', 'refuses a nonce that was changed after signing', 'RFC 5849, 3.4.1.3.1', 'another nonce than the signed one', { header: values((value) => `${value}0`, 'oauth_nonce') }],
    ['refuse-changed-timestamp', 'must', 'refuses a timestamp that was changed after signing', 'RFC 5849, 3.4.1.3.1', 'a timestamp one second after the signed one', { header: values((value) => String(Number(value) + 1), 'oauth_timestamp') }],
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
  ] },
]
