import { isReport } from '../answer.ts'
import { type Check, PLAIN_CHECK, type Subject } from '../check.ts'
import { asks, check, type CheckTexts, find, onlyFor, sendsReport } from '../make-checks.ts'
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

const HEADER: readonly Check[] = [
  accepts(
    {
      id: 'accept-realm',
      title: 'accepts a realm, which is not signed',
      clause: 'specification, Authorization header; RFC 5849, 3.5.1',
      sent: 'a header that begins with realm="reports"',
    },
    { realm: 'reports' },
  ),
  accepts(
    {
      id: 'accept-empty-realm',
      title: 'accepts an empty realm',
      clause: 'specification, Authorization header',
      sent: 'a header that begins with realm=""',
    },
    { realm: '' },
  ),
  accepts(
    {
      id: 'accept-no-version',
      title: 'accepts a request without oauth_version',
      clause: 'RFC 5849, 3.1',
      sent: 'neither a signed nor a sent oauth_version',
    },
    { oauth: () => ({ oauth_version: undefined }) },
  ),
  accepts(
    {
      id: 'accept-comma-space',
      title: 'accepts a space after each comma',
      clause: 'specification, Authorization header',
      sent: 'parameters of the header separated by ", "',
    },
    { write: (pairs) => writeHeader(pairs, ', ') },
  ),
  accepts(
    {
      id: 'accept-wide-spacing',
      title: 'accepts spaces and tabs around commas',
      clause: 'RFC 5849, 3.5.1; RFC 9110, 5.6.1',
      level: 'should',
      sent: 'parameters of the header separated by " ,\\t "',
    },
    { write: (pairs) => writeHeader(pairs, ' ,\t ') },
  ),
  accepts(
    {
      id: 'accept-scheme-case',
      title: 'accepts the scheme in lower case',
      clause: 'RFC 5849, 3.5.1',
      sent: 'a header that begins with "oauth "',
    },
    { write: (pairs) => writeHeader(pairs).replace('OAuth', 'oauth') },
  ),
  accepts(
    {
      id: 'accept-any-order',
      title: 'accepts the parameters of the header in any order',
      clause: 'RFC 5849, 3.5.1',
      sent: 'the parameters of the header in reverse order',
    },
    { header: (pairs) => pairs.toReversed() },
  ),
  accepts(
    {
      id: 'accept-lower-hex',
      title: 'accepts percent-encoding in lower case',
      clause: 'RFC 3986, 2.1',
      sent: 'values of the header with %2b instead of %2B',
    },
    { oauth: nonceOf((random) => `${random}+/=`), header: (pairs) => mapValues(pairs, lowerHex) },
  ),
  accepts(
    {
      id: 'accept-needless-encoding',
      title: 'accepts an encoded character that needs no encoding',
      clause: 'RFC 3986, 2.3',
      level: 'should',
      sent: 'the version of the header as %31.0',
    },
    { header: (pairs) => mapValues(pairs, (value) => (value === '1.0' ? '%31.0' : value)) },
  ),
]

const TIME: readonly Check[] = [
  accepts(
    {
      id: 'accept-nonce-base64',
      title: 'accepts a nonce with characters of base64',
      clause: 'specification, Authorization header',
      sent: 'a nonce with +, / and =, percent-encoded in the header',
    },
    { oauth: nonceOf((random) => `${random}+/=`) },
  ),
  accepts(
    {
      id: 'accept-nonce-hard',
      title: "accepts a nonce with the characters !'()* and ~",
      clause: 'RFC 5849, 3.6',
      level: 'should',
      sent: "a nonce with !'()*~, encoded as RFC 5849 says",
    },
    { oauth: nonceOf((random) => `${random}!'()*~`) },
  ),
  accepts(
    {
      id: 'accept-nonce-short',
      title: 'accepts a nonce of 8 characters',
      clause: 'specification, OAuth parameters',
      sent: 'a nonce of 8 digits and letters',
    },
    { oauth: nonceOf((random) => random.slice(0, 8)) },
  ),
  accepts(
    {
      id: 'accept-nonce-long',
      title: 'accepts a nonce of 64 characters',
      clause: 'specification, OAuth parameters',
      level: 'should',
      sent: 'a nonce of 64 characters',
    },
    { oauth: nonceOf((random) => random.padEnd(64, 'x')) },
  ),
  accepts(
    {
      id: 'accept-clock-behind',
      title: 'accepts a clock that is 30 seconds behind',
      clause: 'RFC 5849, 3.3',
      level: 'should',
      sent: 'a timestamp of 30 seconds ago',
    },
    { clock: -30 },
  ),
  accepts(
    {
      id: 'accept-clock-ahead',
      title: 'accepts a clock that is 30 seconds ahead',
      clause: 'RFC 5849, 3.3',
      level: 'should',
      sent: 'a timestamp of 30 seconds from now',
    },
    { clock: 30 },
  ),
  check(
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
  ),
]

