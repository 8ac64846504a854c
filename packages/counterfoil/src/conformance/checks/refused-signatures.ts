import { createHash, generateKeyPairSync } from 'node:crypto'
import { percentDecode, percentEncode } from '@counterfoil/signing'
import { isRefusal, isReport } from '../answer.ts'
import type { Check, Level, Subject } from '../check.ts'
import { asks, check, type CheckTexts, find, onlyFor, refusesCaller } from '../make-checks.ts'
import { type Change, hmac, type Pairs, rsa, type Secret, signBase } from '../sign-request.ts'

const SIGNATURE = 'specification, Signature generation'
const HOUR = 3600

type Step = (text: string) => string
type Row = readonly [id: string, title: string, clause: string, sent: string, change: Change]

/** Each row sends a request whose signature covers something else. */
const BASE_STRINGS: readonly Row[] = [
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
    'refuses a base string with small letters in its encoding',
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

/** Each row changes what was signed. */
const CHANGED: readonly Row[] = [
  [
    'refuse-changed-nonce',
    'refuses a nonce that was changed after signing',
    'RFC 5849, 3.4.1.3.1',
    'another nonce than the signed one',
    { header: replaced('oauth_nonce', (value) => `${value}0`) },
  ],
  [
    'refuse-changed-timestamp',
    'refuses a timestamp that was changed after signing',
    'RFC 5849, 3.4.1.3.1',
    'a timestamp one second after the signed one',
    { header: replaced('oauth_timestamp', (value) => String(Number(value) + 1)) },
  ],
  [
    'refuse-removed-version',
    'refuses a request whose signed oauth_version was removed',
    'RFC 5849, 3.4.1.3.1',
    'a header without the signed oauth_version',
    { header: (pairs) => pairs.filter(([name]) => name !== 'oauth_version') },
  ],
  [
    'refuse-other-method-name',
    'refuses a signature under the name of the other method',
    'specification, Signature generation',
    'the signature with the name of the other signature method, signed',
    {
      oauth: ({ oauth_signature_method: own }) => ({
        oauth_signature_method: own === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1',
      }),
    },
  ],
  [
    'refuse-flipped-bit',
    'refuses a signature with one changed bit',
    'RFC 5849, 3.2',
    'the signature with its first bit changed',
    { sign: resigned((bytes) => bytes.with(0, (bytes[0] ?? 0) ^ 0x80)) },
  ],
  [
    'refuse-short-signature',
    'refuses a signature without its last byte',
    'RFC 5849, 3.2',
    'the signature without its last byte',
    { sign: resigned((bytes) => bytes.subarray(0, -1)) },
  ],
  [
    'refuse-zero-signature',
    'refuses a signature of zeros',
    'RFC 5849, 3.2',
    'as many zero bytes as the signature has',
    { sign: resigned((bytes) => bytes.fill(0)) },
  ],
  [
    'refuse-hex-signature',
    'refuses a signature in hex',
    `${SIGNATURE}, step 7`,
    'the signature in hex instead of base64',
    { sign: (base, secret) => Buffer.from(signBase(base, secret), 'base64').toString('hex') },
  ],
]

const CLOCK: readonly Row[] = [
  [
    'refuse-old-timestamp',
    'refuses a timestamp of an hour ago',
    'RFC 5849, 3.3',
    'a timestamp of an hour ago, signed',
    { clock: -HOUR },
  ],
  [
    'refuse-future-timestamp',
    'refuses a timestamp of an hour ahead',
    'RFC 5849, 3.3',
    'a timestamp of an hour ahead, signed',
    { clock: HOUR },
  ],
  [
    'refuse-milliseconds',
    'refuses a timestamp in milliseconds',
    'RFC 5849, 3.3',
    'the time in milliseconds, signed',
    { oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `${seconds}000` }) },
  ],
  [
    'refuse-fraction',
    'refuses a timestamp with a fraction',
    'RFC 5849, 3.3',
    'the time in seconds with ".5" after it, signed',
    { oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `${seconds}.5` }) },
  ],
  [
    'refuse-negative-timestamp',
    'refuses a negative timestamp',
    'RFC 5849, 3.3',
    'the time in seconds after a minus sign, signed',
    { oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `-${seconds}` }) },
  ],
]

/** The specification does not say how JSON takes part in a signature. */
const OF_JSON: readonly Row[] = [
  [
    'refuse-signed-json',
    'refuses the members of the JSON among the signed parameters',
    'RFC 5849, 3.4.1.3.1',
    'reportIdentifier as one of the signed parameters',
    { alsoSigned: [['reportIdentifier', 'x']] },
  ],
]

