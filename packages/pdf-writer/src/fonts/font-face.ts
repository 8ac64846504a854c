import { readFileSync } from 'node:fs'
import type { Buffer, Face, Font } from 'harfbuzzjs'
import { FONT_FAMILIES, findFontFile, type FontFamily, type FontWeight } from './font-families.ts'

type HarfBuzz = typeof import('harfbuzzjs')

/** Widths and glyphs are in thousandths of the font's size. */
const UNITS = 1000

/** The end of the characters that may be plain. */
export const PLAIN_END = 0x2200

// Latin, Greek and Cyrillic letters, punctuation and currency signs. They have one glyph each, from left to right, so
// that a text of them needs no shaping. The soft hyphen is not among them.
const PLAIN_RANGES = [
  [0x20, 0x7e],
  [0xa0, 0xac],
  [0xae, 0x24f],
  [0x370, 0x482],
  [0x48a, 0x52f],
  [0x1e00, 0x1fbc],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20bf],
  [0x2100, 0x214f],
] as const

/** A font that the process has read. All documents share it. */
export interface FontFace {
  readonly family: FontFamily
  /** The name of the font, such as `NotoSans-Regular`. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly font: Font
  readonly characters: ReadonlySet<number>
  /** The widths of plain characters by character code, and -1 for other characters. */
  readonly plainWidths: Int16Array
  readonly metrics: FontMetrics
}

/** The measures that a PDF file states of a font, in thousandths of its size. */
interface FontMetrics {
  readonly ascent: number
  readonly descent: number
  readonly capHeight: number
  readonly box: readonly number[]
}

/** The fonts of the process. */
export interface FontFaces {
  readonly harfbuzz: HarfBuzz
  /**
   * The buffer in which HarfBuzz shapes each run. The process has one, because the package frees a buffer only when the
   * garbage collector finds it, and that may be never while a long report is shaped.
   */
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
  return {
    family,
    name: `${family.name}-${weight === 'bold' ? 'Bold' : 'Regular'}`,
    bytes,
    font,
    characters: new Set(face.collectUnicodes()),
    plainWidths: plainWidthsOf(font),
    metrics: metricsOf(face, font),
  }
}

function plainWidthsOf(font: Font): Int16Array {
  const widths = new Int16Array(PLAIN_END).fill(-1)
  for (const [first, last] of PLAIN_RANGES) {
    for (let code = first; code <= last; code += 1) {
      const glyph = font.nominalGlyph(code)
      if (glyph !== undefined) widths[code] = font.glyphHAdvance(glyph)
    }
  }
  return widths
}

// The places of fields in the tables `head` and `OS/2` (OpenType 1.9).
const HEAD_BOX = 36
const OS2_CAP_HEIGHT = 88

function metricsOf(face: Face, font: Font): FontMetrics {
  const scale = UNITS / face.upem
  const read = (table: string, place: number): number => {
    const bytes = face.referenceTable(table)
    if (!bytes || bytes.length < place + 2) return 0
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return Math.round(view.getInt16(place) * scale)
  }
  const { ascender, descender } = font.hExtents()
  return {
    ascent: ascender,
    descent: descender,
    capHeight: read('OS/2', OS2_CAP_HEIGHT),
    box: [0, 2, 4, 6].map((field) => read('head', HEAD_BOX + field)),
  }
}
