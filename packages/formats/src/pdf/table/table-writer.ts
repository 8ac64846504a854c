import type { Turn } from '@counterfoil/common'
import type { Element } from 'pdfkit'
import { wholeLength } from '../../documents/amounts.ts'
import type { FileColumn } from '../../format/format.ts'
import type { Color } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { ReportPages } from '../document/report-pages.ts'
import { DIVIDED_MIN, INK } from '../document/style.ts'
import type { FontWeight } from '../text/fonts.ts'
import type { TextLine } from '../text/shape-line.ts'
import { shapeTable, type TableColumn, type TableShape } from './shape-table.ts'

/** The height of a row, in points. */
export const ROW_ROOM = 16.5

// The height of a line, and the room above and below a row, in parts of the font's size.
const LEADING = 1.3
const PADDING = 0.3

/** A number that is wider than its column becomes narrower. Below this percentage, it wraps. */
const SQUEEZE_MIN = 60

/** A hundredth of a point is as small as the places on a page. */
const ROUNDING = 0.01

export interface TableRow {
  readonly fields: readonly string[]
  readonly weight?: FontWeight | undefined
}

/** A line of a value, with its left end and how wide its glyphs are in percent. */
interface CellLine {
  readonly line: TextLine
  readonly x: number
  readonly scale?: number
}

/** A value in its column. A line without a text is undefined. */
interface Cell {
  readonly field: number
  readonly lines: readonly (CellLine | undefined)[]
}

interface RowTags {
  readonly row: Element | undefined
  readonly cells: readonly (Element | undefined)[]
}

const NO_TAGS: RowTags = { row: undefined, cells: [] }

/** Draws the rows of a table on pages, each below a header with the titles. */
export class TableWriter {
  readonly #pages: ReportPages
  readonly #document: PdfDocument
  readonly #shape: TableShape
  readonly #section: string | undefined
  readonly #header: readonly (readonly Cell[])[]
  readonly #lineHeight: number
  readonly #padding: number
  /** The rows of each page are a table of their own, below titles: some readers build the complete table for each page. */
  #table: Element | undefined
  #rowsOnPage = 0
  #rows = 0

