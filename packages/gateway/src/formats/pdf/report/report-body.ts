import type { PageSize, PdfDocument } from '@counterfoil/pdf-writer'
import type { ReportFile } from '../../format.ts'
import type { Turn } from '../../../turn.ts'
import { PAPER_SIZES, shapeTable, shapeTableOn } from '../table/shape-table.ts'
import { TableTags } from '../table/table-tags.ts'
import type { TableShape } from '../table/table-column.ts'
import { type TablePlace, TableWriter } from '../table/table-writer.ts'
import { EndNotes } from './end-notes.ts'
import { drawFirstPage } from './first-page.ts'
import { Prose } from './prose.ts'
import { ReportPages } from './report-pages.ts'
import { ReportTotals, type TotalsTable } from './report-totals.ts'
import { RowBookmarks } from './row-bookmarks.ts'

type Row = readonly string[]

/** The room of a row in a table of totals, in points, and how many rows its titles take. */
const ROW_ROOM = 16.5
const TITLE_LINES = 2

/** The body of a report: its table, its totals, and what the reader must know. */
export class ReportBody {
  readonly #document: PdfDocument
  readonly #file: ReportFile
  readonly #pages: ReportPages
  readonly #table: TableWriter
  readonly #totals: ReportTotals | undefined
  readonly #bookmarks: RowBookmarks
  readonly #turn: Turn
  readonly #prose: Prose
  readonly #notes: EndNotes
  #rows = 0

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
    this.#prose = new Prose(document, this.#pages)
    this.#notes = new EndNotes(document, this.#prose)
    this.#table = new TableWriter(
      document.typesetter,
      shape,
      drawFirstPage(document, this.#pages, file),
      () => this.#pages.begin(),
      new TableTags(document, columns.length),
    )
    this.#totals = sums && new ReportTotals(sums, columns.length)
    this.#bookmarks = new RowBookmarks(columns, first)
  }

  /** Adds a row. The gateway may do other work meanwhile. */
  async add(row: Row): Promise<void> {
    this.#rows += 1
    this.#notes.count(row, this.#file.columns.length)
    this.#totals?.add(row)
    const { page, y } = await this.#table.addLongRow(row, this.#turn)
    for (const { level, title } of this.#bookmarks.of(row)) {
      this.#document.bookmark(level, title, page, y)
    }
  }

  /** Ends the body after the last row. */
  async finish(): Promise<void> {
    let { place } = this.#table
    if (this.#rows === 0) place = this.#prose.text(place, 'The report has no rows.')
    if (this.#totals && this.#rows > 0) {
      place = await this.#drawTotals(this.#totals, place)
    }
    this.#notes.draw(place)
    this.#pages.finish()
  }

  async #drawTotals(totals: ReportTotals, before: TablePlace): Promise<TablePlace> {
    if (totals.isTooMany) {
      const text = 'The report has too many groups for totals. Request totals: only.'
      return this.#prose.text(this.#prose.heading(before, 'Totals'), text)
    }
    let place = before
    for (const table of totals.tables(this.#file.values)) {
      const room = (table.rows.length + TITLE_LINES) * ROW_ROOM
      place = await this.#drawTable(table, this.#prose.heading(place, table.heading, room))
    }
    return place
  }

  async #drawTable(
    { heading, columns, rows }: TotalsTable,
    place: TablePlace,
  ): Promise<TablePlace> {
    const { typesetter } = this.#document
    const shape = await shapeTableOn(typesetter, columns, rows, place.page.size, this.#turn)
    const tags = new TableTags(this.#document, columns.length)
    const table = new TableWriter(
      typesetter,
      shape,
      place,
      () => this.#prose.continued(heading),
      tags,
    )
    for (const row of rows) {
      await table.addLongRow(row, this.#turn)
    }
    return table.place
  }
}
