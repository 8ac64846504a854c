import { isReport } from '../answer.ts'
import { type Check, PLAIN_CHECK, type Subject } from '../check.ts'
import {
  asks,
  asksEach,
  type Changes,
  check,
  type CheckTexts,
  find,
  onlyFor,
  sendsReport,
} from '../make-checks.ts'
import { type Change, type Pairs, writeHeader } from '../sign-request.ts'

/** The query of the example in RFC 5849, 3.4.1.3.1, with its duplicates, empty values and encoded names. */
const RFC_QUERY = 'b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2=&a3=2+q'
/** Names that have another order if a signer sorts before it encodes, by locale, or without case. */
const ORDER_QUERY = 'a_b=1&a-b=2&B=3&a=4&a%20b=5&a%C3%A9=6&a~=7&a.b=8'

const PLAIN_TEXTS: CheckTexts = {
  id: PLAIN_CHECK,
  title: 'answers a signed request with the report',
  clause: 'specification, Custom report',
  sent: 'the plain request, signed',
}

const accepts = (texts: CheckTexts, change: Change): Check => asks(texts, change, sendsReport)

const METHODS: readonly Check[] = [
  check(PLAIN_TEXTS, async (gateway) => sendsReport(await gateway.plainAnswer())),
  onlyFor(
    'HMAC-SHA1',
    accepts(
      {
        id: 'accept-hmac',
        title: 'accepts a signature with HMAC-SHA1',
        clause: 'specification, Signature generation; RFC 5849, 3.4.2',
        sent: 'a request signed with HMAC-SHA1',
      },
      {},
    ),
  ),
  onlyFor(
    'RSA-SHA256',
    accepts(
      {
        id: 'accept-rsa',
        title: 'accepts a signature with RSA-SHA256',
        clause: 'specification, Signature generation',
        sent: 'a request signed with RSA-SHA256, PKCS #1 v1.5',
      },
      {},
    ),
  ),
]

const TEXTS = `
accept-realm | must | accepts a realm, which is not signed | specification, Authorization header; RFC 5849, 3.5.1 | a header that begins with realm="reports"
accept-empty-realm | must | accepts an empty realm | specification, Authorization header | a header that begins with realm=""
accept-no-version | must | accepts a request without oauth_version | RFC 5849, 3.1 | neither a signed nor a sent oauth_version
accept-comma-space | must | accepts a space after each comma | specification, Authorization header | parameters of the header separated by ", "
accept-wide-spacing | should | accepts spaces and tabs around commas | RFC 5849, 3.5.1; RFC 9110, 5.6.1 | parameters of the header separated by " ,\\t "
accept-scheme-case | must | accepts the scheme in lower case | RFC 5849, 3.5.1 | a header that begins with "oauth "
accept-any-order | must | accepts the parameters of the header in any order | RFC 5849, 3.5.1 | the parameters of the header in reverse order
accept-lower-hex | must | accepts percent-encoding in lower case | RFC 3986, 2.1 | values of the header with %2b instead of %2B
accept-needless-encoding | should | accepts an encoded character that needs no encoding | RFC 3986, 2.3 | the version of the header as %31.0
accept-nonce-base64 | must | accepts a nonce with characters of base64 | specification, Authorization header | a nonce with +, / and =, percent-encoded in the header
accept-nonce-hard | should | accepts a nonce with the characters !'()* and ~ | RFC 5849, 3.6 | a nonce with !'()*~, encoded as RFC 5849 says
accept-nonce-short | must | accepts a nonce of 8 characters | specification, OAuth parameters | a nonce of 8 digits and letters
accept-nonce-long | should | accepts a nonce of 64 characters | specification, OAuth parameters | a nonce of 64 characters
accept-clock-behind | should | accepts a clock that is 30 seconds behind | RFC 5849, 3.3 | a timestamp of 30 seconds ago
accept-clock-ahead | should | accepts a clock that is 30 seconds ahead | RFC 5849, 3.3 | a timestamp of 30 seconds from now
accept-query | must | accepts a signed query | RFC 5849, 3.4.1.3.1 | the query ?a=1, whose parameter is signed
accept-query-of-rfc | must | accepts the query of the example in RFC 5849 | RFC 5849, 3.4.1.3.1 | the query ?${RFC_QUERY}
accept-query-order | must | sorts parameters by their encoded names and values | specification, Signature generation; RFC 5849, 3.4.1.3.2 | the query ?${ORDER_QUERY}
accept-query-repeated-name | must | signs each of several parameters of one name, sorted by value | RFC 5849, 3.4.1.3.2 | the query ?x=b&x=a&x=B&x=a
accept-query-plus | must | reads a + of the query as a space | RFC 5849, 3.4.1.3.1 | the query ?x=a+b%2Bc
accept-query-without-value | must | signs a parameter without a value | RFC 5849, 3.4.1.3.1 | the query ?empty=&name
accept-query-reserved | must | encodes reserved characters, and no others | specification, Signature generation; RFC 3986, 2.2 | the query with %!'()*,/:;=?@[]~ and a letter outside ASCII
accept-json-charset | should | accepts application/json with charset=utf-8 | RFC 9110, 8.3 | Content-Type: application/json; charset=utf-8
accept-body-hash-sha1 | should | accepts a signed oauth_body_hash with SHA-1 | OAuth Request Body Hash 1.0, 3.2 | the SHA-1 of the body as oauth_body_hash
`

