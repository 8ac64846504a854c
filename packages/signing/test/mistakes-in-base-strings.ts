import {
  type Caller,
  encode,
  FORM_CALLER,
  JSON_CALLER,
  type Made,
  OAUTH,
  type Pairs,
  replaced,
  sha1,
  URL_TEXT,
} from './mistaken-caller.ts'
import type { MistakeCode } from '../src/index.ts'

const { signed } = FORM_CALLER
const json = JSON.parse(String(JSON_CALLER.body)) as Record<string, unknown>
const QUERY = '?lang=en&Zone=2'
const query: Pairs = readPairs('lang=en', 'Zone=2')
const withQuery = { url: URL_TEXT + QUERY, signed: [...signed, ...query] }
const ascending = (a: string, b: string) => (a < b ? -1 : Number(a > b))
const without = (omitted: string) => OAUTH.filter(([name]) => name !== omitted)

const MEMBERS = ['reportIdentifier=transactions-list', 'live=true']

const BODY: readonly Made[] = [
  ['form-not-signed', { signed: [] }],
  ['query-not-signed', { url: URL_TEXT + QUERY }],
  ['json-members-signed', { signed: members((value) => JSON.stringify(value)) }, JSON_CALLER],
  ['json-members-signed', { signed: readPairs(...MEMBERS) }, JSON_CALLER],
  ['json-text-signed', { signed: [[String(JSON_CALLER.body), '']] }, JSON_CALLER],
  ['json-text-signed', { signed: [['data', String(JSON_CALLER.body)]] }, JSON_CALLER],
  ['body-signed-as-form', { contentType: 'text/plain' }],
  [
    'protocol-signed-twice',
    { body: `${String(FORM_CALLER.body)}&${form(OAUTH)}`, signed: [...signed, ...OAUTH] },
  ],
  ['duplicates-dropped', { signed: signed.filter(([, value]) => value !== '2') }],
  ['duplicates-dropped', { signed: signed.filter(([, value]) => value !== '1') }],
  ['empty-dropped', { signed: signed.filter(([, value]) => value !== '') }],
  ['line-end-in-form', { body: 'a=1&b=2\n', signed: readPairs('a=1', 'b=2') }],
  ['plus-not-encoded', { body: 'a=1+2', signed: readPairs('a=1+2') }],
  ['sent-encoded-twice', { body: 'a=x%2520y', signed: readPairs('a=x y') }],
  ['spelling-mixed', { body: 'client-orderid=1', signed: readPairs('client_orderid=1') }],
  ['spelling-mixed', { body: 'order_desc=1', signed: readPairs('order-desc=1') }],
]

const BODY_HASH = ['oauth_body_hash', await sha1(String(JSON_CALLER.body))] as const
const PROTOCOL: readonly Made[] = [
  ['protocol-not-signed', { signedOauth: without('oauth_version') }],
  ['protocol-not-sent', { oauth: without('oauth_version'), signedOauth: OAUTH }],
  ['protocol-not-signed', { oauth: [BODY_HASH, ...OAUTH], signedOauth: OAUTH }, JSON_CALLER],
  ['protocol-not-sent', { realm: 'shop', signedOauth: [...OAUTH, ['realm', 'shop']] }],
  ['protocol-not-signed', { oauth: [...OAUTH, ['oauth_token', '']], signedOauth: OAUTH }],
  ['protocol-not-sent', { signedOauth: [...OAUTH, ['oauth_token', '']] }],
  ['protocol-not-sent', { signedOauth: [...OAUTH, ['oauth_signature', '']] }],
  ['protocol-encoded-before', { signedOauth: replaced('oauth_nonce', encode('wIjqo/+=')) }],
]

const ENCODING: readonly Made[] = [
  ['encoding-marks-left', { encode: encodeURIComponent }],
  ['encoding-plus-for-space', { encode: (text) => encode(text).replaceAll('%20', '+') }],
  [
    'encoding-slash-left',
    { encode: slashLeft, encodePart: slashLeft, body: 'a=x%2Fy', signed: readPairs('a=x/y') },
  ],
  ['encoding-tilde-encoded', { encode: (text) => encode(text).replaceAll('~', '%7E') }],
  ['encoding-lower-case', { encode: lowerHex, encodePart: lowerHex }],
  ['encoding-lower-case', { encodePart: lowerHex }],
  ['encoding-twice', { encode: (text) => encode(encode(text)) }],
  ['encoding-none', { encode: (text) => text }],
  ['encoding-charset', { encode: (text) => encode(text).replaceAll('%C3%A9', '%E9') }],
  [
    'encoding-charset',
    {
      encode: (text) => encode(text).replaceAll('%D0%AF', '%DF'),
      body: 'a=%D0%AF',
      signed: readPairs('a=Я'),
    },
  ],
]

