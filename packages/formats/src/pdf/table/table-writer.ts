import type { Turn } from '@counterfoil/common'
import type { Element } from 'pdfkit'
import type { Color, Page } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { FontWeight } from '../text/font-families.ts'
import type { TextLine } from '../text/shape-line.ts'
import { type TableColumn, type TableShape, wholeLength } from './shape-table.ts'

const INK: Color = [0.1, 0.1, 0.12]
const TITLE_INK: Color = [0.25, 0.27, 0.32]
const HEADER_RULE: Color = [0.45, 0.48, 0.55]
const ROW_RULE: Color = [0.87, 0.88, 0.9]
const SHADE: Color = [0.955, 0.962, 0.975]

// The height of a line, the place of its base line, and the room above and below a row, in parts of the font's size.
const LEADING = 1.3
const BASE_LINE = 1
const PADDING = 0.3

/** What takes more than this part of a page may begin on one page and end on another. */
export const DIVIDED_MIN = 0.5

/** A number that is wider than its column becomes narrower. Below this percentage, it wraps. */
const SQUEEZE_MIN = 60

/** A hundredth of a point is as small as the places on a page. */
const ROUNDING = 0.01

/** A look at the clock takes about as long as setting a short text, so only longer ones have a look of their own. */
const LONG_TEXT = 100

/** Where a table is drawn. */
export interface TablePlace {
  readonly page: Page
  /** In points from the top of the page. */
  readonly y: number
  /** Where the room for the table ends. */
  readonly bottom: number
}

/** A row to draw: its fields, and the weight of its font, which is regular by default. */
export interface TableRow {
  readonly fields: readonly string[]
  readonly weight?: FontWeight
}

/** A value in its column: its lines, with their left ends and how wide their glyphs are in percent. */
interface Cell {
  readonly field: number
  readonly lines: readonly {
    readonly line: TextLine
    readonly x: number
    readonly scale?: number
  }[]
}

/** The parts of a row in the structure. */
interface RowTags {
  readonly row: Element | undefined
  readonly cells: readonly (Element | undefined)[]
}

const NO_TAGS: RowTags = { row: undefined, cells: [] }

/** Draws the rows of a table on pages, each below a header with the titles. */
export class TableWriter {
  readonly #document: PdfDocument
  readonly #shape: TableShape
  readonly #nextPlace: () => TablePlace
  /** The titles, in the bands of the table. */
  readonly #header: readonly (readonly Cell[])[]
  readonly #lineHeight: number
  readonly #padding: number
  #place: TablePlace
  #y: number
  /** The rows of each page are a table of their own, below titles: some readers build the complete table for each page. */
  #table: Element | undefined
  #rowsOnPage = 0
  #rows = 0

  /**
   * @param place where the table begins
   * @param nextPlace ends the page, and returns the place on the next one
   */
  constructor(
    document: PdfDocument,
    shape: TableShape,
    place: TablePlace,
    nextPlace: () => TablePlace,
  ) {
    this.#document = document
    this.#shape = shape
    this.#nextPlace = nextPlace
    this.#lineHeight = shape.fontSize * LEADING
    this.#padding = shape.fontSize * PADDING
    this.#header = shape.bands.map((band) => {
      return band.map((column) => this.#wrapped(column, column.title, 'bold'))
    })
    this.#place = place
    this.#y = place.y
    if (this.#y + this.#heightOf(this.#header) * 2 > place.bottom) this.#beginPage(false)
    else this.#drawHeader(false)
  }

