import { ownText } from '../../documents/records.ts'
import type { DocumentFonts } from './document-fonts.ts'
import type { FontWeight } from './fonts.ts'
import { advancesOf, lineOf, shapeText, type TextLine } from './shape-line.ts'

// Line feeds, and the separators of lines and paragraphs.
const LINE_END = /\r\n?|[\n\u2028\u2029]/
const HAS_LINES = /[\t\r\n\u2028\u2029]/

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
    return Math.max(...paragraphsOf(text).map((paragraph) => this.#set(paragraph, weight).width))
  }

  /** Sets a text in one line, however wide it is. Line ends become spaces. */
  line(text: string, weight: FontWeight = 'regular'): TextLine {
    return this.#set(paragraphsOf(text).join(' '), weight)
  }

  /** Sets a text in lines of at most a width. A word that is wider is broken. */
  lines(text: string, widthMax: number, weight: FontWeight = 'regular'): readonly TextLine[] {
    return paragraphsOf(text).flatMap((paragraph) => {
      const line = this.#set(paragraph, weight)
      if (line.width <= widthMax) return [line]
      const lines = breakLines(paragraph, this.#advances(paragraph, weight), widthMax)
      return lines.map((part) => this.#set(part, weight))
    })
  }

  #advances(text: string, weight: FontWeight): readonly number[] {
    const font = this.#fonts.plain[weight]
    return font.plainWidth(text) >= 0
      ? Array.from(text, (character) => font.plainWidth(character))
      : advancesOf(shapeText(this.#fonts, text, weight), text.length)
  }

  #set(text: string, weight: FontWeight): TextLine {
    const font = this.#fonts.plain[weight]
    const width = font.plainWidth(text)
    if (width < 0) return this.#setShaped(text, weight)
    const span = { font, show: `(${font.plainCodes(text)})Tj`, rise: 0 }
    return { spans: text === '' ? [] : [span], width, isRightToLeft: false }
  }

  #setShaped(text: string, weight: FontWeight): TextLine {
    const key = `${weight} ${text}`
    const known = this.#shaped.get(key)
    if (known) return known
    const line = lineOf(shapeText(this.#fonts, text, weight))
    this.#shapedLength += key.length
    if (this.#shapedLength > SHAPED_LENGTH_MAX) {
      this.#shaped.clear()
      this.#shapedLength = key.length
    }
    this.#shaped.set(ownText(key), line)
    return line
  }
}

function paragraphsOf(text: string): readonly string[] {
  return HAS_LINES.test(text) ? text.replaceAll('\t', '    ').split(LINE_END) : [text]
}

/** Texts of these scripts have no spaces between words. */
const UNSPACED =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** A line may end after these characters. */
const BREAK_AFTER = /[\s\-/_,;:|.@?&=\u2010\u2013\u2014]/

const words = new Intl.Segmenter('und', { granularity: 'word' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Breaks a text after spaces and some punctuation, between words of unspaced scripts, or between characters. */
function breakLines(
  text: string,
  advances: readonly number[],
  widthMax: number,
): readonly string[] {
  const unspaced = new Set<number>()
  for (const { index, segment } of UNSPACED.test(text) ? words.segment(text) : []) {
    if (UNSPACED.test(segment)) unspaced.add(index)
  }
  const lines: string[] = []
  let [start, width, opportunity] = [0, 0, 0]
  for (const { index, segment } of graphemes.segment(text)) {
    const isAfterBreak = BREAK_AFTER.test(text[index - 1] ?? '') && segment !== ' '
    if (isAfterBreak || unspaced.has(index)) opportunity = index
    const end = index + segment.length
    width += widthOf(advances, index, end)
    if (width <= widthMax || segment === ' ' || index === start) continue
    const next = opportunity > start ? opportunity : index
    lines.push(text.slice(start, next).trimEnd())
    start = next
    while (text[start] === ' ' && start < index) start += 1
    width = widthOf(advances, start, end)
  }
  lines.push(text.slice(start).trimEnd())
  return lines
}

function widthOf(advances: readonly number[], start: number, end: number): number {
  let width = 0
  for (let index = start; index < end; index += 1) width += advances[index] ?? 0
  return width
}