  /** Further pages show the name of the section. */
  constructor(pages: ReportPages, shape: TableShape, section?: string) {
    this.#pages = pages
    this.#document = pages.document
    this.#shape = shape
    this.#section = section
    this.#lineHeight = shape.fontSize * LEADING
    this.#padding = shape.fontSize * PADDING
    this.#header = shape.bands.map((band) => {
      return endingTogether(band.map((column) => this.#wrapped(column, column.title, 'bold')))
    })
    if (pages.y + this.#heightOf(this.#header) * 2 > pages.bottom) this.#beginPage(false)
    else this.#drawHeader(false)
  }

  /** Draws a row. If a row does not fit below the others, it begins the next page. */
  addRow(fields: readonly string[], weight: FontWeight = 'regular'): void {
    const bands = this.#shape.bands.map((columns) => {
      return columns.map((column) => this.#cellOf(column, fields[column.field] ?? '', weight))
    })
    this.#beginRow(this.#heightOf(bands))
    const tags = this.#openRow('TD')
    for (const band of bands) {
      const lines = linesOf(band)
      for (let first = 0; first < lines; ) {
        if (this.#linesLeft < 1) this.#beginPage(true)
        const end = Math.min(lines, first + Math.max(1, this.#linesLeft))
        this.#drawLines(band, first, end, tags, INK.text)
        first = end
      }
    }
    tags.row?.end()
    this.#pages.y += this.#padding
    this.#rule(INK.rowRule, 0.4)
  }

  get #linesLeft(): number {
    return Math.floor((this.#pages.bottom - this.#pages.y + ROUNDING) / this.#lineHeight)
  }

  #beginRow(height: number): void {
    const { bottom } = this.#pages
    const isDivided = height > bottom * DIVIDED_MIN
    const isBelow = this.#pages.y + height > bottom
    if (!isDivided && this.#rowsOnPage > 0 && isBelow) this.#beginPage(false)
    this.#rows += 1
    this.#rowsOnPage += 1
    if (this.#shape.bands.length > 1 && this.#rows % 2 === 1) {
      const { left, right } = this.#shape
      const { page, y } = this.#pages
      const shaded = { width: right - left, height: Math.min(height, bottom - y) }
      page.rectangle([left, y], shaded, INK.shade)
    }
    this.#pages.y += this.#padding
  }

  #beginPage(isInRow: boolean): void {
    this.#pages.begin(this.#section)
    this.#rowsOnPage = 0
    this.#drawHeader(isInRow)
  }

  /** A row that goes on below this header belongs to the table above it. The header is then an artifact. */
  #drawHeader(isInRow: boolean): void {
    if (!isInRow) this.#table?.end()
    if (!isInRow) this.#table = this.#document.open('Table')
    const tags = isInRow ? NO_TAGS : this.#openRow('TH')
    this.#pages.y += this.#padding
    for (const band of this.#header) this.#drawLines(band, 0, linesOf(band), tags, INK.columnTitle)
    tags.row?.end()
    this.#pages.y += this.#padding
    this.#rule(INK.headerRule, 0.8)
  }

  /** Draws some lines of a band cell after cell, so that readers find the text of a cell in one place. */
  #drawLines(band: readonly Cell[], first: number, end: number, tags: RowTags, color: Color): void {
    const { page, y } = this.#pages
    const { fontSize } = this.#shape
    for (const { field, lines } of band) {
      page.element = tags.cells[field]
      for (const [index, cell] of lines.slice(first, end).entries()) {
        const base = y + index * this.#lineHeight + fontSize
        if (cell) page.text(cell.line, cell.x, base, fontSize, color, cell.scale)
      }
    }
    page.element = undefined
    this.#pages.y += (end - first) * this.#lineHeight
  }

  #openRow(type: 'TH' | 'TD'): RowTags {
    const row = this.#table && this.#document.open('TR', this.#table)
    if (!row) return NO_TAGS
    return { row, cells: this.#shape.bands.flat().map(() => this.#document.open(type, row)) }
  }

  #cellOf(column: TableColumn, text: string, weight: FontWeight): Cell {
    if (column.alignment === 'left') return this.#wrapped(column, text, weight)
    const { typesetter } = this.#document
    const { field, left, width, fraction } = column
    const line = typesetter.line(text, weight)
    const own = this.#points(line.width)
    if (own * SQUEEZE_MIN > width * 100) return this.#wrapped(column, text, weight)
    if (own > width + ROUNDING) {
      return { field, lines: [{ line, x: left, scale: (width / own) * 100 }] }
    }
    const whole = this.#points(typesetter.width(text.slice(0, wholeLength(text)), weight))
    const x = left + Math.max(0, Math.min(width - fraction - whole, width - own))
    return { field, lines: [{ line, x }] }
  }

  #wrapped(column: TableColumn, text: string, weight: FontWeight): Cell {
    const widthMax = ((column.width + ROUNDING) * 1000) / this.#shape.fontSize
    const lines = this.#document.typesetter.lines(text, widthMax, weight).map((line) => {
      const isRight = column.alignment === 'point' || line.isRightToLeft
      return { line, x: column.left + (isRight ? column.width - this.#points(line.width) : 0) }
    })
    return { field: column.field, lines }
  }

  #points(width: number): number {
    return (width * this.#shape.fontSize) / 1000
  }

  #heightOf(bands: readonly (readonly Cell[])[]): number {
    const lines = bands.reduce((sum, band) => sum + linesOf(band), 0)
    return lines * this.#lineHeight + 2 * this.#padding
  }

  #rule(color: Color, width: number): void {
    const { left, right } = this.#shape
    const { page, y } = this.#pages
    page.rule([left, y], [right, y], width, color)
  }
}

function linesOf(band: readonly Cell[]): number {
  return band.reduce((most, { lines }) => Math.max(most, lines.length), 1)
}

/** Moves the lines of cells down, so that all end on the last line of their band. */
function endingTogether(band: readonly Cell[]): readonly Cell[] {
  return band.map(({ field, lines }) => ({
    field,
    lines: [...Array.from({ length: linesOf(band) - lines.length }, () => undefined), ...lines],
  }))
}

export async function writeTable(
  pages: ReportPages,
  section: string,
  table: { readonly columns: readonly FileColumn[]; readonly rows: readonly TableRow[] },
  turn: Turn,
): Promise<void> {
  const fields = table.rows.map((row) => row.fields)
  const { typesetter } = pages.document
  const { shape } = await shapeTable(typesetter, table.columns, fields, [pages.size], turn)
  const writer = new TableWriter(pages, shape, section)
  for (const row of table.rows) {
    if (turn.isOver) await turn.next()
    writer.addRow(row.fields, row.weight)
  }
}
