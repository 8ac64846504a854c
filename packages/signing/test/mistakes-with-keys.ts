import { importControlKey, importPrivateKey } from '../src/index.ts'
import {
  base64,
  type Caller,
  CONTROL_KEY,
  FORM_CALLER,
  hexOf,
  hmac,
  LOGIN,
  type Made,
  replaced,
  rsa,
  sha1,
  signedText,
  URL_TEXT,
} from './mistaken-caller.ts'
import { KEYS } from './vectors.ts'

const utf8 = new TextEncoder()
const privateKey = await importPrivateKey(KEYS.private.pkcs8)
const sign = (key: string | Uint8Array) => ({ sign: hmac(key) })
const hexKey = 'b17f59b4a7dc41b48ff937d986b43d20'
const hexKeys = [await importControlKey(hexKey)]
const bytesOf = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number(`0x${byte}`))
const CONTROL_KEYS: readonly Made[] = [
  ['key-without-ampersand', sign(CONTROL_KEY)],
  ['key-with-line-end', sign(`${CONTROL_KEY}\n&`)],
  ['key-with-space', sign(`${CONTROL_KEY} &`)],
  ['key-in-quotes', sign(`"${CONTROL_KEY}"&`)],
  ['key-case', sign(`${CONTROL_KEY.toLowerCase()}&`)],
  ['key-decoded', sign(Uint8Array.of(...bytesOf(hexKey), 0x26)), FORM_CALLER, { keys: hexKeys }],
  ['key-encoded-as-base64', sign(`${btoa(CONTROL_KEY)}&`)],
  ['key-encoded-twice', sign('a%252Bb&'), FORM_CALLER, { keys: [await importControlKey('a+b')] }],
  ['key-empty', sign('&')],
  ['key-empty', sign(Uint8Array.of(0))],
  ['key-login', sign(`${LOGIN}&`)],
  ['key-repeated', sign(`${CONTROL_KEY}&${CONTROL_KEY}`)],
  ['key-other', sign('other&'), FORM_CALLER, { baseString: signedText({}) }],
  ['base-string-other', { join: () => 'hello' }, FORM_CALLER, { baseString: 'hello' }],
  ['hmac-swapped', { sign: (text) => hmac(text)(`${CONTROL_KEY}&`) }],
  ['sha1-without-hmac', { sign: (text) => sha1(text + CONTROL_KEY) }],
  ['hmac-of-hash', { sign: async (text) => hmac(`${CONTROL_KEY}&`)(hexOf(await sha1(text))) }],
]

const RSA_OAUTH = replaced('oauth_signature_method', 'RSA-SHA256')
export const RSA_CALLER: Caller = { ...FORM_CALLER, oauth: RSA_OAUTH, sign: rsa() }
const RSA: readonly Made[] = [
  ['rsa-sha1', { sign: rsa('RSASSA-PKCS1-v1_5', 'SHA-1') }, RSA_CALLER],
  ['rsa-other-hash', { sign: rsa('RSASSA-PKCS1-v1_5', 'SHA-512') }, RSA_CALLER],
  ['rsa-pss', { sign: rsa('RSA-PSS', 'SHA-256') }, RSA_CALLER],
  ['rsa-pss', { sign: rsa('RSA-PSS', 'SHA-256', 222) }, RSA_CALLER],
  ['rsa-pss', { sign: rsa('RSA-PSS', 'SHA-1', 20) }, RSA_CALLER],
  ['rsa-of-hash', { sign: async (text) => rsa()(await sha256(text)) }, RSA_CALLER],
  ['rsa-other-key', { sign: async () => base64(new Uint8Array(256).fill(7).buffer) }, RSA_CALLER],
  ['base-string-other', { join: () => 'hello' }, RSA_CALLER],
  ['url-scheme', { signedUrl: URL_TEXT.replace('https', 'http') }, RSA_CALLER],
  ['form-not-signed', { signed: [] }, RSA_CALLER, { keys: [privateKey] }],
]

/** Requests whose callers used a key or a method wrongly. */
export const KEY_CASES = { CONTROL_KEYS, RSA }

async function sha256(text: string): Promise<string> {
  return hexOf(base64(await crypto.subtle.digest('SHA-256', utf8.encode(text))))
}
