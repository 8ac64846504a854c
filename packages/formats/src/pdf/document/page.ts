import type Kit from 'pdfkit'
import type { Element } from 'pdfkit'
import type { TextLine } from '../text/shape-line.ts'

/** A color: red, green and blue from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number]

/** A place on a page, in points from its top left corner. */
export type Point = readonly [x: number, y: number]

export interface PageSize {
  readonly width: number
  readonly height: number
}

/** The page that is drawn. All places are in points from the top left corner. */
export class Page {
  readonly size: PageSize
  readonly index: number
  /** The part of the document to which the next texts belong. Other texts of a tagged page are artifacts. */
  element: Element | undefined
  readonly #kit: Kit
  readonly #isTagged: boolean
  /** What is not in the page of pdfkit yet, which takes few large parts faster than many small ones. */
  #content = ''
  #font = ''
  #ink = ''

  constructor(kit: Kit, index: number, size: PageSize, isTagged: boolean) {
    this.#kit = kit
    this.index = index
    this.size = size
    this.#isTagged = isTagged
  }

  /** Writes a line of text with its left end at `x` and its base line at `y`. Glyphs are `scale` percent wide. */
  text(line: TextLine, x: number, y: number, size: number, color: Color, scale = 100): void {
    // The page has its origin at the top, so the text is turned over.
    let content = `BT ${number(scale / 100)} 0 0 -1 ${number(x)} ${number(y)} Tm`
    for (const { font, show, rise } of line.spans) {
      this.#kit.page.fonts[font.id] ??= font.reference
      const chosen = `/${font.id} ${number(size)} Tf`
      if (chosen !== this.#font) content += ` ${chosen}`
      this.#font = chosen
      content += rise === 0 ? show : ` ${number((rise * size) / 1000)} Ts${show} 0 Ts`
    }
    if (line.spans.length > 0) this.#add(`${this.#setInk(color)}${content} ET`, this.element)
  }

  rule([x1, y1]: Point, [x2, y2]: Point, width: number, color: Color): void {
    const place = `${number(x1)} ${number(y1)} m ${number(x2)} ${number(y2)} l`
    this.#add(`${color.map(number).join(' ')} RG ${number(width)} w ${place} S`)
  }

  /** Fills a rectangle. The place is its top left corner. */
  rectangle([x, y]: Point, { width, height }: PageSize, color: Color): void {
    this.#add(`${this.#setInk(color)}${[x, y, width, height].map(number).join(' ')} re f`)
  }

  /** Draws an image, which belongs to no element. The place is its top left corner. */
  image(file: Uint8Array, [x, y]: Point, size: PageSize): void {
    this.flush()
    if (this.#isTagged) this.#kit.markContent('Artifact', { type: 'Pagination' })
    this.#kit.image(file, x, y, size)
    if (this.#isTagged) this.#kit.endMarkedContent()
  }

  /** Draws a form of the page's resources, with its origin at a place. */
  form(name: string, x: number, y: number): void {
    this.#add(`q 1 0 0 1 ${number(x)} ${number(y)} cm /${name} Do Q`)
  }

  /** Moves the content to the page of pdfkit. */
  flush(): void {
    this.#kit.addContent(Buffer.from(this.#content, 'latin1'))
    this.#content = ''
  }

  #add(content: string, element?: Element): void {
    if (!this.#isTagged) {
      this.#content += `${content}\n`
      return
    }
    const marked = element && this.#kit.markStructureContent(String(element.dictionary.data['S']))
    if (!marked) this.#kit.markContent('Artifact', { type: 'Pagination' })
    this.#kit.addContent(Buffer.from(`${content}\n`, 'latin1'))
    this.#kit.endMarkedContent()
    if (marked) element.add(marked)
  }

  #setInk(color: Color): string {
    const ink = `${color.map(number).join(' ')} rg\n`
    if (ink === this.#ink) return ''
    this.#ink = ink
    return ink
  }
}

/** Writes a number with at most two fraction digits. */
function number(value: number): string {
  return String(Math.round(value * 100) / 100)
}
