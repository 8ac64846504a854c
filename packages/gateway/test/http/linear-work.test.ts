// @module-tag long

import { describe, expect, test } from 'vitest'
import { type Asked, read, send, type SignedRequest, signRequest } from '../kit/ask.ts'
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
const SECONDS_MAX = 0.03
const SECONDS_PER_BYTE_MAX = 2.5e-7
/** The maximum size of the answer to a refused request. */
const ANSWER_BYTES_MAX = 16 * 1024

const FORM = 'application/x-www-form-urlencoded'
/** A little less than the maximum lengths of headers, JSON bodies and forms. */
const [HEADER, BODY, FORM_BODY] = [14_000, 1_000_000, 50_000]

const { sandbox, gateway } = await serveSandbox([1000], {}, 'silent')

const at = (path: string): Asked => ({ sandbox, reportUrl: new URL(path, gateway.reportUrl).href })

type Change = NonNullable<Parameters<typeof signRequest>[3]>

/** Makes a request of a known login with a wrong signature. */
async function refused(asked: Asked, change: Change = {}): Promise<SignedRequest> {
  const { merchant } = sandbox.logins
  return await signRequest(asked, merchant, 'a=1', { sentQuery: '?b=1', ...change })
}

async function form(body: string): Promise<SignedRequest> {
  return await refused(at('/gate/api/v4/transfer-by-ref/1'), { contentType: FORM, body })
}

async function withHeader(edit: (header: string) => string): Promise<SignedRequest> {
  const request = await refused(gateway)
  const { Authorization = '' } = request.headers
  return { ...request, headers: { ...request.headers, Authorization: edit(Authorization) } }
}

/** Makes a request whose header has a text as its value. */
function inHeader(name: string): Place {
  const make = async (text: string): Promise<SignedRequest> => {
    const request = await refused(gateway)
    return { ...request, headers: { ...request.headers, [name]: inAscii(text) } }
  }
  return { length: HEADER, make }
}

/** Writes every character that a header cannot hold in three bytes of ASCII for each of its bytes in UTF-8. */
function inAscii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (character) => encodeURIComponent(character))
}

interface Place {
  /** The maximum length of the percent-encoded text. */
  readonly length: number
  readonly make: (text: string) => Promise<SignedRequest>
}

/** The places of a stranger's text that the gateway reads before it knows the login. */
const PLACES: Readonly<Record<string, Place>> = {
  'an Authorization header': {
    length: HEADER,
    make: (text) => withHeader(() => `OAuth ${inAscii(text)}`),
  },
  'a value in the Authorization header': {
    length: HEADER,
    make: (text) => {
      const nonce = `oauth_nonce="${encodeURIComponent(text)}"`
      return withHeader((header) => header.replace(/oauth_nonce="[^"]*"/, () => nonce))
    },
  },
  'a Content-Type': inHeader('Content-Type'),
  'an Accept': inHeader('Accept'),
  'an Accept-Encoding': inHeader('Accept-Encoding'),
  'a traceparent': inHeader('traceparent'),
  'a query': {
    length: HEADER,
    make: (text) => refused(gateway, { sentQuery: `?a=${encodeURIComponent(text)}` }),
  },
  'an unknown path': {
    length: HEADER,
    make: (text) => refused(at(`/${encodeURIComponent(text)}`)),
  },
  'an endpoint id': {
    length: HEADER,
    make: (text) => {
      const asked = at(`/gate/api/v4/transfer/${encodeURIComponent(text)}`)
      return refused(asked, { contentType: FORM })
    },
  },
  'a form': { length: FORM_BODY, make: form },
  'the value of a form': {
    length: FORM_BODY,
    make: (text) => form(`order_desc=${encodeURIComponent(text)}`),
  },
  'the name in a form': {
    length: FORM_BODY,
    make: (text) => form(`${encodeURIComponent(text)}=1`),
  },
  'a JSON body': { length: BODY, make: (text) => refused(gateway, { body: text }) },
}

function textOf(piece: string, length: number): string {
  return `a${piece.repeat(Math.floor(length / encodeURIComponent(piece).length))}`
}

/** Returns the minimum processor time of several tries, in seconds. */
async function secondsFor({ make }: Place, text: string): Promise<number> {
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

describe.each(Object.entries(PLACES))('the work for %s is linear', (_, place) => {
  test.each(Object.entries(HOSTILE))('of %s', async (_name, piece) => {
    const small = await secondsFor(place, textOf(piece, place.length / TIMES))
    const large = await secondsFor(place, textOf(piece, place.length))
    expect(large).toBeLessThan(GROWTH_MAX * small + NOISE_SECONDS)
    expect(large).toBeLessThan(SECONDS_MAX + SECONDS_PER_BYTE_MAX * place.length)
  })
})