const CHANGES: Changes = {
  'accept-realm': { realm: 'reports' },
  'accept-empty-realm': { realm: '' },
  'accept-no-version': { oauth: () => ({ oauth_version: undefined }) },
  'accept-comma-space': { write: (pairs) => writeHeader(pairs, ', ') },
  'accept-wide-spacing': { write: (pairs) => writeHeader(pairs, ' ,\t ') },
  'accept-scheme-case': { write: (pairs) => writeHeader(pairs).replace('OAuth', 'oauth') },
  'accept-any-order': { header: (pairs) => pairs.toReversed() },
  'accept-lower-hex': {
    oauth: nonceOf((random) => `${random}+/=`),
    header: (pairs) => mapValues(pairs, lowerHex),
  },
  'accept-needless-encoding': {
    header: (pairs) => mapValues(pairs, (value) => (value === '1.0' ? '%31.0' : value)),
  },
  'accept-nonce-base64': { oauth: nonceOf((random) => `${random}+/=`) },
  'accept-nonce-hard': { oauth: nonceOf((random) => `${random}!'()*~`) },
  'accept-nonce-short': { oauth: nonceOf((random) => random.slice(0, 8)) },
  'accept-nonce-long': { oauth: nonceOf((random) => random.padEnd(64, 'x')) },
  'accept-clock-behind': { clock: -30 },
  'accept-clock-ahead': { clock: 30 },
  'accept-query': { query: 'a=1' },
  'accept-query-of-rfc': { query: RFC_QUERY },
  'accept-query-order': { query: ORDER_QUERY },
  'accept-query-repeated-name': { query: 'x=b&x=a&x=B&x=a' },
  'accept-query-plus': { query: 'x=a+b%2Bc' },
  'accept-query-without-value': { query: 'empty=&name' },
  'accept-query-reserved': {
    query: 'x=%25%21%27%28%29%2A%2C%2F%3A%3B%3D%3F%40%5B%5D~-._%C3%A9%E2%82%AC',
  },
  'accept-json-charset': { contentType: 'application/json; charset=utf-8' },
  'accept-body-hash-sha1': { bodyHash: 'SHA-1' },
}

const NONCE_AT_OTHER_TIME = check(
  {
    id: 'accept-nonce-at-other-time',
    title: 'accepts a nonce again with another timestamp',
    clause: 'RFC 5849, 3.3',
    level: 'should',
    sent: 'two requests with the same nonce, and timestamps 7 seconds apart',
  },
  async (gateway) => {
    const own = crypto.randomUUID()
    await gateway.ask({ oauth: nonceOf(() => own), clock: -7 })
    const answer = await gateway.ask({ oauth: nonceOf(() => own) })
    return find(isReport(answer), 'the report for both requests', answer)
  },
)

/** What a gateway must accept. */
export const ACCEPTED_SIGNATURES: Subject = {
  name: 'Accepted signatures',
  checks: [...METHODS, ...asksEach(TEXTS, CHANGES, sendsReport), NONCE_AT_OTHER_TIME],
}

function nonceOf(change: (random: string) => string): NonNullable<Change['oauth']> {
  return ({ oauth_nonce: random = '' }) => ({ oauth_nonce: change(random) })
}

function mapValues(pairs: Pairs, change: (value: string) => string): Pairs {
  return pairs.map(([name, value]) => [name, change(value)])
}

function lowerHex(value: string): string {
  return value.replaceAll(/%[0-9A-F]{2}/g, (encoded) => encoded.toLowerCase())
}
