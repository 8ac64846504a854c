import { type Parameter, percentEncode } from '../parameters/encode.ts'
import { type Axis, byName, compareTexts, joinPair, type Pair, type Way } from './recipe.ts'

type Encode = (text: string) => string

/** How callers encode by mistake. */
export const ENCODING_WAYS: Axis = [
  ['encoding-marks-left', ...[encodeURIComponent, leave('!*()'), leave('*')].flatMap(instead)],
  [
    'encoding-plus-for-space',
    ...instead((text) => percentEncode(text).replaceAll('%20', '+')),
    ...instead(encodeAsJava),
    ...instead((text) => encodeAsJava(text).replaceAll('%7E', '~')),
  ],
  ['encoding-slash-left', ...instead(leave('/'))],
  ['encoding-tilde-encoded', ...instead((text) => percentEncode(text).replaceAll('~', '%7E'))],
  [
    'encoding-lower-case',
    ...instead((text) => percentEncode(text).replaceAll(/%../g, (byte) => byte.toLowerCase())),
  ],
  [
    'encoding-twice',
    ...instead((text) => percentEncode(percentEncode(text))),
    ({ encodeValue }) => ({ encodeValue: (text) => percentEncode(encodeValue(text)) }),
  ],
  ['encoding-none', () => ({ encodeName: same, encodeValue: same }), () => ({ encodeValue: same })],
  ['encoding-names-left', () => ({ encodeName: same })],
  ['encoding-charset', ...['windows-1252', 'windows-1251'].map(encodeIn).flatMap(instead)],
  [
    'encoding-utf-16',
    ...instead(escapeUtf16(/[^A-Za-z0-9@*_+\-./]/g)),
    ...instead(escapeUtf16(/[^A-Za-z0-9\-._~]/g)),
  ],
]

const { compare: byLocale } = new Intl.Collator('en')

/** The orders in which programs write the `oauth_*` parameters before they sort them. */
const USUAL_ORDERS = [
  ['consumer_key', 'token', 'nonce', 'signature_method', 'timestamp', 'version'],
  ['consumer_key', 'token', 'signature_method', 'timestamp', 'nonce', 'version'],
]

/** The orders in which callers sign the parameters by mistake. */
export const ORDER_WAYS: Axis = [
  ['order-after-joining', order((a, b) => compareTexts(joinPair(a), joinPair(b)))],
  [
    'order-before-encoding',
    order((a, b) => compareTexts(a.name, b.name) || compareTexts(a.value, b.value)),
  ],
  ['order-by-name-only', order(byName)],
  [
    'order-case-insensitive',
    order((a, b) => compareTexts(a.encodedName.toLowerCase(), b.encodedName.toLowerCase())),
  ],
  [
    'order-by-locale',
    order(
      (a, b) => byLocale(a.encodedName, b.encodedName) || byLocale(a.encodedValue, b.encodedValue),
    ),
    order((a, b) => byLocale(joinPair(a), joinPair(b))),
  ],
  [
    'order-reversed',
    ({ compare }) => ({ compare: (a, b) => compare(b, a) }),
    order((a, b) => byName(b, a)),
  ],
  // Last, because an order by another mistake may be the order of the request.
  [
    'order-unsorted',
    ({ parameters }) => unsorted(parameters),
    (_, { header, query, form }) => unsorted([...query, ...form, ...header]),
    (_, { header, query, form }) => unsorted([...form, ...query, ...header]),
    (_, { header, query, form }) => unsorted([...header, ...form, ...query]),
    ...USUAL_ORDERS.flatMap((names): readonly Way[] => [
      (_, { header, query, form }) => unsorted([...inOrder(header, names), ...query, ...form]),
      (_, { header, query, form }) => unsorted([...query, ...form, ...inOrder(header, names)]),
    ]),
    // The header's parameters sorted, then the others sorted, and the reverse.
    order((a, b) => isProtocol(b) - isProtocol(a) || byName(a, b)),
    order((a, b) => isProtocol(a) - isProtocol(b) || byName(a, b)),
  ],
]

/** An encoding in place of the right one: everywhere, in the parameters only, and in the three parts only. */
function instead(encode: Encode): readonly Way[] {
  return [
    () => ({ encodeName: encode, encodeValue: encode, encodePart: encode }),
    () => ({ encodeName: encode, encodeValue: encode }),
    () => ({ encodePart: encode }),
  ]
}

function same(text: string): string {
  return text
}

function encodeAsJava(text: string): string {
  return percentEncode(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E')
}

/** Encodes everything but some more characters. */
function leave(characters: string): Encode {
  return (text) => {
    return percentEncode(text).replaceAll(/%../g, (byte) => {
      const character = String.fromCharCode(Number.parseInt(byte.slice(1), 16))
      return characters.includes(character) ? character : byte
    })
  }
}

/** Encodes in a character set of one byte. A character that it lacks becomes `?`. */
function encodeIn(charset: string): Encode {
  let known: ReadonlyMap<string, number> | undefined
  return (text) => {
    const bytes = (known ??= bytesOf(charset))
    return text.replaceAll(/[^]/gu, (character) => {
      return character < '\x80' ? percentEncode(character) : `%${hex(bytes.get(character) ?? 0x3f)}`
    })
  }
}

function bytesOf(charset: string): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(charset)
  const bytes = Array.from({ length: 128 }, (_, index) => index + 128)
  return new Map(bytes.map((byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
}

/** Encodes as the `escape` of JavaScript does. */
function escapeUtf16(encoded: RegExp): Encode {
  return (text) => {
    return text.replaceAll(encoded, (character) => {
      const code = character.charCodeAt(0)
      return code > 0xff ? `%u${hex(code).padStart(4, '0')}` : `%${hex(code)}`
    })
  }
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(2, '0')
}

function order(compare: (a: Pair, b: Pair) => number): Way {
  return () => ({ compare })
}

function unsorted(parameters: readonly Parameter[]) {
  return { parameters, compare: () => 0 }
}

function inOrder(header: readonly Parameter[], names: readonly string[]): readonly Parameter[] {
  const place = ([name]: Parameter) => names.indexOf(name.slice('oauth_'.length))
  return header.toSorted((a, b) => place(a) - place(b))
}

function isProtocol({ name }: Pair): number {
  return name.startsWith('oauth_') ? 1 : 0
}
