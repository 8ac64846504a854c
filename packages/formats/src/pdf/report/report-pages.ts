import type { ReportAbout } from '../../format/format.ts'
import type { Color, Page, PageSize } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import { MARGIN } from '../table/shape-table.ts'
import type { TablePlace } from '../table/table-writer.ts'
import type { TextLine } from '../text/shape-line.ts'

const TEXT_SIZE = 7.5
const INK: Color = [0.42, 0.44, 0.5]
const RULE: Color = [0.8, 0.82, 0.85]

/** The room for the last line of a page, in points. */
const FOOTER_HEIGHT = 20

/** Begins and ends the pages of a report. Each has a last line with its number and the name of the report. */
export class ReportPages {
  readonly #document: PdfDocument
  readonly #size: PageSize
  readonly #name: string
  /** The name of the report, set for the last line of each page. */
  #nameLine: TextLine | undefined
  #page: Page | undefined

  constructor(document: PdfDocument, size: PageSize, { title, runId }: ReportAbout) {
    this.#document = document
    this.#size = size
    this.#name = `${title} · ${runId}`
  }

  /** Ends the page, and begins the next one. */
  begin(): TablePlace {
    this.#end()
    this.#page = this.#document.addPage(this.#size)
    const bottom = this.#size.height - MARGIN - FOOTER_HEIGHT + 8
    return { page: this.#page, y: MARGIN, bottom }
  }

  /** Ends the last page and the document with the number of all pages, and returns the last bytes. */
  finish(): Uint8Array {
    this.#end()
    const { typesetter, pageCount } = this.#document
    return this.#document.finish(typesetter.line(String(pageCount)), TEXT_SIZE, INK)
  }

  #end(): void {
    const page = this.#page
    if (!page) return
    const { typesetter, pageCount } = this.#document
    const { width, height } = this.#size
    const y = height - MARGIN + 4
    page.rule([MARGIN, y - 12], [width - MARGIN, y - 12], 0.4, RULE)
    const number = typesetter.line(`Page ${pageCount} of `)
    const room = ((width - 2 * MARGIN) * 1000) / TEXT_SIZE - number.width - 8000
    this.#nameLine ??= typesetter.lines(this.#name, room)[0] ?? typesetter.line('')
    const name = this.#nameLine
    page.text(name, width - MARGIN - (name.width * TEXT_SIZE) / 1000, y, TEXT_SIZE, INK)
    // The number of all pages is the last text of a page, so this one comes just before it.
    page.text(number, MARGIN, y, TEXT_SIZE, INK)
    this.#document.drawLateText(page, MARGIN + (number.width * TEXT_SIZE) / 1000, y)
  }
}
