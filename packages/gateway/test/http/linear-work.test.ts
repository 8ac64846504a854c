// @module-tag long

import { describe, expect, test } from 'vitest'
import { read, send, type SignedRequest, signRequest } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** Pieces of texts for which bad code does much more than linear work. */
const HOSTILE: Readonly<Record<string, string>> = {
  'combining marks in the wrong order': '\u0301\u0327',
  'full-width digits': '\u{FF14}',
  'digits with signs between': '9+',
  'digits with spaces between': '4111 ',
  'digits with dashes between': '4-',
  commas: ',',
  ampersands: '&',
  'percent signs': '%25',
  'digits that are encoded twice': '%2534.',
  quotes: '"',
  'JSON members': '{"a":',
  'equal pairs': 'a=1&',
}

const TIMES = 4
const TRIES = 3
/** Linear work grows as much as the text. This limit leaves room for noise, but not for quadratic work. */
const GROWTH_MAX = 2 * TIMES
const NOISE_SECONDS = 0.03
/** Processor time of the gateway and this test together: for a request, and for each of its bytes. */
const SECONDS_MAX = 0.1
const SECONDS_PER_BYTE_MAX = 2.5e-7
/** The maximum size of the answer to a refused request. */
const ANSWER_BYTES_MAX = 16 * 1024

const FORM = 'application/x-www-form-urlencoded'
/** A little less than the maximum lengths of headers, JSON bodies and forms. */
const [HEADER, BODY, FORM_BODY] = [14_000, 1_000_000, 50_000]

const { sandbox, gateway } = await serveSandbox([1000], {}, 'silent')

type Change = NonNullable<Parameters<typeof signRequest>[3]>

/** Makes a request of a known login with a wrong signature. */
async function refused(path: string, change: Change = {}): Promise<SignedRequest> {
  const asked = { sandbox, reportUrl: new URL(path, gateway.reportUrl).href }
  const { merchant } = sandbox.logins
  return await signRequest(asked, merchant, 'a=1', { sentQuery: '?b=1', ...change })
}

const form = (body: string) => {
  return refused('/gate/api/v4/transfer-by-ref/1', { contentType: FORM, body })
}

/** Makes a request with another value of a header. */
async function withHeader(name: string, edit: (value: string) => string): Promise<SignedRequest> {
  const request = await refused(gateway.reportUrl)
  const value = edit(request.headers[name] ?? '')
  return { ...request, headers: { ...request.headers, [name]: value } }
}

/** Writes every character that a header cannot hold in three bytes of ASCII for each of its bytes in UTF-8. */
function inAscii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (character) => encodeURIComponent(character))
}

/** A place of a stranger's text: the maximum length of the percent-encoded text, and a function that puts it there. */
type Place = readonly [name: string, length: number, make: (text: string) => Promise<SignedRequest>]

/** The places that the gateway reads before it knows the login. */
const PLACES: readonly Place[] = [
  ...['Content-Type', 'Accept', 'Accept-Encoding', 'traceparent'].map((name): Place => {
    return [name, HEADER, (text) => withHeader(name, () => inAscii(text))]
  }),
  ['Authorization', HEADER, (text) => withHeader('Authorization', () => `OAuth ${inAscii(text)}`)],
  [
    'a value in Authorization',
    HEADER,
    (text) => {
      const nonce = `oauth_nonce="${encodeURIComponent(text)}"`
      return withHeader('Authorization', (value) => {
        return value.replace(/oauth_nonce="[^"]*"/, () => nonce)
      })
    },
  ],
  [
    'a query',
    HEADER,
    (text) => refused(gateway.reportUrl, { sentQuery: `?a=${encodeURIComponent(text)}` }),
  ],
  ['an unknown path', HEADER, (text) => refused(`/${encodeURIComponent(text)}`)],
  [
    'an endpoint id',
    HEADER,
    (text) => refused(`/gate/api/v4/transfer/${encodeURIComponent(text)}`, { contentType: FORM }),
  ],
  ['a form', FORM_BODY, form],
  ['the value of a form', FORM_BODY, (text) => form(`order_desc=${encodeURIComponent(text)}`)],
  ['the name in a form', FORM_BODY, (text) => form(`${encodeURIComponent(text)}=1`)],
  ['a JSON body', BODY, (text) => refused(gateway.reportUrl, { body: text })],
]

function textOf(piece: string, length: number): string {
  return `a${piece.repeat(Math.floor(length / encodeURIComponent(piece).length))}`
}

/** Returns the minimum processor time of several tries, in seconds. */
async function secondsFor(make: Place[2], text: string): Promise<number> {
  const tries: number[] = []
  for (let count = 0; count < TRIES; count += 1) {
    const request = await make(text)
    const before = process.cpuUsage()
    const { status, bytes } = await read(await send(request))
    const { user, system } = process.cpuUsage(before)
    // The gateway does not refuse the text as too large, so it processes all of it.
    expect([200, 403, 404, 415]).toContain(status)
    expect(bytes.length).toBeLessThan(ANSWER_BYTES_MAX)
    tries.push((user + system) / 1e6)
  }
  return Math.min(...tries)
}

describe.each(PLACES)('the work for %s is linear', (_, length, make) => {
  test.each(Object.entries(HOSTILE))('of %s', async (_name, piece) => {
    const small = await secondsFor(make, textOf(piece, length / TIMES))
    const large = await secondsFor(make, textOf(piece, length))
    expect(large).toBeLessThan(GROWTH_MAX * small + NOISE_SECONDS)
    expect(large).toBeLessThan(SECONDS_MAX + SECONDS_PER_BYTE_MAX * length)
  })
})
