import type { FileColumn } from '../../columns.ts'
import type { ReportFile } from '../../format.ts'
import type { Color, PageSize } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { Turn } from '../document/turn.ts'
import { MARGIN, PAPER_SIZES, shapeTable, shapeTableOn } from '../table/shape-table.ts'
import { TableTags } from '../table/table-tags.ts'
import type { TableShape } from '../table/table-column.ts'
import { type TablePlace, TableWriter } from '../table/table-writer.ts'
import { CUT_MARK, isCut } from '../text/limit-text.ts'
import { LIMITS } from '../../../limits.ts'
import { ChartPages } from '../charts/chart-pages.ts'
import { drawFirstPage } from './first-page.ts'
import { ReportPages } from './report-pages.ts'
import { ReportTotals } from './report-totals.ts'
import { RowBookmarks } from './row-bookmarks.ts'

type Row = readonly string[]

const HEADING_SIZE = 12
const TEXT_SIZE = 8.5
const LEADING = 1.45
const HEADING_INK: Color = [0.08, 0.1, 0.16]
const TEXT_INK: Color = [0.1, 0.1, 0.12]

/** The room above and below a heading, and the room that its section needs at least, in points. */
const HEADING_ABOVE = 22
const HEADING_BELOW = 8
const SECTION_MIN = 140

/** The characters without a font that the file lists. */
const MISSING_SHOWN_MAX = 200

/** The body of a report: its table, its totals, and what the reader must know. */
export class ReportBody {
  readonly #document: PdfDocument
  readonly #file: ReportFile
  readonly #pages: ReportPages
  readonly #table: TableWriter
  readonly #totals: ReportTotals | undefined
  readonly #bookmarks: RowBookmarks
  readonly #charts: ChartPages
  readonly #turn: Turn
  #rows = 0
  #cuts = 0

  /**
   * Begins a body. The caller adds the first rows too.
   *
   * @param first the first rows of the report, which decide the widths of columns
   */
  static async begin(
    document: PdfDocument,
    file: ReportFile,
    first: readonly Row[],
    turn: Turn,
  ): Promise<ReportBody> {
    const paper = PAPER_SIZES[file.style.paper]
    const table = await shapeTable(document.typesetter, file.columns, first, paper, turn)
    return new ReportBody(document, file, first, turn, table)
  }

  private constructor(
    document: PdfDocument,
    file: ReportFile,
    first: readonly Row[],
    turn: Turn,
    { page, shape }: { readonly page: PageSize; readonly shape: TableShape },
  ) {
    const { columns, sums, about } = file
    this.#document = document
    this.#file = file
    this.#turn = turn
    this.#pages = new ReportPages(document, page, about)
    this.#table = new TableWriter(
      document.typesetter,
      shape,
      drawFirstPage(document, this.#pages, about),
      () => this.#pages.begin(),
      new TableTags(document, columns.length),
    )
    this.#totals = sums && new ReportTotals(sums, columns.length)
    this.#bookmarks = new RowBookmarks(columns, first)
    // The fields of charts follow those of the columns and of the totals.
    const fields = columns.length + (sums ? sums.by.length + sums.columns.length : 0)
    this.#charts = new ChartPages(document, this.#pages, file, fields)
  }

  /** Adds a row. The gateway may do other work meanwhile. */
  async add(row: Row): Promise<void> {
    this.#rows += 1
    for (let field = 0; field < this.#file.columns.length; field += 1) {
      if (isCut(row[field] ?? '')) this.#cuts += 1
    }
    this.#totals?.add(row)
    this.#charts.add(row)
    const cells = await this.#table.setRow(row, this.#turn)
    const { page, y } = this.#table.addSetRow(cells)
    for (const { level, title } of this.#bookmarks.of(row)) {
      this.#document.bookmark(level, title, page, y)
    }
  }

  /** Ends the body after the last row. */
  async finish(): Promise<void> {
    let { place } = this.#table
    if (this.#rows === 0) place = this.#text(place, 'The report has no rows.')
    if (this.#totals && this.#rows > 0) {
      place = await this.#drawTotals(this.#totals, place)
    }
    this.#drawMissing(this.#drawCuts(place))
    this.#charts.draw()
    this.#pages.finish()
  }

  async #drawTotals(totals: ReportTotals, before: TablePlace): Promise<TablePlace> {
    const place = this.#heading(before, 'Totals')
    if (totals.isTooMany) {
      return this.#text(place, 'The report has too many groups for totals. Request totals: only.')
    }
    const rows = totals.rows(this.#file.values)
    return this.#drawTable(totals.columns, rows, place)
  }

  async #drawTable(
    columns: readonly FileColumn[],
    rows: readonly Row[],
    place: TablePlace,
  ): Promise<TablePlace> {
    const { typesetter } = this.#document
    const shape = await shapeTableOn(typesetter, columns, rows, place.page.size, this.#turn)
    const tags = new TableTags(this.#document, columns.length)
    const table = new TableWriter(typesetter, shape, place, () => this.#pages.begin(), tags)
    for (const row of rows) {
      table.addSetRow(await table.setRow(row, this.#turn))
    }
    return table.place
  }

  /** Says how many texts the pages cut. */
  #drawCuts(before: TablePlace): TablePlace {
    if (this.#cuts === 0) return before
    const place = this.#heading(before, 'Cut texts')
    const count = this.#cuts === 1 ? '1 text is' : `${this.#cuts} texts are`
    const text = `${count} longer than ${LIMITS.pdfTextLengthMax} characters. Each ends in “${CUT_MARK}”. CSV has the complete texts.`
    return this.#text(place, text)
  }

  /** Says which characters the file does not show. */
  #drawMissing(before: TablePlace): void {
    const missing = [...this.#document.fonts.missing]
    if (missing.length === 0) return
    const shown = missing.slice(0, MISSING_SHOWN_MAX).map((character) => {
      return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    })
    const hidden = missing.length - shown.length
    const rest = hidden > 0 ? ` and ${hidden} more` : ''
    let place = this.#heading(before, 'Characters without a font')
    for (const text of [
      'No font of the gateway has these characters. The pages show \ufffd in their place, and a copy of the text has them:',
      `${shown.join(', ')}${rest}.`,
      'For Chinese, Japanese and Korean, the gateway’s operator installs a font: see the gateway’s page on formats.',
    ]) {
      place = this.#text(place, text)
    }
  }

  #heading(before: TablePlace, text: string): TablePlace {
    const { typesetter } = this.#document
    const fits = before.y + SECTION_MIN <= before.bottom
    const { page, y: top, bottom } = fits ? before : this.#pages.begin()
    const y = top + (fits ? HEADING_ABOVE : 0)
    this.#document.bookmark(1, text, page, y)
    const line = typesetter.line(text, 'bold')
    this.#document.tag('H2', page, () => {
      page.text(line, MARGIN, y + HEADING_SIZE, HEADING_SIZE, HEADING_INK)
    })
    return { page, y: y + HEADING_SIZE + HEADING_BELOW, bottom }
  }

  #text(before: TablePlace, text: string): TablePlace {
    const { typesetter } = this.#document
    const room = ((before.page.size.width - 2 * MARGIN) * 1000) / TEXT_SIZE
    const paragraph = this.#document.structure?.open('P')
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
