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
