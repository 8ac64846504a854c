import type { PdfObjects } from '../objects/pdf-objects.ts'
import { pdfArray, pdfRef } from '../objects/pdf-values.ts'
import type { FontFace } from './font-face.ts'
import { subsetFont } from './subset-font.ts'

/** The codes that a document can use of one font. */
const CODES_MAX = 65_535

/** The ranges of one list in a map of characters (ISO 32000-1, 9.10.3). */
const MAPPED_MAX = 100

/** The characters whose codes in Latin-1 are those of `WinAnsiEncoding`: the visible ones, without the soft hyphen. */
const LATIN_FIRST = 0x20
const LATIN_LAST = 0xff

/**
 * A font of a document, under two names. In the one for Latin-1, a text is its own bytes. In the other, each glyph that
 * stands for a text has a code of two bytes, so that readers find the text of every code, even if one glyph stands for
 * different texts.
 */
export class EmbeddedFont {
  readonly face: FontFace
  /** The font's names in the resources of pages. */
  readonly name: string
  readonly latinName: string
  readonly #object: number
  readonly #latinObject: number
  #isLatinUsed = false
  /** The escaped bytes of plain characters, by character code. */
  readonly #plain: string[] = []
  readonly #codes = new Map<string, number>()
  /** The glyph, the width and the text of each code. The code 0 stands for no text. */
  readonly #used: { readonly glyph: number; readonly width: number; readonly text: string }[] = [
    { glyph: 0, width: 0, text: '' },
  ]

  constructor(face: FontFace, name: string, objects: PdfObjects) {
    this.face = face
    this.name = name
    this.latinName = `L${name}`
    this.#object = objects.reserve()
    this.#latinObject = objects.reserve()
  }

  /** Returns the bytes of a text of Latin-1, escaped for a string in a page. */
  latinBytesOf(text: string): string {
    this.#isLatinUsed = true
    return SPECIAL.test(text) ? text.replaceAll(SPECIALS, String.raw`\$&`) : text
  }

  /** Returns the bytes of a glyph that stands for a text, escaped for a string in a page. */
  bytesOf(glyph: number, text: string): string {
    const key = `${glyph} ${text}`
    const known = this.#codes.get(key)
    if (known !== undefined) return escaped(known)
    if (this.#used.length > CODES_MAX) return escaped(0)
    const width = this.face.font.glyphHAdvance(glyph)
    const code = this.#used.push({ glyph, width, text }) - 1
    this.#codes.set(key, code)
    return escaped(code)
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
   * Writes the font with the glyphs that the document uses.
   *
   * @returns the entries of the pages' resources
   */
  async write(objects: PdfObjects): Promise<string> {
    const { face } = this
    if (!this.#isLatinUsed && this.#used.length === 1) {
      // A reserved object must exist.
      for (const object of [this.#object, this.#latinObject]) objects.write('null', object)
      return ''
    }
    const characters = this.#isLatinUsed ? LATIN_CHARACTERS : []
    const file = await subsetFont(face.bytes, {
      glyphs: new Set(this.#used.map(({ glyph }) => glyph)),
      characters,
    })
    // The letters before the name say that the font is a subset.
    const name = `/${tagOf(this.name)}+${face.name}`
    const fontFile = objects.writeStream(`/Length1 ${file.length}`, file)
    this.#writeCodes(objects, name, descriptorOf(face, name, fontFile, SYMBOLIC))
    this.#writeLatin(objects, name, descriptorOf(face, name, fontFile, NONSYMBOLIC))
    return `/${this.name} ${pdfRef(this.#object)}/${this.latinName} ${pdfRef(this.#latinObject)}`
  }

  #writeCodes(objects: PdfObjects, name: string, descriptor: string): void {
    const ids = Buffer.alloc(this.#used.length * 2)
    for (const [code, { glyph }] of this.#used.entries()) ids.writeUInt16BE(glyph, code * 2)
    const widths = this.#used.map(({ width }) => width)
    const descendant = objects.write(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont${name}` +
        '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>' +
        `/FontDescriptor ${pdfRef(objects.write(descriptor))}/W[0 ${pdfArray(widths)}]` +
        `/CIDToGIDMap ${pdfRef(objects.writeStream('', ids))}>>`,
    )
    const toUnicode = objects.writeStream('', toUnicodeOf(this.#used.map(({ text }) => text)))
    objects.write(
      `<</Type/Font/Subtype/Type0/BaseFont${name}/Encoding/Identity-H` +
        `/DescendantFonts[${pdfRef(descendant)}]/ToUnicode ${pdfRef(toUnicode)}>>`,
      this.#object,
    )
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
    const bytes = this.bytesOf(glyph, String.fromCharCode(code))
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

function escaped(code: number): string {
  const bytes = String.fromCharCode(code >> 8, code & 0xff)
  return bytes.replaceAll(/[()\\]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)
}

function tagOf(name: string): string {
  const letters = name.replaceAll(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)] ?? '')
  return letters.padStart(6, 'A')
}

/** A map from codes to texts, for readers that copy and search. */
function toUnicodeOf(texts: readonly string[]): string {
  const lines = texts.flatMap((text, code) => {
    return text === ''
      ? []
      : [`<${hex(code)}><${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`]
  })
  const lists: string[] = []
  for (let start = 0; start < lines.length; start += MAPPED_MAX) {
    const some = lines.slice(start, start + MAPPED_MAX)
    lists.push(`${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`)
  }
  return [
    '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap',
    '/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def',
    '/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def',
    '1 begincodespacerange\n<0000><ffff>\nendcodespacerange',
    ...lists,
    'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend',
  ].join('\n')
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0')
}
