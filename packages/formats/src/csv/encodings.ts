import { isAscii } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import iconv from 'iconv-lite'

/** A character encoding of report files. */
export interface Encoding {
  /** The name in requests and answers, in upper case. */
  readonly name: string
  /** The value of `charset` in `Content-Type`: the name of the IANA, or of the WHATWG where the IANA has none. */
  readonly charset: string
  /** The name in iconv-lite. Unicode encodings need no table, so they have none. */
  readonly codec?: string
}

const UNICODE = ['UTF-8', 'UTF-16', 'UTF-16LE', 'UTF-16BE']

/**
 * The encodings of the WHATWG standard without ISO-2022-JP, which iconv-lite lacks, and some that old systems read.
 * Where the standard gives the name of an encoding to a larger one, such as ISO-8859-1 to windows-1252, the name keeps
 * its own meaning: a reader that follows the standard reads both alike.
 */
const CHARSETS = `
  US-ASCII ISO-8859-1 ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-8-I
  ISO-8859-9 ISO-8859-10 ISO-8859-11 ISO-8859-13 ISO-8859-14 ISO-8859-15 ISO-8859-16 windows-874 windows-1250
  windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 KOI8-R KOI8-U
  IBM437 IBM850 IBM852 IBM855 IBM866 macintosh x-mac-cyrillic Shift_JIS EUC-JP GBK GB18030 Big5 EUC-KR`

/** Names in iconv-lite that are not the charset. */
const CODECS: Readonly<Record<string, string>> = {
  'x-mac-cyrillic': 'macukraine',
  Shift_JIS: 'cp932',
  Big5: 'cp950',
  'EUC-KR': 'cp949',
}

/** The character encodings that a text file may have. */
export const ENCODINGS: readonly Encoding[] = [
  ...UNICODE.map((name) => ({ name, charset: name })),
  ...CHARSETS.trim()
    .split(/\s+/)
    .map((charset) => {
      const codec = CODECS[charset] ?? charset.toLowerCase()
      return { name: charset.toUpperCase(), charset, codec }
    }),
]

/** Finds an encoding by its name, or by another label of the WHATWG standard, in any case. */
export function findEncoding(label: string): Encoding | undefined {
  const named = (name: string) => ENCODINGS.find((one) => one.name === name.toUpperCase())
  try {
    return named(label) ?? named(new TextDecoder(label).encoding)
  } catch {
    return undefined
  }
}

const QUESTION_MARK = 0x3f
const LINE_FEED = 0x0a

/** Encoded bytes, and how many characters became `?` because the encoding lacks them. */
export interface EncodedText {
  readonly bytes: Uint8Array
  readonly replaced: number
  /** The place of the first such character in the text. */
  readonly firstReplaced?: number | undefined
}

/** Encodes a text. The text contains no half of a surrogate pair. */
export type EncodeText = (text: string) => EncodedText

/**
 * Creates a function that encodes UTF-8 piece by piece, and `undefined` as the end. A piece may end inside a character.
 * Bytes that are not UTF-8 become U+FFFD first.
 */
export function createPieceEncoder(
  encoding: Encoding,
): (utf8: Uint8Array | undefined) => EncodedText {
  const encode = textEncoderOf(encoding)
  const decoder = new StringDecoder('utf8')
  const keepsAscii = encoding.codec !== undefined
  return (utf8) => {
    if (!utf8) return encode(decoder.end())
    // Most pieces of most reports are ASCII, which every table of iconv-lite keeps.
    if (keepsAscii && isAscii(utf8)) {
      const { bytes, replaced } = encode(decoder.end())
      return { bytes: bytes.length > 0 ? Buffer.concat([bytes, utf8]) : utf8, replaced }
    }
    return encode(decoder.write(utf8))
  }
}

/** Returns the function that encodes texts. Texts in Unicode encodings hold every character. */
export function textEncoderOf(encoding: Encoding): EncodeText {
  const { codec, name } = encoding
  if (codec === undefined) return (text) => ({ bytes: encodeUnicode(text, name), replaced: 0 })
  const table = tableOf(codec)
  return (text) => encodeByTable(text, codec, table)
}

function encodeUnicode(text: string, name: string): Uint8Array {
  if (name === 'UTF-8') return Buffer.from(text)
  const bytes = Buffer.from(text, 'utf16le')
  return name === 'UTF-16BE' ? bytes.swap16() : bytes
}

/** The bytes of each UTF-16 code unit as one number: 0 for a character that the encoding lacks. */
interface EncodingTable {
  readonly packed: Uint32Array
  readonly unitBytesMax: number
}

const TABLES = new Map<string, EncodingTable>()

/** Returns the table of an encoding. iconv-lite supplies it; its own streams take many times as long as a table. */
function tableOf(codec: string): EncodingTable {
  const table = TABLES.get(codec) ?? makeTable(codec)
  TABLES.set(codec, table)
  return table
}

/** Bytes that iconv-lite knows from the time before the euro. */
const CORRECTIONS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  macintosh: { 0xdb: '€', 0xbd: 'Ω' },
  macukraine: { 0xff: '€' },
}

function makeTable(codec: string): EncodingTable {
  const characters = Array.from({ length: 0x1_00_00 }, (_, unit) => String.fromCharCode(unit))
    .slice(0x80)
    .filter((character) => !isSurrogate(character.charCodeAt(0)))
  // A line feed ends each character: no encoding has one inside a character, and no character combines with one.
  const bytes = iconv.encode(characters.map((character) => `${character}\n`).join(''), codec)
  const readBack = iconv.decode(bytes, codec).split('\n')
  const packed = new Uint32Array(0x1_00_00)
  let unitBytesMax = 1
  let from = 0
  for (const [index, character] of characters.entries()) {
    const length = bytes.indexOf(LINE_FEED, from) - from
    // iconv-lite writes a yen sign as a backslash, and U+FFFD as a byte without a meaning.
    const isKept = readBack[index] === character && (character !== '\ufffd' || length > 1)
    if (isKept) {
      packed[character.charCodeAt(0)] = bytes.readUIntBE(from, length)
      unitBytesMax = Math.max(unitBytesMax, length)
    }
    from += length + 1
  }
  for (const [byte, character] of Object.entries(CORRECTIONS[codec] ?? {})) {
    const before = iconv.decode(Buffer.of(Number(byte)), codec)
    packed[before.charCodeAt(0)] = 0
    packed[character.charCodeAt(0)] = Number(byte)
  }
  return { packed, unitBytesMax }
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function encodeByTable(
  text: string,
  codec: string,
  { packed, unitBytesMax }: EncodingTable,
): EncodedText {
  const bytes = Buffer.allocUnsafe(text.length * unitBytesMax)
  let at = 0
  let replaced = 0
  let firstReplaced: number | undefined
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) {
      bytes[at++] = unit
      continue
    }
    let number = packed[unit] ?? 0
    if (isSurrogate(unit)) {
      // No other encoding of a table has characters outside the BMP.
      const pair = text.slice(index, index + 2)
      number = codec === 'gb18030' ? iconv.encode(pair, codec).readUInt32BE() : 0
    }
    if (number === 0) {
      firstReplaced ??= index
      replaced += 1
      number = QUESTION_MARK
    }
    if (isSurrogate(unit)) index += 1
    if (number > 0xff_ff_ff) bytes[at++] = number >>> 24
    if (number > 0xff_ff) bytes[at++] = number >>> 16
    if (number > 0xff) bytes[at++] = number >>> 8
    bytes[at++] = number
  }
  return { bytes: bytes.subarray(0, at), replaced, firstReplaced }
}
