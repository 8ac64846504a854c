import { percentDecode, percentEncode } from '@counterfoil/signing'
import type { Subject } from '../check.ts'
import { type RefusalRow, refuses } from '../make-checks.ts'
import type { Change } from '../sign-request.ts'

const SIGNATURE = 'specification, Signature generation'

type Step = (text: string) => string

/** Each row sends a request whose signature covers something else. */
const BASE_STRINGS: readonly RefusalRow[] = [
  [
    'refuse-other-method',
    'refuses a signature of another HTTP method',
    'RFC 5849, 3.4.1.1',
    'a POST with the signature of a GET',
    { signed: { method: 'GET' } },
  ],
  [
    'refuse-other-path',
    'refuses a signature of another path',
    'RFC 5849, 3.4.1.2',
    'the signature of the path with /x after it',
    { signed: { url: (url) => `${url}/x` } },
  ],
  [
    'refuse-other-host',
    'refuses a signature of another host',
    'RFC 5849, 3.4.1.2',
    'the signature of the host other.example',
    { signed: { url: (url) => withUrl(url, (parts) => (parts.hostname = 'other.example')) } },
  ],
  [
    'refuse-other-port',
    'refuses a signature of another port',
    'RFC 5849, 3.4.1.2',
    'the signature of port 4',
    { signed: { url: (url) => withUrl(url, (parts) => (parts.port = '4')) } },
  ],
  [
    'refuse-other-scheme-of-url',
    'refuses a signature of the other scheme, http or https',
    'RFC 5849, 3.4.1.2',
    'the signature of the URL with the other scheme',
    { signed: { url: otherScheme } },
  ],
  [
    'refuse-added-query',
    'refuses a query that was added after signing',
    'RFC 5849, 3.4.1.3.1',
    'the query ?a=1, which is not signed',
    { sentQuery: () => 'a=1' },
  ],
  [
    'refuse-changed-query',
    'refuses a query that was changed after signing',
    'RFC 5849, 3.4.1.3.1',
    'the query ?a=2 with the signature of ?a=1',
    { query: 'a=1', sentQuery: () => 'a=2' },
  ],
  [
    'refuse-removed-query',
    'refuses a query that was removed after signing',
    'RFC 5849, 3.4.1.3.1',
    'no query, with the signature of ?a=1',
    { query: 'a=1', sentQuery: () => '' },
  ],
  [
    'refuse-merged-duplicates',
    'refuses a signature that covers a repeated parameter once',
    'RFC 5849, 3.4.1.3.2',
    'the query ?x=a&x=a with the signature of ?x=a',
    { query: 'x=a', sentQuery: () => 'x=a&x=a' },
  ],
  [
    'refuse-unsorted',
    'refuses unsorted parameters',
    `${SIGNATURE}, step 3`,
    'the signature of the parameters in reverse order',
    { signed: { parameters: (text) => text.split('&').toReversed().join('&') } },
  ],
  [
    'refuse-encoded-twice',
    'refuses values that are encoded once too often',
    `${SIGNATURE}, steps 2 and 5`,
    'a nonce with %, encoded twice before the parameters are joined',
    reencoded((value) => percentEncode(value)),
  ],
  [
    'refuse-not-encoded',
    'refuses values that are not encoded',
    `${SIGNATURE}, step 2`,
    'a nonce with %, not encoded before the parameters are joined',
    reencoded((value) => percentDecode(value)),
  ],
  [
    'refuse-plus-for-space',
    'refuses + for a space in the base string',
    'RFC 5849, 3.6',
    'the query ?x=a%20b, signed as x=a+b',
    { query: 'x=a%20b', signed: { parameters: (text) => text.replace('x=a%20b', 'x=a+b') } },
  ],
  [
    'refuse-base-not-encoded',
    'refuses a base string whose parts are not encoded',
    `${SIGNATURE}, step 5`,
    'the signature of the base string before its encoding',
    baseString((base) => percentDecode(base)),
  ],
  [
    'refuse-base-lower-hex',
    'refuses a base string whose percent-encoding is in lower case',
    'RFC 5849, 3.6',
    'the signature of a base string with %3a instead of %3A',
    baseString((base) => base.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())),
  ],
  [
    'refuse-base-line-end',
    'refuses a base string with a line end after it',
    'RFC 5849, 3.4.1.1',
    'the signature of the base string and a line feed',
    baseString((base) => `${base}\n`),
  ],
  [
    'refuse-signed-realm',
    'refuses a realm that is signed',
    'RFC 5849, 3.4.1.3.1',
    'realm="reports" as one of the signed parameters',
    { realm: 'reports', alsoSigned: [['realm', 'reports']] },
  ],
  [
    'refuse-signed-signature',
    'refuses oauth_signature among the signed parameters',
    `${SIGNATURE}, step 1`,
    'an empty oauth_signature as one of the signed parameters',
    { alsoSigned: [['oauth_signature', '']] },
  ],
]

/** The specification does not say how JSON takes part in a signature. */
const OF_JSON: readonly RefusalRow[] = [
  [
    'refuse-signed-json',
    'refuses the members of the JSON among the signed parameters',
    'RFC 5849, 3.4.1.3.1',
    'reportIdentifier as one of the signed parameters',
    { alsoSigned: [['reportIdentifier', 'x']] },
  ],
]

/** What a gateway must refuse, because the signature is of another base string. */
export const REFUSED_BASE_STRINGS: Subject = {
  name: 'Wrong base strings',
  checks: [
    ...BASE_STRINGS.map((row) => refuses(row)),
    ...OF_JSON.map((row) => refuses(row, 'should')),
  ],
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
