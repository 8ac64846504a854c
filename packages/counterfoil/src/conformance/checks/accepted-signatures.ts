import { isReport } from '../answer.ts'
import { type CheckRow, checksOf, type Judge, PLAIN_CHECK, type Subject } from '../check.ts'
import { eachValue, lowerHex, nonce } from '../changes.ts'
import { find, sendsReport } from '../judges.ts'
import { writeHeader } from '../sign-request.ts'

const acceptsNonceAgain: Judge = async (_, { gateway, request }) => {
  const [, own = ''] = /oauth_nonce%3D(\w+)/.exec(request.baseString) ?? []
  const { answer } = await gateway.ask(nonce(() => own))
  return find(isReport(answer), 'the report for both requests', answer)
}

// biome-ignore format: a check is a line of the table
const ROWS: readonly CheckRow[] = [
  [PLAIN_CHECK, 'must', 'answers a signed request with the report', 'specification, Custom report', 'the plain request, signed'],
  ['accept-hmac', 'must', 'accepts a signature with HMAC-SHA1', 'specification, Signature generation; RFC 5849, 3.4.2', 'a request signed with HMAC-SHA1', { needs: 'HMAC-SHA1' }],
  ['accept-rsa', 'must', 'accepts a signature with RSA-SHA256', 'specification, Signature generation', 'a request signed with RSA-SHA256, PKCS #1 v1.5', { needs: 'RSA-SHA256' }],
  ['accept-realm', 'must', 'accepts a realm, which is not signed', 'specification, Authorization header; RFC 5849, 3.5.1', 'a header that begins with realm="reports"', { realm: 'reports' }],
  ['accept-empty-realm', 'must', 'accepts an empty realm', 'specification, Authorization header', 'a header that begins with realm=""', { realm: '' }],
  ['accept-no-version', 'must', 'accepts a request without oauth_version', 'RFC 5849, 3.1', 'neither a signed nor a sent oauth_version', { oauth: () => ({ oauth_version: undefined }) }],
  ['accept-comma-space', 'must', 'accepts a space after each comma', 'specification, Authorization header', 'parameters of the header separated by ", "', { write: (pairs) => writeHeader(pairs, ', ') }],
  ['accept-wide-spacing', 'should', 'accepts spaces and tabs around commas', 'RFC 5849, 3.5.1; RFC 9110, 5.6.1', 'parameters of the header separated by " ,\\t "', { write: (pairs) => writeHeader(pairs, ' ,\t ') }],
  ['accept-scheme-case', 'must', 'accepts the scheme in lower case', 'RFC 5849, 3.5.1', 'a header that begins with "oauth "', { write: (pairs) => writeHeader(pairs).replace('OAuth', 'oauth') }],
  ['accept-any-order', 'must', 'accepts the parameters of the header in any order', 'RFC 5849, 3.5.1', 'the parameters of the header in reverse order', { header: (pairs) => pairs.toReversed() }],
  ['accept-lower-hex', 'must', 'accepts percent-encoding in lower case', 'RFC 3986, 2.1', 'values of the header with %2b instead of %2B', { ...nonce((random) => `${random}+/=`), header: eachValue(lowerHex) }],
  ['accept-needless-encoding', 'should', 'accepts an encoded character that needs no encoding', 'RFC 3986, 2.3', 'the version of the header as %31.0', { header: eachValue((value) => (value === '1.0' ? '%31.0' : value)) }],
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
]

/** What a gateway must accept. */
export const ACCEPTED_SIGNATURES: Subject = {
  name: 'Accepted signatures',
  checks: checksOf(ROWS, sendsReport),
}
