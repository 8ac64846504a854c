import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Buffer, Font } from 'harfbuzzjs'

export type FontWeight = 'regular' | 'bold'

/** A family of fonts, which an npm package carries. */
export interface FontFamily {
  readonly name: string
  readonly package: string
  /** Characters that this family shows best. */
  readonly prefers: RegExp
}

/** The families, in the order in which they are tried. A text that is only Latin, Greek or Cyrillic needs the first. */
export const FONT_FAMILIES: readonly [FontFamily, ...FontFamily[]] = [
  notoSans('', /\p{Script=Latin}/u),
  notoSans('Arabic', /\p{Script=Arabic}/u),
  notoSans('Hebrew', /\p{Script=Hebrew}/u),
  notoSans('Thai', /\p{Script=Thai}/u),
  notoSans('Devanagari', /\p{Script=Devanagari}/u),
  // An operator installs these beside the gateway: they are too large for everyone.
  notoSans('JP', /[\p{Script=Hiragana}\p{Script=Katakana}]/u),
  notoSans('KR', /\p{Script=Hangul}/u),
  notoSans('SC', /\p{Script=Han}/u),
  notoSans('TC', /\p{Script=Bopomofo}/u),
]

function notoSans(part: string, prefers: RegExp): FontFamily {
  const folder = part === '' ? 'noto-sans' : `noto-sans-${part.toLowerCase()}`
  return { name: `NotoSans${part}`, package: `@expo-google-fonts/${folder}`, prefers }
}

const WEIGHT_NAMES: Readonly<Record<FontWeight, string>> = {
  regular: '400Regular',
  bold: '700Bold',
}

const require = createRequire(import.meta.url)

function findFontFile(
  { name, package: carrier }: FontFamily,
  weight: FontWeight,
): string | undefined {
  const folder = WEIGHT_NAMES[weight]
  try {
    return require.resolve(`${carrier}/${folder}/${name}_${folder}.ttf`)
  } catch {
    return undefined
  }
}

type HarfBuzz = typeof import('harfbuzzjs')

/** Widths and glyphs are in thousandths of the font's size. */
const UNITS = 1000

/** The end of the characters that may be plain. */
const PLAIN_END = 0x2200

// Latin, Greek and Cyrillic letters, punctuation and currency signs. They have one glyph each, from left to right, so
// that a text of them needs no shaping. The soft hyphen is not among them.
const PLAIN =
  /[ -~\u00a0-\u00ac\u00ae-\u024f\u0370-\u0482\u048a-\u052f\u1e00-\u1fbc\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u214f]/

/** A font that the process has read. All documents share it. */
export interface FontFace {
  readonly bytes: Uint8Array
  readonly font: Font
  readonly characters: ReadonlySet<number>
  /** The widths of plain characters by character code, and -1 for other characters. */
  readonly plainWidths: Int16Array
}

export interface FontFaces {
  readonly harfbuzz: HarfBuzz
  /** The package frees a buffer only when the garbage collector finds it, so the process has one. */
  readonly buffer: Buffer
  /** Returns the families whose packages are installed, in their order. */
  readonly families: readonly FontFamily[]
  /** Reads a font once. A family that lacks a weight shows its regular weight. */
  read(family: FontFamily, weight: FontWeight): FontFace
}

let opened: Promise<FontFaces> | undefined

/** Opens the fonts. HarfBuzz is loaded when the first document needs it. */
export function openFontFaces(): Promise<FontFaces> {
  opened ??= import('harfbuzzjs').then(facesOf)
  return opened
}

function facesOf(harfbuzz: HarfBuzz): FontFaces {
  const known = new Map<string, FontFace>()
  return {
    harfbuzz,
    buffer: new harfbuzz.Buffer(),
    families: FONT_FAMILIES.filter((family) => findFontFile(family, 'regular') !== undefined),
    read: (family, weight) => {
      const key = `${family.name} ${weight}`
      const face = known.get(key) ?? readFace(harfbuzz, family, weight)
      known.set(key, face)
      return face
    },
  }
}

function readFace(harfbuzz: HarfBuzz, family: FontFamily, weight: FontWeight): FontFace {
  const file = findFontFile(family, weight) ?? findFontFile(family, 'regular')
  if (file === undefined) throw new Error(`${family.package} has no font ${family.name}.`)
  const bytes = readFileSync(file)
  const face = new harfbuzz.Face(new harfbuzz.Blob(bytes))
  const font = new harfbuzz.Font(face)
  font.setScale(UNITS, UNITS)
  const plainWidths = Int16Array.from({ length: PLAIN_END }, (_, code) => {
    const glyph = PLAIN.test(String.fromCharCode(code)) ? font.nominalGlyph(code) : undefined
    return glyph === undefined ? -1 : font.glyphHAdvance(glyph)
  })
  return { bytes, font, characters: new Set(face.collectUnicodes()), plainWidths }
}