const PARAMETERS: readonly Check[] = [
  accepts(
    {
      id: 'accept-query',
      title: 'accepts a signed query',
      clause: 'RFC 5849, 3.4.1.3.1',
      sent: 'the query ?a=1, whose parameter is signed',
    },
    { query: 'a=1' },
  ),
  accepts(
    {
      id: 'accept-query-of-rfc',
      title: 'accepts the query of the example in RFC 5849',
      clause: 'RFC 5849, 3.4.1.3.1',
      sent: `the query ?${RFC_QUERY}`,
    },
    { query: RFC_QUERY },
  ),
  accepts(
    {
      id: 'accept-query-order',
      title: 'sorts parameters by their encoded names and values',
      clause: 'specification, Signature generation; RFC 5849, 3.4.1.3.2',
      sent: `the query ?${ORDER_QUERY}`,
    },
    { query: ORDER_QUERY },
  ),
  accepts(
    {
      id: 'accept-query-repeated-name',
      title: 'signs each of several parameters of one name, sorted by value',
      clause: 'RFC 5849, 3.4.1.3.2',
      sent: 'the query ?x=b&x=a&x=B&x=a',
    },
    { query: 'x=b&x=a&x=B&x=a' },
  ),
  accepts(
    {
      id: 'accept-query-plus',
      title: 'reads a + of the query as a space',
      clause: 'RFC 5849, 3.4.1.3.1',
      sent: 'the query ?x=a+b%2Bc',
    },
    { query: 'x=a+b%2Bc' },
  ),
  accepts(
    {
      id: 'accept-query-without-value',
      title: 'signs a parameter without a value',
      clause: 'RFC 5849, 3.4.1.3.1',
      sent: 'the query ?empty=&name',
    },
    { query: 'empty=&name' },
  ),
  accepts(
    {
      id: 'accept-query-reserved',
      title: 'encodes reserved characters, and no others',
      clause: 'specification, Signature generation; RFC 3986, 2.2',
      sent: "the query with %!'()*,/:;=?@[]~ and a letter outside ASCII",
    },
    { query: 'x=%25%21%27%28%29%2A%2C%2F%3A%3B%3D%3F%40%5B%5D~-._%C3%A9%E2%82%AC' },
  ),
  accepts(
    {
      id: 'accept-json-charset',
      title: 'accepts application/json with charset=utf-8',
      clause: 'RFC 9110, 8.3',
      level: 'should',
      sent: 'Content-Type: application/json; charset=utf-8',
    },
    { contentType: 'application/json; charset=utf-8' },
  ),
  accepts(
    {
      id: 'accept-body-hash-sha1',
      title: 'accepts a signed oauth_body_hash with SHA-1',
      clause: 'OAuth Request Body Hash 1.0, 3.2',
      level: 'should',
      sent: 'the SHA-1 of the body as oauth_body_hash',
    },
    { bodyHash: 'SHA-1' },
  ),
]

/** What a gateway must accept. */
export const ACCEPTED_SIGNATURES: Subject = {
  name: 'Accepted signatures',
  checks: [...METHODS, ...HEADER, ...TIME, ...PARAMETERS],
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
