import * as harfbuzz from 'harfbuzzjs'
import { type PdfDictionary, PdfParser, PdfReference, type PdfValue } from './parse-pdf.ts'
import { nameOf, type PdfFile } from './pdf-file.ts'
import type { ShownCodes } from './read-content.ts'

type Font = InstanceType<typeof harfbuzz.Font>

/** How far the width in the document may be from that in the font, in thousandths of its size. */
const WIDTH_ERROR_MAX = 1
const NONSYMBOLIC = 32

/** Checks the fonts that the pages use: each is embedded, and each code that they show has a glyph and a text. */
export function checkFonts(file: PdfFile, shown: ShownCodes): readonly string[] {
  return [...shown].flatMap(([object, codes]) => {
    const font = file.dictionary(new PdfReference(object))
    const faults =
      nameOf(font.get('Subtype')) === 'Type0'
        ? compositeFaults(file, font, codes)
        : simpleFaults(file, font, codes)
    return faults.map((fault) => `Font ${object}, ${nameOf(font.get('BaseFont'))}: ${fault}`)
  })
}

/** A font for which each code of two bytes has a glyph. */
function compositeFaults(
  file: PdfFile,
  font: PdfDictionary,
  codes: ReadonlySet<number>,
): readonly string[] {
  const faults: string[] = []
  if (nameOf(font.get('Encoding')) !== 'Identity-H') faults.push('The encoding is not Identity-H.')
  const descendant = file.dictionary(file.array(font.get('DescendantFonts'))[0])
  const program = programOf(file, descendant)
  if (!program) return ['The font is not embedded.']
  const texts = textsOf(file.stream(font.get('ToUnicode')))
  if (!texts) return ['The font has no ToUnicode.']
  const glyphs = file.stream(descendant.get('CIDToGIDMap'))
  if (!glyphs) return ['The font has no glyphs.']
  const [first, list] = file.array(descendant.get('W'))
  const widths = file.array(list)
  for (const code of codes) {
    const glyph = code * 2 + 1 < glyphs.length ? glyphs.readUInt16BE(code * 2) : 0
    if (glyph === 0) faults.push(`Code ${code} has no glyph.`)
    faults.push(...widthFaults(program, code, glyph, widths[code - Number(first)]))
    const text = texts.get(code)
    if (text === undefined || text === '') faults.push(`Code ${code} has no text.`)
    else if (/[\0\ufeff\ufffe]/.test(text) || !text.isWellFormed()) {
      faults.push(`Code ${code} has a text that is not allowed.`)
    }
  }
  return faults
}

/** A font whose codes are those of WinAnsiEncoding, which needs no ToUnicode. */
function simpleFaults(
  file: PdfFile,
  font: PdfDictionary,
  codes: ReadonlySet<number>,
): readonly string[] {
  const faults: string[] = []
  const program = programOf(file, font)
  if (!program) return ['The font is not embedded.']
  const flags = Number(file.dictionary(font.get('FontDescriptor')).get('Flags'))
  if ((flags & NONSYMBOLIC) === 0) faults.push('The font is symbolic.')
  if (nameOf(font.get('Encoding')) !== 'WinAnsiEncoding')
    faults.push('The encoding is not WinAnsi.')
  const widths = file.array(font.get('Widths'))
  const first = Number(font.get('FirstChar'))
  for (const code of codes) {
    // The visible codes of WinAnsi from 32 to 126 and from 160 are those of Unicode.
    const isSame = (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code !== 0xad)
    const glyph = (isSame ? program.nominalGlyph(code) : undefined) ?? 0
    if (glyph === 0) faults.push(`Code ${code} has no glyph.`)
    faults.push(...widthFaults(program, code, glyph, widths[code - first]))
  }
  return faults
}

function widthFaults(
  program: Font,
  code: number,
  glyph: number,
  width: PdfValue | undefined,
): readonly string[] {
  const own = program.glyphHAdvance(glyph)
  const stated = typeof width === 'number' ? width : Number.NaN
  const isSame = Math.abs(stated - own) <= WIDTH_ERROR_MAX
  return isSame ? [] : [`Code ${code} has the width ${stated}, and its glyph ${own}.`]
}

function programOf(file: PdfFile, font: PdfDictionary): Font | undefined {
  const descriptor = file.dictionary(font.get('FontDescriptor'))
  const bytes = file.stream(descriptor.get('FontFile2'))
  if (!bytes) return undefined
  const program = new harfbuzz.Font(new harfbuzz.Face(new harfbuzz.Blob(bytes)))
  program.setScale(1000, 1000)
  return program
}

/** Returns the texts of codes in a map of characters (ISO 32000-1, 9.10.3). */
function textsOf(map: Buffer | undefined): ReadonlyMap<number, string> | undefined {
  if (!map) return undefined
  const texts = new Map<number, string>()
  for (const [, list = ''] of map.toString('latin1').matchAll(/beginbfchar\n([^]*?)endbfchar/g)) {
    const parser = new PdfParser(list)
    while (!parser.isAtEnd) {
      const [code, text] = [parser.read(), parser.read()]
      if (!Buffer.isBuffer(code) || !Buffer.isBuffer(text)) throw new Error('Malformed ToUnicode.')
      texts.set(code.readUInt16BE(), Buffer.from(text).swap16().toString('utf16le'))
    }
  }
  return texts
}
