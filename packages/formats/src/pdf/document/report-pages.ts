import type { Element } from 'pdfkit'
import type { ReportAbout } from '../../format/format.ts'
import type { FontWeight } from '../text/fonts.ts'
import type { Color, Page, PageSize } from './page.ts'
import type { PdfDocument, StructureType } from './pdf-document.ts'
import { DIVIDED_MIN, INK, LEADING, MARGIN, TEXT_SIZE } from './style.ts'

const FOOTER_SIZE = 7.5
/** The room for the last line of a page, in points. */
const FOOTER_HEIGHT = 12

const HEADING_SIZE = 12
/** The room above and below a heading, and the room that its section needs at least, in points. */
const HEADING_ABOVE = 22
const HEADING_BELOW = 3
const SECTION_MIN = 140
const HEADING_ROOM = HEADING_ABOVE + HEADING_SIZE * LEADING + HEADING_BELOW

const NOTE_ABOVE = 8

// A list of the characters would help no reader.
const FONT_NOTE =
  'No font of the gateway has the characters that appear as \ufffd. CSV has them. The gateway’s operator can install fonts for Chinese, Japanese and Korean.'

/** How a text looks, and its ends on the page, in points. */
interface TextLook {
  readonly size?: number
  readonly weight?: FontWeight
  readonly ink?: Color
  readonly left?: number
  readonly right?: number
}

/** The pages of a report, from top to bottom. The last line of each has its number and the name of the report. */
export class ReportPages {
  readonly document: PdfDocument
  readonly size: PageSize
  /** Where the room of a page ends, in points from its top. */
  readonly bottom: number
  page: Page
  /** Where the room for what comes next begins, in points from the top of the page. */
  y = MARGIN
  readonly #name: string

  constructor(document: PdfDocument, size: PageSize, { title, runId }: ReportAbout) {
    this.document = document
    this.size = size
    this.bottom = size.height - MARGIN - FOOTER_HEIGHT
    this.page = document.addPage(size)
    this.#name = `${title} · ${runId}`
  }

  /** Ends the page, and begins the next one. A section goes on below its name. */
  begin(section?: string): void {
    this.#drawFooter()
    this.page = this.document.addPage(this.size)
    this.y = MARGIN
    if (section === undefined) return
    this.writeLines(`${section}, continued`, { weight: 'bold', ink: INK.label })
    this.y += TEXT_SIZE * LEADING * 0.5
  }

  /** Begins a section of a height. It begins the next page if the section has too little room there. */
  heading(text: string, room = SECTION_MIN): void {
    const needed = room > this.bottom * DIVIDED_MIN ? SECTION_MIN : HEADING_ROOM + room
    if (this.y + needed > this.bottom) this.begin()
    else this.y += HEADING_ABOVE
    this.document.bookmark(text, this.page, this.y)
    this.write('H2', text, { size: HEADING_SIZE, weight: 'bold', ink: INK.title })
    this.y += HEADING_BELOW
  }

  write(type: StructureType, text: string, look?: TextLook): void {
    const element = this.document.open(type)
    this.writeLines(text, look, element)
    element?.end()
  }

  /** Writes a text in lines as a part of an element, or of none. Lines that do not fit go on the next page. */
  writeLines(text: string, look: TextLook = {}, element?: Element): void {
    const { size = TEXT_SIZE, weight = 'regular', ink = INK.text, left = MARGIN } = look
    const { right = this.size.width - MARGIN } = look
    const widthMax = ((right - left) * 1000) / size
    for (const line of this.document.typesetter.lines(text, widthMax, weight)) {
      if (this.y + size * LEADING > this.bottom) this.begin()
      const x = line.isRightToLeft ? right - (line.width * size) / 1000 : left
      this.page.element = element
      this.page.text(line, x, this.y + size, size, ink)
      this.page.element = undefined
      this.y += size * LEADING
    }
  }

  /** Ends the last page and the document with the number of all pages, and returns the last bytes. */
  finish(): Uint8Array {
    if (this.document.fonts.isMissing) {
      this.y += NOTE_ABOVE
      this.write('P', FONT_NOTE)
    }
    this.#drawFooter()
    const { typesetter, pageCount } = this.document
    return this.document.finish(typesetter.line(String(pageCount)), FOOTER_SIZE, INK.label)
  }

  #drawFooter(): void {
    const { page } = this
    const { typesetter, pageCount } = this.document
    const { width, height } = this.size
    const y = height - MARGIN + 4
    page.rule([MARGIN, y - 12], [width - MARGIN, y - 12], 0.4, INK.rule)
    const number = typesetter.line(`Page ${pageCount} of `)
    const room = ((width - 2 * MARGIN) * 1000) / FOOTER_SIZE - number.width - 8000
    const name = typesetter.lines(this.#name, room)[0] ?? number
    page.text(name, width - MARGIN - (name.width * FOOTER_SIZE) / 1000, y, FOOTER_SIZE, INK.label)
    // The number of all pages is the last text of a page, so this one comes just before it.
    page.text(number, MARGIN, y, FOOTER_SIZE, INK.label)
    this.document.drawLateText(page, MARGIN + (number.width * FOOTER_SIZE) / 1000, y)
  }
}
