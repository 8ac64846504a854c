import { importControlKey, importPrivateKey } from '../src/index.ts'
import {
  base64,
  type Caller,
  CONTROL_KEY,
  FORM_CALLER,
  hmac,
  LOGIN,
  type Made,
  replaced,
  rsa,
  signedText,
  URL_TEXT,
} from './mistaken-caller.ts'
import { KEYS } from './vectors.ts'

const privateKey = await importPrivateKey(KEYS.private.pkcs8)
const sign = (key: string | Uint8Array) => ({ sign: hmac(key) })
const CONTROL_KEYS: readonly Made[] = [
  ['key-without-ampersand', sign(CONTROL_KEY)],
  ['key-not-trimmed', sign(`${CONTROL_KEY}\n&`)],
  ['key-not-trimmed', sign(`${CONTROL_KEY} &`)],
  ['key-not-trimmed', sign(`"${CONTROL_KEY}"&`)],
  ['key-case', sign(`${CONTROL_KEY.toLowerCase()}&`)],
  ['key-encoded-twice', sign('a%252Bb&'), FORM_CALLER, { keys: [await importControlKey('a+b')] }],
  ['key-empty', sign('&')],
  ['key-empty', sign(Uint8Array.of(0))],
  ['key-login', sign(`${LOGIN}&`)],
  ['key-other', sign('other&'), FORM_CALLER, { baseString: signedText({}) }],
  ['base-string-other', { join: () => 'hello' }, FORM_CALLER, { baseString: 'hello' }],
]

const RSA_OAUTH = replaced('oauth_signature_method', 'RSA-SHA256')
export const RSA_CALLER: Caller = { ...FORM_CALLER, oauth: RSA_OAUTH, sign: rsa() }
const RSA: readonly Made[] = [
  ['rsa-other-hash', { sign: rsa('RSASSA-PKCS1-v1_5', 'SHA-1') }, RSA_CALLER],
  ['rsa-other-hash', { sign: rsa('RSASSA-PKCS1-v1_5', 'SHA-512') }, RSA_CALLER],
  ['rsa-other-key', { sign: rsa('RSA-PSS', 'SHA-256') }, RSA_CALLER],
  ['rsa-other-key', { sign: async () => base64(new Uint8Array(256).fill(7).buffer) }, RSA_CALLER],
  ['base-string-other', { join: () => 'hello' }, RSA_CALLER],
  ['url-scheme', { signedUrl: URL_TEXT.replace('https', 'http') }, RSA_CALLER],
  ['form-not-signed', { signed: [] }, RSA_CALLER, { keys: [privateKey] }],
]

/** Requests whose callers used a key or a method wrongly. */
export const KEY_CASES = { CONTROL_KEYS, RSA }
