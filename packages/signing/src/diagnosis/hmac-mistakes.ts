import { runtime } from '#crypto'
import { decodeBase64, encodeBase64 } from '../base64.ts'
import type { Mistake } from './mistake.ts'

/** A mistake with the function HMAC-SHA1. `codes` returns the signatures, in base64, of a caller who makes it. */
interface HmacMistake extends Mistake {
  readonly codes: (baseString: string, key: string) => Promise<readonly string[]>
}

const CLAUSE = 'RFC 5849, 3.4.2'
const UTF8 = new TextEncoder()

/** Mistakes with HMAC-SHA1 itself. The key of `codes` is the control key with its `&`. */
export const HMAC_MISTAKES = [
  {
    code: 'hmac-swapped',
    sentence: 'You swapped the key and the text of the HMAC.',
    fix: 'Pass the control key with "&" as the key, and the base string as the text.',
    clause: CLAUSE,
    codes: async (baseString, key) => [await mac(baseString, key)],
  },
  {
    code: 'sha1-without-hmac',
    sentence: 'You signed with SHA-1 instead of HMAC-SHA1.',
    fix: 'Use the HMAC function of your library with SHA-1.',
    clause: CLAUSE,
    codes: async (baseString, key) => {
      const bare = key.slice(0, -1)
      return await Promise.all(
        [
          baseString,
          baseString + key,
          key + baseString,
          baseString + bare,
          bare + baseString,
          `${baseString}&${bare}`,
        ].map(sha1),
      )
    },
  },
  {
    code: 'hmac-of-hash',
    sentence: 'You signed the hash of the base string instead of the base string.',
    fix: 'Pass the base string to the HMAC function, which hashes it itself.',
    clause: CLAUSE,
    codes: async (baseString, key) => {
      const texts = await Promise.all(
        (['SHA-1', 'SHA-256'] as const).map(async (hash) => {
          const digest = await runtime.hash(hash, UTF8.encode(baseString))
          return [hexOf(digest), encodeBase64(digest)]
        }),
      )
      return await Promise.all(texts.flat().map((text) => mac(key, text)))
    },
  },
] as const satisfies readonly HmacMistake[]

async function mac(key: string, text: string): Promise<string> {
  return await (await runtime.importHmac('SHA-1', key)).mac(text)
}

async function sha1(text: string): Promise<string> {
  return encodeBase64(await runtime.hash('SHA-1', UTF8.encode(text)))
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compares a code in base64 with a signature in constant time. */
export function isCode(code: string, signature: Uint8Array): boolean {
  const bytes = decodeBase64(code)
  return bytes !== undefined && runtime.equalInConstantTime(bytes, signature)
}