  /** The place after the last row. */
  get place(): TablePlace {
    return { ...this.#place, y: this.#y }
  }

  /**
   * Draws a row. If a row does not fit below the others, it begins the next page. The gateway may do other work before
   * the row, before a long value, and between two lines of a row that is longer than its page.
   */
  async addRow(
    fields: readonly string[],
    turn: Turn,
    weight: FontWeight = 'regular',
  ): Promise<void> {
    if (turn.isOver) await turn.next()
    const bands: Cell[][] = []
    for (const columns of this.#shape.bands) {
      const band: Cell[] = []
      for (const column of columns) {
        const text = fields[column.field] ?? ''
        if (text.length > LONG_TEXT && turn.isOver) await turn.next()
        band.push(this.#cellOf(column, text, weight))
      }
      bands.push(band)
    }
    this.#beginRow(this.#heightOf(bands))
    const tags = this.#openRow('TD')
    for (const band of bands) {
      const lines = linesOf(band)
      if (this.#y + lines * this.#lineHeight <= this.#place.bottom) {
        this.#drawBand(band, tags, INK, 0)
        continue
      }
      for (let line = 0; line < lines; line += 1) {
        if (this.#y + this.#lineHeight > this.#place.bottom) this.#beginPage(true)
        for (const cell of band) this.#drawLine(cell, line, this.#y, tags, INK)
        this.#y += this.#lineHeight
        if (turn.isOver) await turn.next()
      }
    }
    tags.row?.end()
    this.#y += this.#padding
    this.#rule(ROW_RULE, 0.4)
  }

  #beginRow(height: number): void {
    const { bottom } = this.#place
    const isDivided = height > bottom * DIVIDED_MIN
    if (!isDivided && this.#rowsOnPage > 0 && this.#y + height > bottom) this.#beginPage(false)
    this.#rows += 1
    this.#rowsOnPage += 1
    if (this.#shape.bands.length > 1 && this.#rows % 2 === 1) {
      const { left, right } = this.#shape
      const { page, y, bottom: end } = this.place
      const shaded = { width: right - left, height: Math.min(height, end - y) }
      page.rectangle([left, y], shaded, SHADE)
    }
    this.#y += this.#padding
  }

  #beginPage(isInRow: boolean): void {
    this.#place = this.#nextPlace()
    this.#y = this.#place.y
    this.#rowsOnPage = 0
    this.#drawHeader(isInRow)
  }

  /** A row that goes on below this header belongs to the table above it. The header is then an artifact. */
  #drawHeader(isInRow: boolean): void {
    if (!isInRow) this.#table?.end()
    if (!isInRow) this.#table = this.#document.open('Table')
    const tags = isInRow ? NO_TAGS : this.#openRow('TH')
    this.#y += this.#padding
    for (const band of this.#header) this.#drawBand(band, tags, TITLE_INK, linesOf(band))
    tags.row?.end()
    this.#y += this.#padding
    this.#rule(HEADER_RULE, 0.8)
  }

  /** Draws cell after cell, so that readers find the text of a cell in one place. Titles end on the line `last`. */
  #drawBand(band: readonly Cell[], tags: RowTags, color: Color, last: number): void {
    for (const cell of band) {
      const first = Math.max(0, last - cell.lines.length)
      for (let line = 0; line < cell.lines.length; line += 1) {
        this.#drawLine(cell, line, this.#y + (first + line) * this.#lineHeight, tags, color)
      }
    }
    this.#y += linesOf(band) * this.#lineHeight
  }

  #drawLine({ field, lines }: Cell, index: number, y: number, tags: RowTags, color: Color): void {
    const { page } = this.#place
    const set = lines[index]
    if (!set) return
    const { fontSize } = this.#shape
    page.element = tags.cells[field]
    page.text(set.line, set.x, y + fontSize * BASE_LINE, fontSize, color, set.scale)
    page.element = undefined
  }

  /** Begins a row of the structure, with a cell for each column. */
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
    const own = this.#points(line)
    if (own * SQUEEZE_MIN > width * 100) return this.#wrapped(column, text, weight)
    if (own > width + ROUNDING)
      return { field, lines: [{ line, x: left, scale: (width / own) * 100 }] }
    const whole = this.#points({
      width: typesetter.width(text.slice(0, wholeLength(text)), weight),
    })
    const x = left + Math.max(0, Math.min(width - fraction - whole, width - own))
    return { field, lines: [{ line, x }] }
  }

  #wrapped(column: TableColumn, text: string, weight: FontWeight): Cell {
    const widthMax = ((column.width + ROUNDING) * 1000) / this.#shape.fontSize
    const lines = this.#document.typesetter.lines(text, widthMax, weight).map((line) => {
      const isRight = column.alignment === 'point' || line.isRightToLeft
      return { line, x: column.left + (isRight ? column.width - this.#points(line) : 0) }
    })
    return { field: column.field, lines }
  }

  #points({ width }: { readonly width: number }): number {
    return (width * this.#shape.fontSize) / 1000
  }

  #heightOf(bands: readonly (readonly Cell[])[]): number {
    const lines = bands.reduce((sum, band) => sum + linesOf(band), 0)
    return lines * this.#lineHeight + 2 * this.#padding
  }

  #rule(color: Color, width: number): void {
    const { left, right } = this.#shape
    this.#place.page.rule([left, this.#y], [right, this.#y], width, color)
  }
}

function linesOf(band: readonly Cell[]): number {
  return band.reduce((most, { lines }) => Math.max(most, lines.length), 1)
}
