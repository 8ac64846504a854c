import { runtime } from '#crypto'
import { bytesOfHex, decodeBase64, encodeBase64, hexOf } from '../keys/base64.ts'
import { percentEncode } from '../parameters/encode.ts'
import { controlKeyText, type VerificationKey } from '../keys/keys.ts'
import { METHODS } from '../keys/methods.ts'
import type { MistakeCode } from './mistakes.ts'

/** What the keys of a login show about a signature. */
export interface Evidence {
  /** Whether one of the keys made the signature of a base string, by the right method. */
  isOf(baseString: string): Promise<boolean>
  /** Names the mistake with the key or the method, if the signature is of this base string apart from it. */
  mistakeOf(baseString: string): Promise<MistakeCode | undefined>
  /** Names a common mistake with the key, if it and this wrong base string together lead to the signature. */
  secondMistakeOf?(baseString: string): Promise<MistakeCode | undefined>
  /** The mistake if no other is found, because the signature itself shows it. */
  readonly otherwise?: MistakeCode
}

type HmacKey = string | Uint8Array

const UTF8 = new TextEncoder()

/**
 * The keys with which a caller signs by mistake. Each way uses the complete control key or nothing of it: a key of the
 * first characters alone would let a stranger guess the control key piece by piece.
 */
const KEY_WAYS: readonly (readonly [
  code: MistakeCode,
  keys: (controlKey: string, login: string) => readonly HmacKey[],
])[] = [
  ['key-without-ampersand', (key) => [key, percentEncode(key)]],
  [
    'key-with-line-end',
    (key) => [`${key}\n&`, `${key}\r\n&`, `${key}&\n`, `${key}%0A&`, `${key}\n`],
  ],
  ['key-with-space', (key) => [` ${key}&`, `${key} &`, ` ${key} &`, `${key}& `, `${key}%20&`]],
  ['key-in-quotes', (key) => [`"${key}"&`, `'${key}'&`, `%22${key}%22&`, `%27${key}%27&`]],
  ['key-case', (key) => [`${key.toLowerCase()}&`, `${key.toUpperCase()}&`]],
  [
    'key-decoded',
    (key) => [bytesOfHex(key.replaceAll('-', '')), decodeBase64(key)].flatMap(withAmpersand),
  ],
  [
    'key-encoded-as-base64',
    (key) => {
      const base64 = encodeBase64(UTF8.encode(key))
      return [`${base64}&`, `${percentEncode(base64)}&`, `${hexOf(UTF8.encode(key))}&`]
    },
  ],
  [
    'key-encoded-twice',
    (key) => [`${percentEncode(percentEncode(key))}&`, `${percentEncode(key)}%26`],
  ],
  // HMAC fills a key with zeros, and WebCrypto refuses an empty one.
  ['key-empty', () => ['&', '\0', 'undefined&', 'null&', 'None&']],
  ['key-login', (key, login) => [`${login}&`, login, `${login}&${key}`, `${key}&${login}`]],
  ['key-repeated', (key) => [`${key}&${key}`, `&${key}`]],
]

/** The mistakes with the key that often come together with another: the first way of each. */
const SECOND_WAYS = KEY_WAYS.slice(0, 2)

/** The codes that a caller computes by mistake. The key is the control key with its `&`. */
const FUNCTION_WAYS: readonly (readonly [
  code: MistakeCode,
  compute: (baseString: string, key: string) => Promise<readonly Uint8Array[]>,
])[] = [
  ['hmac-swapped', async (baseString, key) => [await mac(baseString, key)]],
  [
    'sha1-without-hmac',
    async (text, key) => {
      const bare = key.slice(0, -1)
      const texts = [text, text + key, key + text, text + bare, bare + text, `${text}&${bare}`]
      return await Promise.all(texts.map(async (one) => runtime.hash('SHA-1', UTF8.encode(one))))
    },
  ],
  [
    'hmac-of-hash',
    async (baseString, key) => {
      const bytes = UTF8.encode(baseString)
      const digests = [await runtime.hash('SHA-1', bytes), await runtime.hash('SHA-256', bytes)]
      const texts = digests.flatMap((digest) => [hexOf(digest), encodeBase64(digest)])
      return await Promise.all(texts.map((text) => mac(key, text)))
    },
  ],
]

/** Looks at a signature of HMAC-SHA1 with the control keys of a login. */
export function hmacEvidence(
  keys: readonly VerificationKey[],
  signature: Uint8Array,
  login: string,
): Evidence {
  const isSignature = (code: Uint8Array) => runtime.equalInConstantTime(code, signature)
  const controlKeys = keys.filter((key) => key.kind === 'control')
  return {
    async isOf(baseString) {
      for (const key of controlKeys) {
        if (await METHODS['HMAC-SHA1'].verify(baseString, signature, key)) return true
      }
      return false
    },

    async mistakeOf(baseString) {
      for (const key of controlKeys.map(controlKeyText)) {
        for (const [code, keysOf] of KEY_WAYS) {
          for (const secret of keysOf(key, login)) {
            if (isSignature(await mac(secret, baseString))) return code
          }
        }
        for (const [code, compute] of FUNCTION_WAYS) {
          const codes = await compute(baseString, `${percentEncode(key)}&`)
          if (codes.some(isSignature)) return code
        }
      }
      return undefined
    },

    async secondMistakeOf(baseString) {
      for (const key of controlKeys.map(controlKeyText)) {
        for (const [code, keysOf] of SECOND_WAYS) {
          const [secret = ''] = keysOf(key, login)
          if (isSignature(await mac(secret, baseString))) return code
        }
      }
      return undefined
    },
  }
}

async function mac(key: HmacKey, text: string): Promise<Uint8Array> {
  return runtime.decodeBase64(await (await runtime.importHmac(key)).mac(text))
}

function withAmpersand(bytes: Uint8Array | undefined): readonly Uint8Array[] {
  return bytes && bytes.length > 0 ? [Uint8Array.of(...bytes, 0x26), bytes] : []
}
