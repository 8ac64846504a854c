import type Kit from 'pdfkit'
import type { EmbeddedFont, Reference } from 'pdfkit'
import {
  FONT_FAMILIES,
  type FontFace,
  type FontFaces,
  type FontFamily,
  type FontWeight,
} from './fonts.ts'

/** Characters that have no shape of their own, so that no font needs to have them. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u
/** Characters that belong to the text around them: marks, spaces, digits and punctuation. */
const NEUTRAL = /^[\p{M}\p{Script=Common}\p{Script=Inherited}]$/u

/** Shows a character that no installed font has. The first font has it. */
export const REPLACEMENT = '\ufffd'

export class DocumentFonts {
  readonly faces: FontFaces
  /** Whether a text of the document has a character that no installed font has. */
  isMissing = false
  readonly #kit: Kit
  readonly #embedded = new Map<FontFace, DocumentFont>()
  readonly plain: Readonly<Record<FontWeight, DocumentFont>>

  constructor(faces: FontFaces, kit: Kit) {
    this.faces = faces
    this.#kit = kit
    this.plain = {
      regular: this.embed(FONT_FAMILIES[0], 'regular'),
      bold: this.embed(FONT_FAMILIES[0], 'bold'),
    }
  }

  embed(family: FontFamily, weight: FontWeight): DocumentFont {
    const face = this.faces.read(family, weight)
    const known = this.#embedded.get(face)
    if (known) return known
    this.#kit.font(face.bytes)
    const font = new DocumentFont(face, this.#kit._font)
    this.#embedded.set(face, font)
    return font
  }

  /** Chooses the family that shows a character after one of another. Undefined if no installed font has it. */
  familyOf(character: string, before: FontFamily, weight: FontWeight): FontFamily | undefined {
    if (INVISIBLE.test(character)) return before
    const code = character.codePointAt(0) ?? 0
    const has = (family: FontFamily): boolean => {
      return this.faces.read(family, weight).characters.has(code)
    }
    if (NEUTRAL.test(character) && has(before)) return before
    const { families } = this.faces
    const preferred = families.find(({ prefers }) => prefers.test(character))
    return preferred && has(preferred) ? preferred : families.find(has)
  }
}

/** The codes of a font beyond one for each glyph. A glyph has one for each text that it stands for. */
const FURTHER_CODES_MAX = 10_000
/** The longest text of a code. A longer one is of an attacker. */
const CODE_TEXT_MAX = 32

/** A font of a document. Each glyph that stands for a text has a code, so that readers find the text of every code. */
export class DocumentFont {
  readonly face: FontFace
  readonly #kit: EmbeddedFont
  /** The codes of glyphs, and those of glyphs with their texts. */
  readonly #glyphs = new Map<number, string>()
  readonly #codes = new Map<string, string>()
  readonly #plain: string[] = []

  constructor(face: FontFace, kit: EmbeddedFont) {
    this.face = face
    this.#kit = kit
  }

  get id(): string {
    return this.#kit.id
  }

  get reference(): Reference {
    return this.#kit.ref()
  }

  /** Returns the width of a plain text in thousandths of its size, and -1 for other texts. */
  plainWidth(text: string): number {
    const { plainWidths } = this.face
    let width = 0
    for (let index = 0; index < text.length; index += 1) {
      const advance = plainWidths[text.charCodeAt(index)] ?? -1
      if (advance < 0) return -1
      width += advance
    }
    return width
  }

  /** Returns the codes of a plain text, escaped for a string in a page. */
  plainCodes(text: string): string {
    let codes = ''
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      codes += this.#plain[code] ??= this.codeOf(
        this.face.font.nominalGlyph(code) ?? 0,
        String.fromCharCode(code),
      )
    }
    return codes
  }

  /** Returns the code of a glyph that stands for a text. A font that has too many codes gives the glyph its first one. */
  codeOf(glyph: number, text: string): string {
    const key = `${glyph} ${text}`
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    const first = this.#glyphs.get(glyph)
    const isFull = this.#codes.size - this.#glyphs.size >= FURTHER_CODES_MAX
    if (first !== undefined && (isFull || text.length > CODE_TEXT_MAX)) return first
    const { subset, widths, unicode } = this.#kit
    // The file holds the shape of the glyph once for each of its codes.
    const code = escaped(subset.glyphs.push(glyph) - 1)
    widths.push(this.face.font.glyphHAdvance(glyph))
    unicode.push(Array.from(text.slice(0, CODE_TEXT_MAX), (one) => one.codePointAt(0) ?? 0))
    this.#glyphs.set(glyph, first ?? code)
    this.#codes.set(key, code)
    return code
  }
}

/** Writes a code of two bytes for a string in a page, with a byte in each character. */
function escaped(code: number): string {
  const bytes = String.fromCharCode(code >> 8, code & 0xff)
  return bytes.replaceAll(/[()\\]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)
}
