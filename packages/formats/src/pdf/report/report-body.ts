import type { PageSize } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { FileColumn, ReportFile } from '../../format/format.ts'
import { type TotalGroup, Totals } from '../../documents/totals.ts'
import type { Turn } from '@counterfoil/common'
import { groupDigits, showAmount } from '../group-digits.ts'
import { PAPER_SIZES, shapeTable } from '../table/shape-table.ts'
import type { TableShape } from '../table/table-column.ts'
import { type TablePlace, type TableRow, TableWriter } from '../table/table-writer.ts'
import { EndNotes } from './end-notes.ts'
import { drawFirstPage } from './first-page.ts'
import { Prose, ROW_ROOM } from './prose.ts'
import { ReportPages } from './report-pages.ts'
import { RowBookmarks } from './row-bookmarks.ts'

type Row = readonly string[]

/** How many rows the titles of a table of totals take. */
const TITLE_LINES = 2

/** The body of a report: its table, its totals, and what the reader must know. */
export class ReportBody {
  readonly #document: PdfDocument
  readonly #file: ReportFile
  readonly #pages: ReportPages
  readonly #table: TableWriter
  readonly #totals: Totals | undefined
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
    const place = drawFirstPage(document, this.#pages, file)
    this.#table = new TableWriter(document, shape, place, () => this.#pages.begin())
    this.#totals = sums && new Totals(sums)
    this.#bookmarks = new RowBookmarks(columns, first)
  }

  /** Adds a row. The gateway may do other work meanwhile. */
  async add(row: Row): Promise<void> {
    this.#rows += 1
    this.#notes.count(row, this.#file.columns.length)
    this.#totals?.add(row.slice(this.#file.columns.length))
    const { page, y } = await this.#table.addRow(row, this.#turn)
    for (const { level, title } of this.#bookmarks.of(row)) {
      this.#document.bookmark(level, title, page, y)
    }
  }

  /** Ends the body after the last row. */
  async finish(): Promise<Uint8Array> {
    let { place } = this.#table
    if (this.#rows === 0) place = this.#prose.text(place, 'The report has no rows.')
    if (this.#totals && this.#rows > 0) {
      place = await this.#drawTotals(this.#totals, place)
    }
    this.#notes.draw(place)
    return this.#pages.finish()
  }

  #totalRow({ keys, rows, sums, digits }: TotalGroup, summed: readonly FileColumn[]): TableRow {
    const texts = summed.map(({ kind }, index) => {
      const sum = sums[index]
      if (sum === undefined) return ''
      if (kind !== 'money') return groupDigits(String(sum))
      return showAmount(sum, digits[index] ?? 0, this.#file.values.decimalSeparator)
    })
    return { fields: [...keys, groupDigits(String(rows)), ...texts] }
  }

  async #drawTotals(totals: Totals, before: TablePlace): Promise<TablePlace> {
    if (totals.areTooMany) {
      const text = 'The report has too many groups for totals. Request totals: only.'
      return this.#prose.text(this.#prose.heading(before, 'Totals'), text)
    }
    let place = before
    for (const { heading, by, summed, groups } of totals.tables()) {
      const room = (groups.length + TITLE_LINES) * ROW_ROOM
      const columns = [...by, { title: 'Rows', kind: 'integer' } as const, ...summed]
      const table = { columns, rows: groups.map((group) => this.#totalRow(group, summed)) }
      place = this.#prose.heading(place, heading, room)
      place = await this.#prose.table(place, heading, table, this.#turn)
    }
    return place
  }
}
