import type { Turn } from '@counterfoil/common'
import type { Color } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { FileColumn } from '../../format/format.ts'
import { MARGIN, shapeTableOn } from '../table/shape-table.ts'
import { DIVIDED_MIN, type TablePlace, type TableRow, TableWriter } from '../table/table-writer.ts'
import type { ReportPages } from './report-pages.ts'

const HEADING_SIZE = 12
const TEXT_SIZE = 8.5
const LEADING = 1.45
const HEADING_INK: Color = [0.08, 0.1, 0.16]
const TEXT_INK: Color = [0.1, 0.1, 0.12]
const LABEL_INK: Color = [0.42, 0.44, 0.5]

/** The room above and below a heading, and the room that its section needs at least, in points. */
const HEADING_ABOVE = 22
const HEADING_BELOW = 8
const SECTION_MIN = 140
const HEADING_ROOM = HEADING_ABOVE + HEADING_SIZE + HEADING_BELOW

/** The height of a row, in points. */
export const ROW_ROOM = 16.5

/** Writes headings, paragraphs and tables below each other. Each method returns the place below its text. */
export class Prose {
  readonly #document: PdfDocument
  readonly #pages: ReportPages

  constructor(document: PdfDocument, pages: ReportPages) {
    this.#document = document
    this.#pages = pages
  }

  /**
   * Writes the heading of a section. It begins the next page if the section has too little room.
   *
   * @param room the height of the section; a section of more than half a page may begin with less room
   */
  heading(before: TablePlace, text: string, room = SECTION_MIN): TablePlace {
    const { typesetter } = this.#document
    const needed = room > before.bottom * DIVIDED_MIN ? SECTION_MIN : HEADING_ROOM + room
    const fits = before.y + needed <= before.bottom
    const { page, y: top, bottom } = fits ? before : this.#pages.begin()
    const y = top + (fits ? HEADING_ABOVE : 0)
    this.#document.bookmark(1, text, page, y)
    const width = ((page.size.width - 2 * MARGIN) * 1000) / HEADING_SIZE
    const lines = typesetter.lines(text, width, 'bold')
    this.#document.tag('H2', page, () => {
      for (const [index, line] of lines.entries()) {
        const base = y + HEADING_SIZE + index * HEADING_SIZE * LEADING
        page.text(line, MARGIN, base, HEADING_SIZE, HEADING_INK)
      }
    })
    const height = HEADING_SIZE + (lines.length - 1) * HEADING_SIZE * LEADING
    return { page, y: y + height + HEADING_BELOW, bottom }
  }

  /** Begins a page on which a section goes on. The page names the section. */
  continued(section: string): TablePlace {
    const { page, y, bottom } = this.#pages.begin()
    const line = this.#document.typesetter.line(`${section}, continued`, 'bold')
    page.text(line, MARGIN, y + TEXT_SIZE, TEXT_SIZE, LABEL_INK)
    return { page, y: y + TEXT_SIZE * LEADING * 1.5, bottom }
  }

  /** Writes a table of a section. Further pages name the section. */
  async table(
    before: TablePlace,
    section: string,
    {
      columns,
      rows,
    }: { readonly columns: readonly FileColumn[]; readonly rows: readonly TableRow[] },
    turn: Turn,
  ): Promise<TablePlace> {
    const { typesetter } = this.#document
    const fields = rows.map((row) => row.fields)
    const shape = await shapeTableOn(typesetter, columns, fields, before.page.size, turn)
    const table = new TableWriter(this.#document, shape, before, () => this.continued(section))
    for (const row of rows) await table.addRow(row.fields, turn, row.weight)
    return table.place
  }

  /** Writes a paragraph. */
  text(before: TablePlace, text: string): TablePlace {
    const { typesetter } = this.#document
    const room = ((before.page.size.width - 2 * MARGIN) * 1000) / TEXT_SIZE
    const paragraph = this.#document.open('P')
    let place = before
    for (const line of typesetter.lines(text, room)) {
      if (place.y + TEXT_SIZE * LEADING > place.bottom) place = this.#pages.begin()
      const { page, y, bottom } = place
      page.element = paragraph
      page.text(line, MARGIN, y + TEXT_SIZE * LEADING, TEXT_SIZE, TEXT_INK)
      page.element = undefined
      place = { page, y: y + TEXT_SIZE * LEADING, bottom }
    }
    return place
  }
}
