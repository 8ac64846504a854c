import { pdfHundredths, pdfNumber } from '../objects/pdf-values.ts'
import {
  type Furniture,
  FURNITURE_MARKS,
  markContent,
  type PageTags,
  SHAPES_MARK,
  type StructureElement,
} from './structure-tree.ts'
import type { TextLine } from '../text/text-line.ts'

/** A color: red, green and blue from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number]

/** A place on a page, in points from its top left corner. */
export type Point = readonly [x: number, y: number]

/** The size of a page in points. */
export interface PageSize {
  readonly width: number
  readonly height: number
}

const BLACK: Color = [0, 0, 0]

/**
 * A page while it is drawn. All places are in points from the top left corner. Shapes and rules lie below the texts.
 */
export class Page {
  /** The number of the page's object. */
  readonly object: number
  readonly size: PageSize
  /** The part of the document to which the next texts belong. Other texts of a tagged page are furniture. */
  element: StructureElement | undefined
  /** What the next texts without an element are. */
  furniture: Furniture = 'Header'
  /** The marked content of a tagged page. */
  readonly tags: PageTags | undefined
  #shapes = ''
  #texts = ''
  #forms = ''
  #textFont = ''
  #textSize = 0
  #textColor = BLACK
  #textScale = 100
  #textRise = 0
  // The place of the last text, in hundredths of a point.
  #textX = 0
  #textY = 0
  #fill: Color = BLACK
  #stroke: Color = BLACK
  #strokeWidth = 1

  constructor(object: number, size: PageSize, tags?: PageTags) {
    this.object = object
    this.size = size
    this.tags = tags
  }

  /**
   * Writes a line of text.
   *
   * @param x the left end
   * @param y the base line
   * @param scale how wide glyphs are, in percent of their width
   */
  text(line: TextLine, x: number, y: number, size: number, color = BLACK, scale = 100): void {
    const left = Math.round(x * 100)
    const base = Math.round((this.size.height - y) * 100)
    const right = pdfHundredths(left - this.#textX)
    let before = `${right} ${pdfHundredths(base - this.#textY)} Td`
    if (color !== this.#textColor) before += `\n${colorOf(color)} rg`
    if (scale !== this.#textScale) before += `\n${pdfNumber(scale)} Tz`
    let shown = ''
    for (const { font, show, rise } of line.spans) {
      if (font !== this.#textFont || size !== this.#textSize) {
        shown += `\n/${font} ${pdfNumber(size)} Tf`
      }
      if (rise !== this.#textRise) shown += `\n${pdfNumber((rise * size) / 1000)} Ts`
      shown += show
      this.#textFont = font
      this.#textSize = size
      this.#textRise = rise
    }
    if (shown === '') return
    this.#texts += this.tags
      ? `${this.#mark(this.tags)}${before}${shown}\nEMC\n`
      : `${before}${shown}\n`
    this.#textX = left
    this.#textY = base
    this.#textColor = color
    this.#textScale = scale
  }

  /** Draws a straight line. */
  rule([x1, y1]: Point, [x2, y2]: Point, width: number, color = BLACK): void {
    this.#setStroke(width, color)
    this.#shapes += `${this.#place(x1, y1)} m ${this.#place(x2, y2)} l S\n`
  }

  /** Fills a rectangle. The place is its top left corner. */
  rectangle([x, y]: Point, { width, height }: PageSize, color: Color): void {
    this.#setFill(color)
    const corner = this.#place(x, y + height)
    this.#shapes += `${corner} ${pdfNumber(width)} ${pdfNumber(height)} re f\n`
  }

  /** Draws a form of the document, with its origin at a place. A form belongs to no element. */
  form(name: string, x: number, y: number): void {
    const drawn = `q 1 0 0 1 ${this.#place(x, y)} cm /${name} Do Q\n`
    this.#forms += this.tags ? `${FURNITURE_MARKS[this.furniture]}${drawn}EMC\n` : drawn
  }

  /** Draws an image of the document. The place is its top left corner. An image belongs to no element. */
  image(name: string, [x, y]: Point, { width, height }: PageSize): void {
    const size = `${pdfNumber(width)} 0 0 ${pdfNumber(height)}`
    const drawn = `q ${size} ${this.#place(x, y + height)} cm /${name} Do Q\n`
    this.#forms += this.tags ? `${FURNITURE_MARKS[this.furniture]}${drawn}EMC\n` : drawn
  }

  /** The page's content: operators of PDF, a byte in each character. */
  get content(): string {
    const texts = `BT\n${this.#texts}ET\n`
    if (!this.tags) return `${this.#shapes}${texts}${this.#forms}`
    return `${SHAPES_MARK}${this.#shapes}EMC\n${texts}${this.#forms}`
  }

  #mark(tags: PageTags): string {
    return this.element ? markContent(tags, this.element) : FURNITURE_MARKS[this.furniture]
  }

  #place(x: number, y: number): string {
    return `${pdfNumber(x)} ${pdfNumber(this.size.height - y)}`
  }

  #setFill(color: Color): void {
    if (color !== this.#fill) this.#shapes += `${colorOf(color)} rg\n`
    this.#fill = color
  }

  #setStroke(width: number, color: Color): void {
    if (color !== this.#stroke) this.#shapes += `${colorOf(color)} RG\n`
    if (width !== this.#strokeWidth) this.#shapes += `${pdfNumber(width)} w\n`
    this.#stroke = color
    this.#strokeWidth = width
  }
}

function colorOf(color: Color): string {
  return color.map(pdfNumber).join(' ')
}
