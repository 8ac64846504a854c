import { percentEncode } from '../encode.ts'
import type { BaseStringMistake, Way } from './mistake.ts'

const CLAUSE = 'RFC 5849, 3.6'
const FIX_STEP = 'specification, Signature generation, step 2'

const javaUrlEncoder = (text: string) => {
  return percentEncode(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E')
}

/** How callers encode by mistake. */
export const ENCODING_MISTAKES = [
  {
    code: 'encoding-marks-left',
    sentence: "You left ! ' ( ) * unencoded.",
    fix: "Encode everything but A-Z a-z 0-9 - . _ ~: write %21, %27, %28, %29, %2A for ! ' ( ) *.",
    clause: CLAUSE,
    ways: [...instead(encodeURIComponent), ...instead(keep('!*()')), ...instead(keep('*'))],
  },
  {
    code: 'encoding-plus-for-space',
    sentence: 'You wrote "+" for a space.',
    fix: 'Write %20 for a space in what you sign.',
    clause: CLAUSE,
    ways: [
      ...instead((text) => percentEncode(text).replaceAll('%20', '+')),
      ...instead(javaUrlEncoder),
      ...instead((text) => javaUrlEncoder(text).replaceAll('%7E', '~')),
    ],
  },
  {
    code: 'encoding-slash-left',
    sentence: 'You left "/" unencoded.',
    fix: "Write %2F for a slash (Python: quote(text, safe='')).",
    clause: FIX_STEP,
    ways: instead(keep('/')),
  },
  {
    code: 'encoding-tilde-encoded',
    sentence: 'You encoded "~".',
    fix: 'Leave "~" as it is.',
    clause: CLAUSE,
    ways: instead((text) => percentEncode(text).replaceAll('~', '%7E')),
  },
  {
    code: 'encoding-lower-case',
    sentence: 'You wrote the hex digits of %XX in lower case.',
    fix: 'Write them in upper case: %2F, not %2f.',
    clause: CLAUSE,
    ways: instead((text) => {
      return percentEncode(text).replaceAll(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase())
    }),
  },
  {
    code: 'encoding-twice',
    sentence: 'You encoded the names and values twice before you built the base string.',
    fix: 'Encode each name and value once, and the parameter string once more as a part of the base string.',
    clause: 'specification, Signature generation, step 5',
    ways: [
      ...instead((text) => percentEncode(percentEncode(text))),
      ({ encodeValue }) => ({ encodeValue: (text) => percentEncode(encodeValue(text)) }),
    ],
  },
  {
    code: 'encoding-none',
    sentence: 'You did not encode the values.',
    fix: 'Encode each name and value before you sort and join the parameters.',
    clause: FIX_STEP,
    ways: [() => ({ encodeName: same, encodeValue: same }), () => ({ encodeValue: same })],
  },
  {
    code: 'encoding-names-left',
    sentence: 'You encoded the values and not the names.',
    fix: 'Encode the names of the parameters too.',
    clause: 'RFC 5849, 3.4.1.3.2',
    ways: [() => ({ encodeName: same })],
  },
  {
    code: 'encoding-charset',
    sentence: 'You encoded the text in another character set than UTF-8.',
    fix: 'Write text as UTF-8 before you encode it as %XX.',
    clause: CLAUSE,
    ways: ['windows-1252', 'windows-1251'].flatMap((charset) => instead(encodeAs(charset))),
  },
  {
    code: 'encoding-utf-16',
    sentence: 'You encoded characters as %uXXXX.',
    fix: 'Encode the bytes of UTF-8 as %XX: JavaScript has encodeURIComponent, not escape.',
    clause: CLAUSE,
    ways: [
      ...instead(escapeUtf16(/[^A-Za-z0-9@*_+\-./]/g)),
      ...instead(escapeUtf16(/[^A-Za-z0-9\-._~]/g)),
    ],
  },
] as const satisfies readonly BaseStringMistake[]

/** An encoding in place of the right one: everywhere, in the parameters only, and in the three parts only. */
function instead(encode: (text: string) => string): readonly Way[] {
  return [
    () => ({ encodeName: encode, encodeValue: encode, encodePart: encode }),
    () => ({ encodeName: encode, encodeValue: encode }),
    () => ({ encodePart: encode }),
  ]
}

function same(text: string): string {
  return text
}

/** Encodes everything but some more characters. */
function keep(characters: string): (text: string) => string {
  return (text) => {
    return percentEncode(text).replaceAll(/%[\dA-F]{2}/g, (byte) => {
      const character = String.fromCharCode(Number.parseInt(byte.slice(1), 16))
      return characters.includes(character) ? character : byte
    })
  }
}

/** Encodes the bytes of a character set. A character that it lacks becomes `?`. */
function encodeAs(charset: string): (text: string) => string {
  let bytes: ReadonlyMap<string, string> | undefined
  return (text) => {
    bytes ??= bytesOf(charset)
    return text.replaceAll(/[^]/gu, (character) => encodeCharacter(character, bytes))
  }
}

function encodeCharacter(
  character: string,
  bytes: ReadonlyMap<string, string> | undefined,
): string {
  return character < '\x80' ? percentEncode(character) : (bytes?.get(character) ?? '%3F')
}

function bytesOf(charset: string): ReadonlyMap<string, string> {
  const decoder = new TextDecoder(charset)
  return new Map(
    Array.from({ length: 128 }, (_, index) => {
      const byte = index + 128
      return [decoder.decode(Uint8Array.of(byte)), `%${byte.toString(16).toUpperCase()}`] as const
    }),
  )
}

/** Encodes as the `escape` of JavaScript does. */
function escapeUtf16(encoded: RegExp): (text: string) => string {
  return (text) => {
    return text.replaceAll(encoded, (character) => {
      const hex = character.charCodeAt(0).toString(16).toUpperCase()
      return hex.length > 2 ? `%u${hex.padStart(4, '0')}` : `%${hex.padStart(2, '0')}`
    })
  }
}
