import { decodeBase64, encodeBase64 } from '../base64.ts'
import { percentEncode } from '../encode.ts'
import type { Mistake } from './mistake.ts'

type HmacKey = string | Uint8Array

/** A mistake with the key of HMAC-SHA1. `keys` returns the keys that a caller signs with who makes it. */
interface ControlKeyMistake extends Mistake {
  readonly keys: (controlKey: string, login: string) => readonly HmacKey[]
}

const KEY = 'specification, Signature generation, step 6'
const UTF8 = new TextEncoder()

/**
 * Mistakes with the control key. Each way uses the complete control key or nothing of it: a key of the first
 * characters alone would let a stranger guess the control key piece by piece.
 */
export const CONTROL_KEY_MISTAKES = [
  {
    code: 'key-without-ampersand',
    sentence: 'You signed with the control key alone.',
    fix: 'Put "&" after the control key.',
    clause: KEY,
    keys: (key) => [key, percentEncode(key)],
  },
  {
    code: 'key-with-line-end',
    sentence: 'Your control key has a line end.',
    fix: 'Trim the control key after you read it from its file or variable.',
    clause: KEY,
    keys: (key) => [`${key}\n&`, `${key}\r\n&`, `${key}&\n`, `${key}%0A&`, `${key}\n`],
  },
  {
    code: 'key-with-space',
    sentence: 'Your control key has a space before or after it.',
    fix: 'Trim the control key after you read it from its file or variable.',
    clause: KEY,
    keys: (key) => [` ${key}&`, `${key} &`, ` ${key} &`, `${key}& `, `${key}%20&`],
  },
  {
    code: 'key-in-quotes',
    sentence: 'Your control key has quotes around it.',
    fix: 'Remove the quotes: they are not a part of the control key.',
    clause: KEY,
    keys: (key) => [`"${key}"&`, `'${key}'&`, `%22${key}%22&`, `%27${key}%27&`],
  },
  {
    code: 'key-case',
    sentence: 'You changed the letter case of the control key.',
    fix: 'Use the control key exactly as you received it.',
    clause: KEY,
    keys: (key) => [`${key.toLowerCase()}&`, `${key.toUpperCase()}&`],
  },
  {
    code: 'key-decoded',
    sentence: 'You decoded the control key from hex or base64.',
    fix: 'Use the text of the control key as it is.',
    clause: KEY,
    keys: (key) => [hexBytes(key), decodeBase64(key)].flatMap((bytes) => withAmpersand(bytes)),
  },
  {
    code: 'key-encoded-as-base64',
    sentence: 'You wrote the control key as hex or base64.',
    fix: 'Use the text of the control key as it is.',
    clause: KEY,
    keys: (key) => {
      const bytes = UTF8.encode(key)
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
      return [`${encodeBase64(bytes)}&`, `${percentEncode(encodeBase64(bytes))}&`, `${hex}&`]
    },
  },
  {
    code: 'key-encoded-twice',
    sentence: 'You percent-encoded the control key twice, or "&" with it.',
    fix: 'Percent-encode the control key once, and put "&" after it.',
    clause: 'RFC 5849, 3.4.2',
    keys: (key) => [`${percentEncode(percentEncode(key))}&`, `${percentEncode(key)}%26`],
  },
  {
    code: 'key-empty',
    sentence: 'You signed with an empty control key.',
    fix: 'Check the name of the variable or file from which your program reads the control key.',
    clause: KEY,
    // HMAC fills a key with zeros, and WebCrypto refuses an empty one.
    keys: () => ['&', '\0', 'undefined&', 'null&', 'None&'],
  },
  {
    code: 'key-login',
    sentence: 'You signed with the login instead of the control key.',
    fix: 'Sign with the control key that belongs to the login.',
    clause: KEY,
    keys: (key, login) => [`${login}&`, login, `${login}&${key}`, `${key}&${login}`],
  },
  {
    code: 'key-repeated',
    sentence: 'You put the control key after the "&", where a token secret would stand.',
    fix: 'Put the control key before the "&", and nothing after it.',
    clause: 'specification, Credentials',
    keys: (key) => [`${key}&${key}`, `&${key}`],
  },
] as const satisfies readonly ControlKeyMistake[]

function hexBytes(key: string): Uint8Array | undefined {
  const digits = key.replaceAll('-', '')
  if (!/^(?:[\da-f]{2})+$/i.test(digits)) return undefined
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

function withAmpersand(bytes: Uint8Array | undefined): readonly Uint8Array[] {
  return bytes && bytes.length > 0 ? [Uint8Array.of(...bytes, 0x26), bytes] : []
}
