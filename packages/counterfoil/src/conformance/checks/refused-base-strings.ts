import { percentDecode, percentEncode } from '@counterfoil/signing'
import type { Subject } from '../check.ts'
import { asksEach, type Changes, refusesCaller } from '../make-checks.ts'
import type { Change } from '../sign-request.ts'

type Step = (text: string) => string

/** Each check sends a request whose signature covers something else. The specification does not say how JSON is signed. */
const TEXTS = `
refuse-other-method | must | refuses a signature of another HTTP method | RFC 5849, 3.4.1.1 | a POST with the signature of a GET
refuse-other-path | must | refuses a signature of another path | RFC 5849, 3.4.1.2 | the signature of the path with /x after it
refuse-other-host | must | refuses a signature of another host | RFC 5849, 3.4.1.2 | the signature of the host other.example
refuse-other-port | must | refuses a signature of another port | RFC 5849, 3.4.1.2 | the signature of port 4
refuse-other-scheme-of-url | must | refuses a signature of the other scheme, http or https | RFC 5849, 3.4.1.2 | the signature of the URL with the other scheme
refuse-added-query | must | refuses a query that was added after signing | RFC 5849, 3.4.1.3.1 | the query ?a=1, which is not signed
refuse-changed-query | must | refuses a query that was changed after signing | RFC 5849, 3.4.1.3.1 | the query ?a=2 with the signature of ?a=1
refuse-removed-query | must | refuses a query that was removed after signing | RFC 5849, 3.4.1.3.1 | no query, with the signature of ?a=1
refuse-merged-duplicates | must | refuses a signature that covers a repeated parameter once | RFC 5849, 3.4.1.3.2 | the query ?x=a&x=a with the signature of ?x=a
refuse-unsorted | must | refuses unsorted parameters | specification, Signature generation, step 3 | the signature of the parameters in reverse order
refuse-encoded-twice | must | refuses values that are encoded once too often | specification, Signature generation, steps 2 and 5 | a nonce with %, encoded twice before the parameters are joined
refuse-not-encoded | must | refuses values that are not encoded | specification, Signature generation, step 2 | a nonce with %, not encoded before the parameters are joined
refuse-plus-for-space | must | refuses + for a space in the base string | RFC 5849, 3.6 | the query ?x=a%20b, signed as x=a+b
refuse-base-not-encoded | must | refuses a base string whose parts are not encoded | specification, Signature generation, step 5 | the signature of the base string before its encoding
refuse-base-lower-hex | must | refuses a base string whose percent-encoding is in lower case | RFC 5849, 3.6 | the signature of a base string with %3a instead of %3A
refuse-base-line-end | must | refuses a base string with a line end after it | RFC 5849, 3.4.1.1 | the signature of the base string and a line feed
refuse-signed-realm | must | refuses a realm that is signed | RFC 5849, 3.4.1.3.1 | realm="reports" as one of the signed parameters
refuse-signed-signature | must | refuses oauth_signature among the signed parameters | specification, Signature generation, step 1 | an empty oauth_signature as one of the signed parameters
refuse-signed-json | should | refuses the members of the JSON among the signed parameters | RFC 5849, 3.4.1.3.1 | reportIdentifier as one of the signed parameters
`

const CHANGES: Changes = {
  'refuse-other-method': { signed: { method: 'GET' } },
  'refuse-other-path': { signed: { url: (url) => `${url}/x` } },
  'refuse-other-host': {
    signed: { url: (url) => withUrl(url, (parts) => (parts.hostname = 'other.example')) },
  },
  'refuse-other-port': { signed: { url: (url) => withUrl(url, (parts) => (parts.port = '4')) } },
  'refuse-other-scheme-of-url': { signed: { url: otherScheme } },
  'refuse-added-query': { sentQuery: () => 'a=1' },
  'refuse-changed-query': { query: 'a=1', sentQuery: () => 'a=2' },
  'refuse-removed-query': { query: 'a=1', sentQuery: () => '' },
  'refuse-merged-duplicates': { query: 'x=a', sentQuery: () => 'x=a&x=a' },
  'refuse-unsorted': { signed: { parameters: (text) => text.split('&').toReversed().join('&') } },
  'refuse-encoded-twice': reencoded((value) => percentEncode(value)),
  'refuse-not-encoded': reencoded((value) => percentDecode(value)),
  'refuse-plus-for-space': {
    query: 'x=a%20b',
    signed: { parameters: (text) => text.replace('x=a%20b', 'x=a+b') },
  },
  'refuse-base-not-encoded': baseString((base) => percentDecode(base)),
  'refuse-base-lower-hex': baseString((base) =>
    base.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  ),
  'refuse-base-line-end': baseString((base) => `${base}\n`),
  'refuse-signed-realm': { realm: 'reports', alsoSigned: [['realm', 'reports']] },
  'refuse-signed-signature': { alsoSigned: [['oauth_signature', '']] },
  'refuse-signed-json': { alsoSigned: [['reportIdentifier', 'x']] },
}

/** What a gateway must refuse, because the signature is of another base string. */
export const REFUSED_BASE_STRINGS: Subject = {
  name: 'Wrong base strings',
  checks: asksEach(TEXTS, CHANGES, refusesCaller),
}

function baseString(change: Step): Change {
  return { signed: { baseString: change } }
}

/** Sends a nonce with a percent sign, whose value is encoded in another way in the signed parameters. */
function reencoded(change: Step): Change {
  const encoded = /(?<=oauth_nonce=)[^&]*/
  return {
    oauth: ({ oauth_nonce: random }) => ({ oauth_nonce: `${random}%/` }),
    signed: { parameters: (text) => text.replace(encoded, change) },
  }
}

function withUrl(url: string, change: (parts: URL) => void): string {
  const parts = new URL(url)
  change(parts)
  return parts.href
}

function otherScheme(url: string): string {
  return url.startsWith('https:') ? url.replace('https:', 'http:') : url.replace('http:', 'https:')
}
