import type { FontWeight } from '../fonts/font-families.ts'
import { breakLines } from './break-lines.ts'
import type { DocumentFonts } from './document-fonts.ts'
import type { TextLine } from './text-line.ts'
import { shapedAdvances, shapeLine } from './shape-line.ts'

// Line feeds, and the separators of lines and paragraphs.
const LINE_END = /\r\n?|[\n\u2028\u2029]/

/** Sets texts as lines. Widths are in thousandths of the font's size. */
export class Typesetter {
  readonly #fonts: DocumentFonts

  constructor(fonts: DocumentFonts) {
    this.#fonts = fonts
  }

  /** Returns the width of a text in one line, or of its widest line. */
  width(text: string, weight: FontWeight = 'regular'): number {
    const plain = this.#fonts.plainWidth(text, weight)
    if (plain >= 0) return plain
    const widths = paragraphsOf(text).map((paragraph) => {
      const width = this.#fonts.plainWidth(paragraph, weight)
      return width >= 0 ? width : shapeLine(this.#fonts, paragraph, weight).width
    })
    return Math.max(0, ...widths)
  }

  /** Sets a text in one line, however wide it is. Line ends become spaces. */
  line(text: string, weight: FontWeight = 'regular'): TextLine {
    const width = this.#fonts.plainWidth(text, weight)
    if (width >= 0) return this.#plainLine(text, weight, width)
    return this.#lineOf(paragraphsOf(text).join(' '), weight)
  }

  /** Sets a text in lines of at most a width. A word that is wider is broken. */
  lines(text: string, widthMax: number, weight: FontWeight = 'regular'): readonly TextLine[] {
    const width = this.#fonts.plainWidth(text, weight)
    if (width >= 0 && width <= widthMax) return [this.#plainLine(text, weight, width)]
    return paragraphsOf(text).flatMap((paragraph) => {
      return this.#broken(paragraph, widthMax, weight)
    })
  }

  #broken(paragraph: string, widthMax: number, weight: FontWeight): readonly TextLine[] {
    const lines = breakLines(paragraph, this.#advances(paragraph, weight), widthMax)
    return lines.map((line) => this.#lineOf(line, weight))
  }

  #advances(text: string, weight: FontWeight): readonly number[] {
    const { plainWidths } = this.#fonts.plain(weight).face
    return this.#fonts.plainWidth(text, weight) >= 0
      ? Array.from({ length: text.length }, (_, index) => plainWidths[text.charCodeAt(index)] ?? 0)
      : shapedAdvances(this.#fonts, text, weight)
  }

  #lineOf(text: string, weight: FontWeight): TextLine {
    const width = this.#fonts.plainWidth(text, weight)
    return width >= 0 ? this.#plainLine(text, weight, width) : shapeLine(this.#fonts, text, weight)
  }

  #plainLine(text: string, weight: FontWeight, width: number): TextLine {
    const font = this.#fonts.plain(weight)
    const spans = text === '' ? [] : [{ font, show: `(${font.plainBytesOf(text)})Tj`, rise: 0 }]
    return { spans, width, isRightToLeft: false }
  }
}

function paragraphsOf(text: string): readonly string[] {
  return text.replaceAll('\t', '    ').split(LINE_END)
}