const ORDER: readonly Made[] = [
  ['order-unsorted', { order: (pairs) => pairs }],
  ['order-unsorted', { order: (pairs) => [...pairs.slice(-5), ...pairs.slice(0, -5)] }],
  ordered('order-by-locale', (a, b) => a[0].localeCompare(b[0], 'en'), {
    body: 'destination_card_id=2&destination-card-no=1&Zone=3',
    signed: readPairs('destination_card_id=2', 'destination-card-no=1', 'Zone=3'),
  }),
  ordered('order-after-joining', (a, b) => ascending(a.join('='), b.join('=')), {
    body: 'a-b=2&a=1',
    signed: readPairs('a-b=2', 'a=1'),
  }),
  ordered('order-before-encoding', (a, b) => ascending(plain(a), plain(b)), {
    body: 'a=%C3%A9&a=z',
    signed: readPairs('a=é', 'a=z'),
  }),
  ordered('order-by-name-only', (a, b) => ascending(a[0], b[0]), {}),
  ordered('order-by-locale', (a, b) => ascending(a[0].toLowerCase(), b[0].toLowerCase()), {
    body: 'a_b=1&Ab=2',
    signed: readPairs('a_b=1', 'Ab=2'),
  }),
]

/** A request of a caller who sorts in another way. */
function ordered(
  code: MistakeCode,
  compare: (a: Pairs[number], b: Pairs[number]) => number,
  change: Partial<Caller>,
): Made {
  return [code, { ...change, order: (pairs) => pairs.toSorted(compare) }]
}

const url = (sent: string, signedUrl: string): Partial<Caller> => ({ url: sent, signedUrl })
const LOCAL = 'http://127.0.0.1:8080/a'
const URLS: readonly Made[] = [
  ['url-scheme', { signedUrl: URL_TEXT.replace('https', 'http') }],
  ['url-port', url('http://gate.example.com:8080/a', 'http://gate.example.com/a')],
  ['url-port', { signedUrl: URL_TEXT.replace('.com', '.com:443') }],
  ['url-port', url(LOCAL, LOCAL.replace('8080', '3000'))],
  [
    'url-port',
    url(LOCAL, LOCAL.replace('8080', '18080')),
    FORM_CALLER,
    { host: '127.0.0.1:18080' },
  ],
  ['url-host', url(LOCAL, 'http://localhost:8080/a')],
  ['url-host', url('http://localhost:8080/a', LOCAL)],
  [
    'url-host',
    { signedUrl: URL_TEXT.replace('gate.example.com', '10.0.0.7:8443') },
    FORM_CALLER,
    { host: '10.0.0.7:8443' },
  ],
  [
    'url-case',
    { signedUrl: URL_TEXT.replace('gate.example', 'Gate.Example').replace('.com', '.Com') },
  ],
  ['url-case', { signedUrl: URL_TEXT.replace('gate.example.com', 'GATE.EXAMPLE.COM') }],
  ['url-trailing-slash', { signedUrl: `${URL_TEXT}/` }],
  ['url-trailing-slash', { url: `${URL_TEXT}/` }],
  ['url-case', url('https://a.example.com/Gate/A', 'https://a.example.com/gate/a')],
  ['url-path-encoding', url('https://a.example.com/a%20b', 'https://a.example.com/a%2520b')],
  ['url-path-encoding', url('https://a.example.com/a%20b', 'https://a.example.com/a b')],
  ['url-with-query', { url: URL_TEXT + QUERY, signedUrl: URL_TEXT + QUERY }],
  ['url-with-query', { ...withQuery, signedUrl: URL_TEXT + QUERY }],
  ['url-path-only', { signedUrl: '/gate/api/v4/payout/1144' }],
  ['url-base-path', { signedUrl: URL_TEXT.replace('/gate/', '/') }],
]

const TEXTS: readonly Made[] = [
  ['method-other', { signedMethod: 'post' }],
  ['method-other', { signedMethod: 'GET' }],
  ['base-string-line-end', { join: (parts) => `${parts.join('&')}\n` }],
  ['base-string-not-encoded', { encodePart: (text) => text }],
  ['base-string-joined', { join: ([method, address, rest]) => `${method}&${address}?${rest}` }],
  ['base-string-joined', { join: (parts) => parts.join('') }],
  ['base-string-part-missing', { join: ([, ...parts]) => parts.join('&') }],
]

/** Requests whose callers signed another base string, by the axis of the mistake. */
export const BASE_STRING_CASES = { BODY, PROTOCOL, ENCODING, ORDER, URLS, TEXTS }

function members(write: (value: unknown) => string): Pairs {
  return Object.entries(json).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : write(value)]
  })
}

/** Parameters from texts such as `a=1`. */
function readPairs(...texts: readonly string[]): Pairs {
  return texts.map((text) => {
    const [name = '', value = ''] = text.split('=')
    return [name, value]
  })
}

function form(pairs: Pairs): string {
  return pairs.map((pair) => pair.map(encode).join('=')).join('&')
}

function slashLeft(text: string): string {
  return encode(text).replaceAll('%2F', '/')
}

function lowerHex(text: string): string {
  return encode(text).replaceAll(/%../g, (byte) => byte.toLowerCase())
}

function plain(pair: Pairs[number]): string {
  return pair.map(decodeURIComponent).join('\0')
}
