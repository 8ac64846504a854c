import type { PdfObjects } from '../objects/pdf-objects.ts'
import { pdfArray, pdfRef } from '../objects/pdf-values.ts'
import type { Turn } from '../turn.ts'
import type { FontFace } from './font-face.ts'

/** How many codes of two bytes there are. */
export const CODES_MAX = 65_536

/** The ranges of one list in a map of characters (ISO 32000-1, 9.10.3). */
const MAPPED_MAX = 100

/** How a page shows a glyph that stands for a text. */
export interface FontCode {
  /** The name of the font in the resources of pages. */
  readonly name: string
  /** The code, escaped for a string in a page. */
  readonly bytes: string
}

/**
 * The codes of a font under one name. Each glyph that stands for a text has a code of two bytes, so that readers find
 * the text of every code, even if one glyph stands for different texts.
 */
export class FontCodes {
  /** The font's name in the resources of pages. */
  readonly name: string
  /** The number of the font's object. */
  readonly object: number
  readonly #face: FontFace
  /** The glyph, the width and the text of each code. The code 0 stands for no text. */
  readonly #used: { readonly glyph: number; readonly width: number; readonly text: string }[] = [
    { glyph: 0, width: 0, text: '' },
  ]

  constructor(face: FontFace, name: string, objects: PdfObjects) {
    this.#face = face
    this.name = name
    this.object = objects.reserve()
  }

  /** How many codes are in use. */
  get size(): number {
    return this.#used.length
  }

  /**
   * Adds a glyph that stands for a text.
   *
   * @returns the bytes of its code, escaped for a string in a page
   * @throws an Error if every code is in use
   */
  add(glyph: number, text: string): string {
    if (this.size >= CODES_MAX) throw new Error(`The font ${this.name} has no code left.`)
    const width = this.#face.font.glyphHAdvance(glyph)
    return escaped(this.#used.push({ glyph, width, text }) - 1)
  }

  /** Returns the glyph of each code. */
  glyphs(): readonly number[] {
    return this.#used.map(({ glyph }) => glyph)
  }

  /** Writes the font, whose name and descriptor are given. Other work has its turn meanwhile. */
  async write(
    objects: PdfObjects,
    name: string,
    descriptor: string,
    turn: Turn | undefined,
  ): Promise<void> {
    const ids = Buffer.alloc(this.#used.length * 2)
    for (const [code, { glyph }] of this.#used.entries()) ids.writeUInt16BE(glyph, code * 2)
    const widths = this.#used.map(({ width }) => width)
    const descendant = objects.write(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont${name}` +
        '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>' +
        `/FontDescriptor ${pdfRef(objects.write(descriptor))}/W[0 ${pdfArray(widths)}]` +
        `/CIDToGIDMap ${pdfRef(objects.writeStream('', ids))}>>`,
    )
    const toUnicode = objects.writeStream('', await toUnicodeOf(this.#used, turn))
    objects.write(
      `<</Type/Font/Subtype/Type0/BaseFont${name}/Encoding/Identity-H` +
        `/DescendantFonts[${pdfRef(descendant)}]/ToUnicode ${pdfRef(toUnicode)}>>`,
      this.object,
    )
  }
}

function escaped(code: number): string {
  const bytes = String.fromCharCode(code >> 8, code & 0xff)
  return bytes.replaceAll(/[()\\]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)
}

/** A map from codes to texts, for readers that copy and search. */
async function toUnicodeOf(
  used: readonly { readonly text: string }[],
  turn: Turn | undefined,
): Promise<string> {
  const lists: string[] = []
  for (let start = 0; start < used.length; start += MAPPED_MAX) {
    if (turn?.isOver === true) await turn.next()
    const lines = used.slice(start, start + MAPPED_MAX).flatMap(({ text }, index) => {
      return text === '' ? [] : [`<${hex(start + index)}><${utf16(text)}>`]
    })
    lists.push(`${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar`)
  }
  if (turn?.isOver === true) await turn.next()
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

function utf16(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex')
}
