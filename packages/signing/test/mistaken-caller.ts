// A caller with a signer of its own, in which a test breaks one step. It uses nothing of the library.

import type { DiagnosisOptions, MistakeCode, RequestToVerify } from '../src/index.ts'
import { KEYS } from './vectors.ts'

export type Pairs = readonly (readonly [name: string, value: string])[]

/** How the caller signs and what it sends. Each test changes some of it. */
export interface Caller {
  readonly method: string
  readonly signedMethod: string
  readonly url: string
  readonly signedUrl: string
  readonly contentType: string
  readonly body: string | Uint8Array
  /** The parameters of body and query, as the caller signs them. */
  readonly signed: Pairs
  readonly oauth: Pairs
  readonly signedOauth: Pairs | undefined
  readonly realm: string | undefined
  readonly encode: (text: string) => string
  readonly encodePart: (text: string) => string
  readonly order: (pairs: Pairs) => Pairs
  readonly join: (parts: readonly string[]) => string
  /** Signs a text, and returns base64. */
  readonly sign: (text: string) => Promise<string>
}

export const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
export const LOGIN = 'merchant-login'
export const NOW = 1_700_000_000
const FORM_TYPE = 'application/x-www-form-urlencoded'
export const URL_TEXT = 'https://gate.example.com/gate/api/v4/payout/1144'

const utf8 = new TextEncoder()

export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => {
    return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
  })
}

const FORM: Pairs = [
  ['order_desc', "Tea & 'biscuits' (2)! a+b ~ 50% *"],
  ['client_orderid', '902B4FF5'],
  ['amount', '10.42'],
  ['name', 'José'],
  ['item', '2'],
  ['item', '1'],
  ['Zone', 'x'],
  ['note', ''],
]

export const OAUTH: Pairs = [
  ['oauth_consumer_key', LOGIN],
  ['oauth_nonce', 'wIjqo/+='],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', String(NOW)],
  ['oauth_version', '1.0'],
]

/** Signs with HMAC. */
export function hmac(key: string | Uint8Array, hash = 'SHA-1') {
  return async (text: string): Promise<string> => {
    const bytes = new Uint8Array(typeof key === 'string' ? utf8.encode(key) : key)
    const algorithm = { name: 'HMAC', hash }
    const imported = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
    return base64(await crypto.subtle.sign('HMAC', imported, utf8.encode(text)))
  }
}

export function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

export const FORM_CALLER: Caller = {
  method: 'POST',
  signedMethod: 'POST',
  url: URL_TEXT,
  signedUrl: URL_TEXT,
  contentType: FORM_TYPE,
  body: FORM.map((pair) => pair.map(encode).join('=')).join('&'),
  signed: FORM,
  oauth: OAUTH,
  signedOauth: undefined,
  realm: undefined,
  encode,
  encodePart: encode,
  order: (pairs) => pairs.toSorted(([a, b], [c, d]) => ascending(a, c) || ascending(b, d)),
  join: (parts) => parts.join('&'),
  sign: hmac(`${CONTROL_KEY}&`),
}

export const JSON_CALLER: Caller = {
  ...FORM_CALLER,
  contentType: 'application/json',
  body: '{"reportIdentifier":"transactions-list","filters":{"gates":[1,2],"companies":[]},"live":true}',
  signed: [],
}

/** Signs and sends a request, and returns it as the gateway receives it. */
export async function send(
  change: Partial<Caller>,
  caller = FORM_CALLER,
): Promise<RequestToVerify> {
  const used = { ...caller, ...change }
  const signature = await used.sign(signedText(used))
  const realm = used.realm === undefined ? [] : [`realm="${used.realm}"`]
  const pairs = [...used.oauth, ['oauth_signature', signature] as const]
  return {
    method: used.method,
    url: used.url,
    contentType: used.contentType,
    body: typeof used.body === 'string' ? utf8.encode(used.body) : used.body,
    authorization: `OAuth ${[...realm, ...pairs.map(([name, value]) => `${name}="${encode(value)}"`)].join(', ')}`,
  }
}

/** The base string that the caller signs. */
export function signedText(change: Partial<Caller>, caller = FORM_CALLER): string {
  const used = { ...caller, ...change }
  const pairs = [...used.signed, ...(used.signedOauth ?? used.oauth)]
  const encoded = pairs.map(([name, value]) => [used.encode(name), used.encode(value)] as const)
  const joined = used
    .order(encoded)
    .map((pair) => pair.join('='))
    .join('&')
  return used.join([used.signedMethod, used.signedUrl, joined].map(used.encodePart))
}

/** The `oauth_*` parameters with another value for a name. */
export function replaced(wanted: string, value: string): Pairs {
  return OAUTH.map((pair) => (pair[0] === wanted ? [wanted, value] : pair))
}

/** The hex of base64. */
export function hexOf(text: string): string {
  return Array.from(atob(text), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}

/** The base64 of a text's SHA-1. */
export async function sha1(text: string): Promise<string> {
  return base64(await crypto.subtle.digest('SHA-1', utf8.encode(text)))
}

/** Signs with RSA. */
export function rsa(name = 'RSASSA-PKCS1-v1_5', hash = 'SHA-256', saltLength = 32) {
  return async (text: string): Promise<string> => {
    const der = Uint8Array.from(
      atob(KEYS.private.pkcs8.replaceAll(/-----.*-----|\s/g, '')),
      (byte) => byte.charCodeAt(0),
    )
    const key = await crypto.subtle.importKey('pkcs8', der, { name, hash }, false, ['sign'])
    return base64(await crypto.subtle.sign({ name, saltLength }, key, utf8.encode(text)))
  }
}

/** A mistake, and the request of a caller who makes it. */
export type Made = readonly [
  code: MistakeCode,
  change: Partial<Caller>,
  caller?: Caller,
  options?: Partial<DiagnosisOptions>,
]
