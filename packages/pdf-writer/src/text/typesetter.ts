import type { FontWeight } from '../fonts/font-families.ts'
import { breakLines } from './break-lines.ts'
import type { DocumentFonts } from './document-fonts.ts'
import type { TextLine } from './text-line.ts'
import { shapedAdvances, shapeLine } from './shape-line.ts'

// Line feeds, and the separators of lines and paragraphs.
const LINE_END = /\r\n?|[\n\u2028\u2029]/

// Shaping takes a hundred times as long as a plain text. Texts repeat, and a long text is measured before it is drawn.
const SHAPED_LENGTH_MAX = 400_000

/** Sets texts as lines. Widths are in thousandths of the font's size. */
export class Typesetter {
  readonly #fonts: DocumentFonts
  readonly #shaped = new Map<string, TextLine>()
  /** The length of all keys in `#shaped`. */
  #shapedLength = 0

  constructor(fonts: DocumentFonts) {
    this.#fonts = fonts
  }

  /** Returns the width of a text in one line, or of its widest line. */
  width(text: string, weight: FontWeight = 'regular'): number {
    const plain = this.#fonts.plainWidth(text, weight)
    if (plain >= 0) return plain
    const widths = paragraphsOf(text).map((paragraph) => {
      const width = this.#fonts.plainWidth(paragraph, weight)
      return width >= 0 ? width : this.#shapedLine(paragraph, weight).width
    })
    return widths.reduce((widest, width) => Math.max(widest, width), 0)
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
    const one = this.#lineOf(paragraph, weight)
    if (one.width <= widthMax) return [one]
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
    return width >= 0 ? this.#plainLine(text, weight, width) : this.#shapedLine(text, weight)
  }

  #shapedLine(text: string, weight: FontWeight): TextLine {
    const key = `${weight} ${text}`
    const known = this.#shaped.get(key)
    if (known) return known
    const line = shapeLine(this.#fonts, text, weight)
    if (this.#shapedLength + key.length > SHAPED_LENGTH_MAX) {
      this.#shaped.clear()
      this.#shapedLength = 0
    }
    if (key.length <= SHAPED_LENGTH_MAX) {
      this.#shaped.set(ownText(key), line)
      this.#shapedLength += key.length
    }
    return line
  }

  #plainLine(text: string, weight: FontWeight, width: number): TextLine {
    const font = this.#fonts.plain(weight)
    if (text === '') return { spans: [], width, isRightToLeft: false }
    const span = LATIN.test(text)
      ? { font: font.latinName, show: `(${font.latinBytesOf(text)})Tj`, rise: 0 }
      : { font: font.name, show: `(${font.plainBytesOf(text)})Tj`, rise: 0 }
    return { spans: [span], width, isRightToLeft: false }
  }
}

// The plain characters of Latin-1.
const LATIN = /^[ -~\u00a0-\u00ff]*$/

function paragraphsOf(text: string): readonly string[] {
  return text.replaceAll('\t', '    ').split(LINE_END)
}

/** Copies a text. The engine of JavaScript keeps a part of a text as a reference to the whole. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
