import { type Caller, CONTROL_KEY, encode, hexOf, hmac, NOW, rsa } from './mistaken-caller.ts'
import type { DiagnosisOptions, MistakeCode } from '../src/index.ts'

const raw = (change: (header: string) => string | undefined) => change
/** Refusals that name the mistake: what the caller changes of the header, after a right signature. */
export const HEADERS: readonly (readonly [
  code: MistakeCode,
  header: (header: string) => string | undefined,
  change?: Partial<Caller>,
  options?: Partial<DiagnosisOptions>,
])[] = [
  ['header-encoding', raw((header) => header.replaceAll('%3D', '='))],
  ['signature-base64', raw((header) => signature(header, () => 'a b'))],
  ['signature-hex', raw((header) => signature(header, hexOf))],
  ['signature-hex', raw((header) => signature(header, (text) => btoa(hexOf(text))))],
  ['signature-base64url', raw((header) => signature(header, base64url))],
  ['signature-encoded-twice', raw((header) => signature(header, encode))],
  ['hmac-other-hash', raw((header) => header), { sign: hmac(`${CONTROL_KEY}&`, 'SHA-256') }],
  ['method-not-used', raw((header) => header.replace('HMAC-SHA1', 'RSA-SHA256'))],
  ['method-not-used', raw((header) => header), { sign: rsa() }],
  ['timestamp-range', raw((header) => header), {}, { receivedAtSeconds: NOW + 1000 }],
  ['timestamp-local-time', raw((header) => header), {}, { receivedAtSeconds: NOW + 7230 }],
  ['timestamp-local-time', raw((header) => header), {}, { receivedAtSeconds: NOW - 19_800 }],
  ['timestamp-range', raw((header) => header), {}, { receivedAtSeconds: NOW + 100 * 3600 }],
]

function base64url(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function signature(header: string, change: (text: string) => string): string {
  return header.replace(/oauth_signature="([^"]*)"/, (_, text: string) => {
    return `oauth_signature="${encode(change(decodeURIComponent(text)))}"`
  })
}
