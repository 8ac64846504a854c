import type { PdfObjects } from '../objects/pdf-objects.ts'
import { pdfArray, pdfRef } from '../objects/pdf-values.ts'
import type { Turn } from '../turn.ts'
import type { CopiedTexts } from './copied-texts.ts'
import { CODES_MAX, type FontCode, FontCodes } from './font-codes.ts'
import { type FontFace, PLAIN_END } from './font-face.ts'
import { subsetFont } from './subset-font.ts'

/** The codes of one name that shaped texts can use. The first name has room for every plain character. */
const SHAPED_CODES_MAX = CODES_MAX - PLAIN_END

/** The characters whose codes in Latin-1 are those of `WinAnsiEncoding`: the visible ones, without the soft hyphen. */
const LATIN_FIRST = 0x20
const LATIN_LAST = 0xff

/**
 * A font of a document, under several names. In the one for Latin-1, a text is its own bytes. In the others, each glyph
 * that stands for a text has a code of two bytes.
 */
export class EmbeddedFont {
  readonly face: FontFace
  /** The names of plain texts in the resources of pages. */
  readonly name: string
  readonly latinName: string
  readonly #objects: PdfObjects
  readonly #latinObject: number
  #isLatinUsed = false
  /** The escaped bytes of plain characters, by character code. */
  readonly #plain: string[] = []
  readonly #first: FontCodes
  readonly #codes: FontCodes[]
  readonly #texts: CopiedTexts
  readonly #known = new Map<string, FontCode>()
  readonly #shapedGlyphs = new Set<number>()

  /** @param texts limits the texts of all fonts of the document */
  constructor(face: FontFace, name: string, objects: PdfObjects, texts: CopiedTexts) {
    this.face = face
    this.name = name
    this.latinName = `L${name}`
    this.#objects = objects
    this.#texts = texts
    this.#first = new FontCodes(face, name, objects)
    this.#codes = [this.#first]
    this.#latinObject = objects.reserve()
  }

  /** Returns the bytes of a text of Latin-1, escaped for a string in a page. */
  latinBytesOf(text: string): string {
    this.#isLatinUsed = true
    return SPECIAL.test(text) ? text.replaceAll(SPECIALS, String.raw`\$&`) : text
  }

  /** Returns the code of a glyph that stands for a text. A copy of the document may have another text (`CopiedTexts`). */
  codeOf(glyph: number, text: string): FontCode {
    const key = `${glyph} ${text}`
    const known = this.#known.get(key)
    if (known) return known
    const kept = this.#texts.keep(text, !this.#shapedGlyphs.has(glyph))
    if (kept !== text) return this.codeOf(glyph, kept)
    this.#shapedGlyphs.add(glyph)
    let codes = this.#codes.at(-1) ?? this.#first
    if (codes.size >= SHAPED_CODES_MAX) {
      codes = new FontCodes(this.face, `${this.name}_${this.#codes.length}`, this.#objects)
      this.#codes.push(codes)
    }
    const code = { name: codes.name, bytes: codes.add(glyph, text) }
    this.#known.set(key, code)
    return code
  }

  /** Returns the bytes of a plain text, escaped for a string in a page. */
  plainBytesOf(text: string): string {
    let bytes = ''
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      bytes += this.#plain[code] ?? this.#addPlain(code)
    }
    return bytes
  }

  /**
   * Writes the font with the glyphs that the document uses. Other work has its turn meanwhile.
   *
   * @returns the entries of the pages' resources
   */
  async write(objects: PdfObjects, turn: Turn | undefined): Promise<string> {
    const { face } = this
    if (!this.#isLatinUsed && this.#first.size === 1) {
      // A reserved object must exist.
      for (const object of [this.#first.object, this.#latinObject]) objects.write('null', object)
      return ''
    }
    const file = await subsetFont(face.bytes, {
      glyphs: new Set(this.#codes.flatMap((codes) => codes.glyphs())),
      characters: this.#isLatinUsed ? LATIN_CHARACTERS : [],
    })
    // The letters before the name say that the font is a subset.
    const name = `/${tagOf(this.name)}+${face.name}`
    const fontFile = objects.writeStream(`/Length1 ${file.length}`, file)
    const descriptor = descriptorOf(face, name, fontFile, SYMBOLIC)
    for (const codes of this.#codes) await codes.write(objects, name, descriptor, turn)
    this.#writeLatin(objects, name, descriptorOf(face, name, fontFile, NONSYMBOLIC))
    const entries = this.#codes.map((codes) => `/${codes.name} ${pdfRef(codes.object)}`).join('')
    return `${entries}/${this.latinName} ${pdfRef(this.#latinObject)}`
  }

  #writeLatin(objects: PdfObjects, name: string, descriptor: string): void {
    const { plainWidths } = this.face
    const widths = [...plainWidths.subarray(LATIN_FIRST, LATIN_LAST + 1)].map((width) => {
      return Math.max(0, width)
    })
    objects.write(
      `<</Type/Font/Subtype/TrueType/BaseFont${name}/Encoding/WinAnsiEncoding` +
        `/FirstChar ${LATIN_FIRST}/LastChar ${LATIN_LAST}/Widths${pdfArray(widths)}` +
        `/FontDescriptor ${pdfRef(objects.write(descriptor))}>>`,
      this.#latinObject,
    )
  }

  #addPlain(code: number): string {
    const glyph = this.face.font.nominalGlyph(code) ?? 0
    const bytes = this.#first.add(glyph, String.fromCharCode(code))
    this.#plain[code] = bytes
    return bytes
  }
}

const LATIN_CHARACTERS = Array.from({ length: LATIN_LAST + 1 - LATIN_FIRST }, (_, index) => {
  return LATIN_FIRST + index
})

const SPECIAL = /[()\\]/
const SPECIALS = /[()\\]/g

// Flags of font descriptors (ISO 32000-1, table 123).
const SYMBOLIC = 4
const NONSYMBOLIC = 32

function descriptorOf(
  { name: faceName, metrics }: FontFace,
  name: string,
  fontFile: number,
  flags: number,
): string {
  const { ascent, descent, capHeight, box } = metrics
  const stem = faceName.endsWith('Bold') ? 140 : 80
  return (
    `<</Type/FontDescriptor/FontName${name}/Flags ${flags}/FontBBox${pdfArray(box)}` +
    `/ItalicAngle 0/Ascent ${ascent}/Descent ${descent}/CapHeight ${capHeight}` +
    `/StemV ${stem}/FontFile2 ${pdfRef(fontFile)}>>`
  )
}

function tagOf(name: string): string {
  const letters = name.replaceAll(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)] ?? '')
  return letters.padStart(6, 'A')
}
