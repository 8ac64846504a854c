/** A character encoding of report files. */
export interface Encoding {
  /** The name in requests and answers, in upper case. */
  readonly name: string
  /** The value of `charset` in `Content-Type`: the name of the IANA, or of the WHATWG where the IANA has none. */
  readonly charset: string
  /** The name in iconv-lite. Unicode encodings need no table, so they have none. */
  readonly codec?: string
  /** Other names that a request may use, in upper case. */
  readonly labels: readonly string[]
}

/**
 * Every encoding: its charset, its name in iconv-lite, and its other labels. These are the encodings of the WHATWG
 * standard without ISO-2022-JP, which iconv-lite lacks, and some that old systems read. Where the standard gives the
 * label of one encoding to a larger one, such as ISO-8859-1 to windows-1252, the label keeps its own meaning: a reader
 * that follows the standard reads both alike.
 */
const TABLE: readonly (readonly [charset: string, codec: string, labels: string])[] = [
  ['US-ASCII', 'ascii', 'ascii ansi_x3.4-1968 iso646-us'],
  ['ISO-8859-1', 'iso-8859-1', 'iso8859-1 iso_8859-1 iso88591 latin1 l1'],
  ['ISO-8859-2', 'iso-8859-2', 'iso8859-2 iso_8859-2 iso88592 latin2 l2'],
  ['ISO-8859-3', 'iso-8859-3', 'iso8859-3 iso_8859-3 iso88593 latin3 l3'],
  ['ISO-8859-4', 'iso-8859-4', 'iso8859-4 iso_8859-4 iso88594 latin4 l4'],
  ['ISO-8859-5', 'iso-8859-5', 'iso8859-5 iso_8859-5 iso88595 cyrillic'],
  ['ISO-8859-6', 'iso-8859-6', 'iso8859-6 iso_8859-6 iso88596 arabic asmo-708 ecma-114'],
  ['ISO-8859-7', 'iso-8859-7', 'iso8859-7 iso_8859-7 iso88597 greek greek8 ecma-118 elot_928'],
  ['ISO-8859-8', 'iso-8859-8', 'iso8859-8 iso_8859-8 iso88598 hebrew visual'],
  ['ISO-8859-8-I', 'iso-8859-8', 'logical csiso88598i'],
  ['ISO-8859-9', 'iso-8859-9', 'iso8859-9 iso_8859-9 iso88599 latin5 l5'],
  ['ISO-8859-10', 'iso-8859-10', 'iso8859-10 iso_8859-10 iso885910 latin6 l6'],
  ['ISO-8859-11', 'iso-8859-11', 'iso8859-11 iso_8859-11 iso885911 tis-620'],
  ['ISO-8859-13', 'iso-8859-13', 'iso8859-13 iso_8859-13 iso885913'],
  ['ISO-8859-14', 'iso-8859-14', 'iso8859-14 iso_8859-14 iso885914'],
  ['ISO-8859-15', 'iso-8859-15', 'iso8859-15 iso_8859-15 iso885915 latin9 l9'],
  ['ISO-8859-16', 'iso-8859-16', 'iso8859-16 iso_8859-16 iso885916 latin10'],
  ['windows-874', 'windows-874', 'cp874 dos-874 x-cp874'],
  ['windows-1250', 'windows-1250', 'cp1250 x-cp1250'],
  ['windows-1251', 'windows-1251', 'cp1251 x-cp1251'],
  ['windows-1252', 'windows-1252', 'cp1252 x-cp1252 ansi'],
  ['windows-1253', 'windows-1253', 'cp1253 x-cp1253'],
  ['windows-1254', 'windows-1254', 'cp1254 x-cp1254'],
  ['windows-1255', 'windows-1255', 'cp1255 x-cp1255'],
  ['windows-1256', 'windows-1256', 'cp1256 x-cp1256'],
  ['windows-1257', 'windows-1257', 'cp1257 x-cp1257'],
  ['windows-1258', 'windows-1258', 'cp1258 x-cp1258'],
  ['KOI8-R', 'koi8-r', 'koi koi8 koi8_r cskoi8r'],
  ['KOI8-U', 'koi8-u', 'koi8-ru'],
  ['IBM437', 'cp437', '437 cp437'],
  ['IBM850', 'cp850', '850 cp850'],
  ['IBM852', 'cp852', '852 cp852'],
  ['IBM855', 'cp855', '855 cp855'],
  ['IBM866', 'cp866', '866 cp866 csibm866'],
  ['macintosh', 'macintosh', 'mac x-mac-roman csmacintosh'],
  ['x-mac-cyrillic', 'macukraine', 'x-mac-ukrainian'],
  ['Shift_JIS', 'cp932', 'shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis cp932'],
  ['EUC-JP', 'euc-jp', 'x-euc-jp eucjp cseucpkdfmtjapanese'],
  ['GBK', 'gbk', 'gb2312 gb_2312 gb_2312-80 x-gbk chinese csgb2312 iso-ir-58 cp936'],
  ['GB18030', 'gb18030', ''],
  ['Big5', 'cp950', 'cn-big5 x-x-big5 csbig5 big5-hkscs cp950'],
  [
    'EUC-KR',
    'cp949',
    'ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cp949 uhc',
  ],
]

const UNICODE: readonly Encoding[] = [
  { name: 'UTF-8', charset: 'UTF-8', labels: ['UTF8', 'UNICODE-1-1-UTF-8'] },
  { name: 'UTF-16', charset: 'UTF-16', labels: ['UTF16', 'UCS-2', 'UNICODE', 'ISO-10646-UCS-2'] },
  { name: 'UTF-16LE', charset: 'UTF-16LE', labels: ['UNICODEFEFF'] },
  { name: 'UTF-16BE', charset: 'UTF-16BE', labels: ['UNICODEFFFE'] },
]

/** The character encodings that a text file may have. */
export const ENCODINGS: readonly Encoding[] = [
  ...UNICODE,
  ...TABLE.map(([charset, codec, labels]) => {
    const names = labels.toUpperCase().split(' ').filter(Boolean)
    return { name: charset.toUpperCase(), charset, codec, labels: names }
  }),
]

const BY_LABEL = new Map(
  ENCODINGS.flatMap((encoding) => {
    return [encoding.name, ...encoding.labels].map((label) => [label, encoding] as const)
  }),
)

/** Finds an encoding by its name or another label, in any case. */
export function findEncoding(label: string): Encoding | undefined {
  return BY_LABEL.get(label.toUpperCase())
}
