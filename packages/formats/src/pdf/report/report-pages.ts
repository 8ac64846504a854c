import type { Turn } from '@counterfoil/common'
import type { FileColumn, ReportAbout } from '../../format/format.ts'
import type { Page, PageSize } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import { shapeTable } from '../table/shape-table.ts'
import { DIVIDED_MIN, type TablePlace, type TableRow, TableWriter } from '../table/table-writer.ts'
import { INK, LEADING, MARGIN, TEXT_SIZE } from './style.ts'

const FOOTER_SIZE = 7.5
/** The room for the last line of a page, in points. */
const FOOTER_HEIGHT = 12

const HEADING_SIZE = 12
/** The room above and below a heading, and the room that its section needs at least, in points. */
const HEADING_ABOVE = 22
const HEADING_BELOW = 8
const SECTION_MIN = 140
const HEADING_ROOM = HEADING_ABOVE + HEADING_SIZE + HEADING_BELOW

/** The height of a row, in points. */
export const ROW_ROOM = 16.5

/**
 * The pages of a report, with headings, paragraphs and tables below each other. Most methods return the place below what
 * they draw. Each page has a last line with its number and the name of the report.
 */
export class ReportPages {
  readonly document: PdfDocument
  readonly #size: PageSize
  readonly #name: string
  #page: Page | undefined

  constructor(document: PdfDocument, size: PageSize, { title, runId }: ReportAbout) {
    this.document = document
    this.#size = size
    this.#name = `${title} · ${runId}`
  }

  /** Ends the page, and begins the next one. */
  begin(): TablePlace {
    this.#drawFooter()
    this.#page = this.document.addPage(this.#size)
    return { page: this.#page, y: MARGIN, bottom: this.#size.height - MARGIN - FOOTER_HEIGHT }
  }

  /**
   * Writes the heading of a section. It begins the next page if the section has too little room.
   *
   * @param room the height of the section; a section of more than half a page may begin with less room
   */
  heading(before: TablePlace, text: string, room = SECTION_MIN): TablePlace {
    const needed = room > before.bottom * DIVIDED_MIN ? SECTION_MIN : HEADING_ROOM + room
    const fits = before.y + needed <= before.bottom
    const { page, y: top, bottom } = fits ? before : this.begin()
    let y = top + (fits ? HEADING_ABOVE : 0)
    this.document.bookmark(text, page, y)
    const width = ((page.size.width - 2 * MARGIN) * 1000) / HEADING_SIZE
    const lines = this.document.typesetter.lines(text, width, 'bold')
    this.document.tag('H2', page, () => {
      for (const line of lines) {
        page.text(line, MARGIN, y + HEADING_SIZE, HEADING_SIZE, INK.title)
        y += HEADING_SIZE * LEADING
      }
    })
    return { page, y: y - HEADING_SIZE * (LEADING - 1) + HEADING_BELOW, bottom }
  }

  /** Writes a table of a section. Further pages name the section. */
  async table(
    before: TablePlace,
    section: string,
    table: { readonly columns: readonly FileColumn[]; readonly rows: readonly TableRow[] },
    turn: Turn,
  ): Promise<TablePlace> {
    const { typesetter } = this.document
    const fields = table.rows.map((row) => row.fields)
    const sizes = [before.page.size] as const
    const { shape } = await shapeTable(typesetter, table.columns, fields, sizes, turn)
    const writer = new TableWriter(this.document, shape, before, () => {
      const { page, y, bottom } = this.begin()
      const line = typesetter.line(`${section}, continued`, 'bold')
      page.text(line, MARGIN, y + TEXT_SIZE, TEXT_SIZE, INK.label)
      return { page, y: y + TEXT_SIZE * LEADING * 1.5, bottom }
    })
    for (const row of table.rows) await writer.addRow(row.fields, turn, row.weight)
    return writer.place
  }

  /** Writes a paragraph. */
  text(before: TablePlace, text: string): TablePlace {
    const room = ((before.page.size.width - 2 * MARGIN) * 1000) / TEXT_SIZE
    const paragraph = this.document.open('P')
    let place = before
    for (const line of this.document.typesetter.lines(text, room)) {
      if (place.y + TEXT_SIZE * LEADING > place.bottom) place = this.begin()
      const y = place.y + TEXT_SIZE * LEADING
      place.page.element = paragraph
      place.page.text(line, MARGIN, y, TEXT_SIZE, INK.text)
      place.page.element = undefined
      place = { ...place, y }
    }
    return place
  }

  /** Ends the last page and the document with the number of all pages, and returns the last bytes. */
  finish(): Uint8Array {
    this.#drawFooter()
    const { typesetter, pageCount } = this.document
    return this.document.finish(typesetter.line(String(pageCount)), FOOTER_SIZE, INK.label)
  }

  #drawFooter(): void {
    const page = this.#page
    if (!page) return
    const { typesetter, pageCount } = this.document
    const { width, height } = this.#size
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