/** Mistakes with a control key, and with an RSA key. */
const HMAC: readonly Row[] = [
  [
    'refuse-wrong-control-key',
    'refuses another control key',
    `${SIGNATURE}, step 6`,
    'a signature with the control key and one more character',
    { sign: hmacWith((key) => `${key}x&`) },
  ],
  [
    'refuse-key-without-ampersand',
    'refuses a key without the ampersand after it',
    `${SIGNATURE}, step 6`,
    'an HMAC with the control key alone',
    { sign: hmacWith((key) => key) },
  ],
  [
    'refuse-empty-key',
    'refuses an empty key',
    `${SIGNATURE}, step 6`,
    'an HMAC with the key "&"',
    { sign: hmacWith(() => '&') },
  ],
  [
    'refuse-key-with-line-end',
    'refuses a key with a line end',
    `${SIGNATURE}, step 6`,
    'an HMAC with the control key, a line feed and an ampersand',
    { sign: hmacWith((key) => `${key}\n&`) },
  ],
  [
    'refuse-hmac-sha256',
    'refuses HMAC-SHA256 under the name HMAC-SHA1',
    `${SIGNATURE}, step 6`,
    'an HMAC with SHA-256',
    { sign: hmacWith((key) => `${key}&`, 'sha256') },
  ],
  [
    'refuse-bare-sha1',
    'refuses a hash without a key',
    `${SIGNATURE}, step 6`,
    'the SHA-1 of the base string',
    { sign: (base) => createHash('sha1').update(base).digest('base64') },
  ],
]
const RSA: readonly Row[] = [
  [
    'refuse-wrong-rsa-key',
    'refuses another RSA key',
    `${SIGNATURE}, step 6`,
    'a signature with a new RSA key of 2048 bits',
    { sign: (base) => rsa(base, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey) },
  ],
  [
    'refuse-pss',
    'refuses the padding PSS',
    'specification, Signature generation; RFC 8017, 8.2',
    'an RSA signature with PSS',
    { sign: rsaWith('RSA-SHA256', true) },
  ],
  [
    'refuse-rsa-sha1',
    'refuses RSA with SHA-1',
    `${SIGNATURE}, step 6`,
    'an RSA signature with SHA-1',
    { sign: rsaWith('RSA-SHA1', false) },
  ],
]

const REPLAYS: readonly Check[] = [
  replay(
    'refuse-replay',
    'refuses a request that is sent twice',
    'the same request twice',
    (body) => body,
  ),
  replay(
    'refuse-replay-with-other-body',
    'refuses a header that is sent again with another body',
    'a header twice, the second time with a space after the body',
    (body) => Buffer.concat([body, Buffer.from(' ')]),
  ),
]

const BODY_HASH: readonly Check[] = [
  asks(
    {
      id: 'refuse-changed-body',
      title: 'refuses a body that is not the one of oauth_body_hash',
      clause: 'OAuth Request Body Hash 1.0, 3.4.1',
      level: 'should',
      sent: 'the signed SHA-256 of the body, and the body with a space after it',
    },
    { bodyHash: 'SHA-256', sentBody: (body) => `${body} ` },
    refusesCaller,
  ),
]

/** What a gateway must refuse, because the signature does not cover what it sends. */
export const REFUSED_SIGNATURES: Subject = {
  name: 'Refused signatures',
  checks: [
    ...[...BASE_STRINGS, ...CHANGED].map((row) => refuses(row)),
    // RFC 5849 lets a gateway choose which clocks it accepts.
    ...[...CLOCK, ...OF_JSON].map((row) => refuses(row, 'should')),
    ...HMAC.map((row) => onlyFor('HMAC-SHA1', refuses(row))),
    ...RSA.map((row) => onlyFor('RSA-SHA256', refuses(row))),
    ...REPLAYS,
    ...BODY_HASH,
  ],
}

function refuses([id, title, clause, sent, change]: Row, level: Level = 'must'): Check {
  const texts: CheckTexts = { id, title, clause, level, sent }
  return asks(texts, change, refusesCaller)
}

/** Makes a check that sends a request, and sends it again with a changed body. */
function replay(id: string, title: string, sent: string, change: (body: Buffer) => Buffer): Check {
  const clause = 'specification, OAuth parameters; RFC 5849, 3.3'
  return check({ id, title, clause, sent }, async (gateway) => {
    const request = await gateway.prepare()
    const first = await gateway.send(request)
    if (!isReport(first)) return find(false, 'the report for the first request', first)
    const second = await gateway.send({ ...request, body: change(request.body) })
    const expected = 'a report, and then a text that begins "You are not authorised"'
    const isRefused = isRefusal(second) || [400, 401, 403].includes(second.status)
    return find(isRefused, expected, second)
  })
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

function replaced(name: string, change: Step): (pairs: Pairs) => Pairs {
  return (pairs) => pairs.map(([own, value]) => [own, own === name ? change(value) : value])
}

function resigned(change: (bytes: Buffer) => Uint8Array): NonNullable<Change['sign']> {
  return (base, secret) => {
    return Buffer.from(change(Buffer.from(signBase(base, secret), 'base64'))).toString('base64')
  }
}

function hmacWith(keyOf: Step, hash = 'sha1'): NonNullable<Change['sign']> {
  return (base, secret: Secret) => {
    return secret.method === 'HMAC-SHA1'
      ? hmac(base, keyOf(percentEncode(secret.controlKey)), hash)
      : ''
  }
}

function rsaWith(hash: string, isPss: boolean): NonNullable<Change['sign']> {
  return (base, secret: Secret) => {
    return secret.method === 'RSA-SHA256' ? rsa(base, secret.privateKey, hash, isPss) : ''
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
