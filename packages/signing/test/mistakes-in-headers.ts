import {
  type Caller,
  CONTROL_KEY,
  encode,
  hexOf,
  hmac,
  LOGIN,
  NOW,
  rsa,
  URL_TEXT,
} from './mistaken-caller.ts'
import { type DiagnosisOptions, importPublicKey, type MistakeCode } from '../src/index.ts'
import { KEYS } from './vectors.ts'

const publicKey = await importPublicKey(KEYS.public.spki)
const raw = (change: (header: string) => string | undefined) => change
/** Refusals that name the mistake: what the caller changes of the header, after a right signature. */
export const HEADERS: readonly (readonly [
  code: MistakeCode,
  header: (header: string) => string | undefined,
  change?: Partial<Caller>,
  options?: Partial<DiagnosisOptions>,
])[] = [
  ['header-missing', raw(() => undefined)],
  ['header-too-long', raw((header) => header + ' '.repeat(20_000))],
  ['header-scheme', raw((header) => header.replace('OAuth', 'Bearer'))],
  ['header-malformed', raw((header) => header.replaceAll('"', ''))],
  ['header-encoding', raw((header) => header.replaceAll('%3D', '='))],
  ['header-repeated', raw((header) => `${header}, oauth_nonce="other"`)],
  [
    'header-parameters',
    raw((header) => header + Array.from({ length: 40 }, (_, at) => `, a${at}="1"`).join('')),
  ],
  ['parameter-missing', raw((header) => header.replace(LOGIN, ''))],
  ['signature-method', raw((header) => header.replace('HMAC-SHA1', 'hmac-sha1'))],
  ['oauth-version', raw((header) => header.replace('1.0', '2.0'))],
  ['signature-base64', raw((header) => signature(header, () => 'a b'))],
  ['signature-base64', raw((header) => signature(header, (text) => ` ${text}`))],
  ['signature-length', raw((header) => signature(header, () => btoa('short')))],
  ['signature-hex', raw((header) => signature(header, hexOf))],
  ['signature-hex', raw((header) => signature(header, (text) => btoa(hexOf(text))))],
  ['signature-base64url', raw((header) => signature(header, base64url))],
  ['signature-encoded-twice', raw((header) => signature(header, encode))],
  ['hmac-other-hash', raw((header) => header), { sign: hmac(`${CONTROL_KEY}&`, 'SHA-256') }],
  ['method-not-used', raw((header) => header.replace('HMAC-SHA1', 'RSA-SHA256'))],
  ['method-not-used', raw((header) => header), { sign: rsa() }],
  ['url', raw((header) => header), { url: `${URL_TEXT}#a` }],
  ['form-encoding', raw((header) => header), { body: 'a=%FF' }],
  ['query-encoding', raw((header) => header), { url: `${URL_TEXT}?a=%FF` }],
  ['form-too-long', raw((header) => header), { body: 'a'.repeat(1024 * 1024 + 1) }],
  ['too-many-parameters', raw((header) => header), { body: 'a&'.repeat(1001) }],
  ['oauth-parameter', raw((header) => header), { body: 'oauth_nonce=other' }],
  ['timestamp-malformed', raw((header) => header.replace(String(NOW), '2026-11-23'))],
  ['timestamp-unit', raw((header) => header.replace(String(NOW), String(Date.now())))],
  ['timestamp-range', raw((header) => header), {}, { receivedAtSeconds: NOW + 1000 }],
  ['timestamp-local-time', raw((header) => header), {}, { receivedAtSeconds: NOW + 7230 }],
  ['timestamp-local-time', raw((header) => header), {}, { receivedAtSeconds: NOW - 19_800 }],
  ['timestamp-range', raw((header) => header), {}, { receivedAtSeconds: NOW + 100 * 3600 }],
  ['nonce-malformed', raw((header) => header.replace('wIjqo', 'n'.repeat(130)))],
  ['consumer-key-missing', raw((header) => header), {}, { keys: [publicKey] }],
  ['token', raw((header) => `${header}, oauth_token="a"`)],
  [
    'body-hash-with-form',
    raw((header) => `${header}, oauth_body_hash="2jmj7l5rSw0yVb%2FvlWAYkK%2FYBwk%3D"`),
  ],
  [
    'body-hash-malformed',
    raw((header) => `${header}, oauth_body_hash="${'a'.repeat(40)}"`),
    { contentType: 'application/json' },
  ],
  [
    'body-hash-mismatch',
    raw((header) => `${header}, oauth_body_hash="2jmj7l5rSw0yVb%2FvlWAYkK%2FYBwk%3D"`),
    { contentType: 'application/json' },
  ],
  ['json-as-form', raw((header) => header), { body: '{"a":1}' }],
]

function base64url(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function signature(header: string, change: (text: string) => string): string {
  return header.replace(/oauth_signature="([^"]*)"/, (_, text: string) => {
    return `oauth_signature="${encode(change(decodeURIComponent(text)))}"`
  })
}
