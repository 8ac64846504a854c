import { isRefusal, isReport } from '../answer.ts'
import type { Check, Subject } from '../check.ts'
import { asksEach, type Changes, check, find, refusesCaller } from '../make-checks.ts'
import { type Change, type Pairs, signBase } from '../sign-request.ts'

const HOUR = 3600

/** RFC 5849 lets a gateway choose which clocks it accepts. */
const TEXTS = `
refuse-changed-nonce | must | refuses a nonce that was changed after signing | RFC 5849, 3.4.1.3.1 | another nonce than the signed one
refuse-changed-timestamp | must | refuses a timestamp that was changed after signing | RFC 5849, 3.4.1.3.1 | a timestamp one second after the signed one
refuse-removed-version | must | refuses a request whose signed oauth_version was removed | RFC 5849, 3.4.1.3.1 | a header without the signed oauth_version
refuse-other-method-name | must | refuses a signature under the name of the other method | specification, Signature generation | the signature with the name of the other signature method, signed
refuse-flipped-bit | must | refuses a signature with one changed bit | RFC 5849, 3.2 | the signature with its first bit changed
refuse-short-signature | must | refuses a signature without its last byte | RFC 5849, 3.2 | the signature without its last byte
refuse-zero-signature | must | refuses a signature of zeros | RFC 5849, 3.2 | as many zero bytes as the signature has
refuse-hex-signature | must | refuses a signature in hex | specification, Signature generation, step 7 | the signature in hex instead of base64
refuse-old-timestamp | should | refuses a timestamp of an hour ago | RFC 5849, 3.3 | a timestamp of an hour ago, signed
refuse-future-timestamp | should | refuses a timestamp of an hour ahead | RFC 5849, 3.3 | a timestamp of an hour ahead, signed
refuse-milliseconds | should | refuses a timestamp in milliseconds | RFC 5849, 3.3 | the time in milliseconds, signed
refuse-fraction | should | refuses a timestamp with a fraction | RFC 5849, 3.3 | the time in seconds with ".5" after it, signed
refuse-negative-timestamp | should | refuses a negative timestamp | RFC 5849, 3.3 | the time in seconds after a minus sign, signed
refuse-changed-body | should | refuses a body that is not the one of oauth_body_hash | OAuth Request Body Hash 1.0, 3.4.1 | the signed SHA-256 of the body, and the body with a space after it
`

const CHANGES: Changes = {
  'refuse-changed-nonce': { header: replaced('oauth_nonce', (value) => `${value}0`) },
  'refuse-changed-timestamp': {
    header: replaced('oauth_timestamp', (value) => String(Number(value) + 1)),
  },
  'refuse-removed-version': {
    header: (pairs) => pairs.filter(([name]) => name !== 'oauth_version'),
  },
  'refuse-other-method-name': {
    oauth: ({ oauth_signature_method: own }) => ({
      oauth_signature_method: own === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1',
    }),
  },
  'refuse-flipped-bit': { sign: resigned((bytes) => bytes.with(0, (bytes[0] ?? 0) ^ 0x80)) },
  'refuse-short-signature': { sign: resigned((bytes) => bytes.subarray(0, -1)) },
  'refuse-zero-signature': { sign: resigned((bytes) => bytes.fill(0)) },
  'refuse-hex-signature': {
    sign: (base, secret) => Buffer.from(signBase(base, secret), 'base64').toString('hex'),
  },
  'refuse-old-timestamp': { clock: -HOUR },
  'refuse-future-timestamp': { clock: HOUR },
  'refuse-milliseconds': {
    oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `${seconds}000` }),
  },
  'refuse-fraction': {
    oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `${seconds}.5` }),
  },
  'refuse-negative-timestamp': {
    oauth: ({ oauth_timestamp: seconds }) => ({ oauth_timestamp: `-${seconds}` }),
  },
  'refuse-changed-body': { bodyHash: 'SHA-256', sentBody: (body) => `${body} ` },
}

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

/** What a gateway must refuse, because the request is not the signed one, or not a new one. */
export const REFUSED_SIGNATURES: Subject = {
  name: 'Changed and repeated requests',
  checks: [...asksEach(TEXTS, CHANGES, refusesCaller), ...REPLAYS],
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

function replaced(name: string, change: (value: string) => string): (pairs: Pairs) => Pairs {
  return (pairs) => pairs.map(([own, value]) => [own, own === name ? change(value) : value])
}

function resigned(change: (bytes: Buffer) => Uint8Array): NonNullable<Change['sign']> {
  return (base, secret) => {
    return Buffer.from(change(Buffer.from(signBase(base, secret), 'base64'))).toString('base64')
  }
}
