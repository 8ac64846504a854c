import type { Turn } from '@counterfoil/common'
import type { Element } from 'pdfkit'
import type { Color, Page } from '../document/page.ts'
import type { PdfDocument } from '../document/pdf-document.ts'
import type { FontWeight } from '../text/font-families.ts'
import type { TextLine } from '../text/shape-line.ts'
import type { Typesetter } from '../text/typesetter.ts'
import { type TableColumn, type TableShape, wholeLength } from './table-column.ts'

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

/** A value in its column. */
interface Cell {
  readonly lines: readonly TextLine[]
  /** The left end of its line, if it has one of its own. */
  readonly left: number | undefined
  /** How wide its glyphs are, in percent. */
  readonly scale: number
}

/** A row to draw: its fields, and the weight of its font, which is regular by default. */
export interface TableRow {
  readonly fields: readonly string[]
  readonly weight?: FontWeight
}

/** The values of a row, in the bands of its table. */
type RowCells = readonly (readonly Cell[])[]

/** Where a row begins. */
export interface RowPlace {
  readonly page: Page
  readonly y: number
}

/** Draws the rows of a table on pages, each below a header with the titles. */
export class TableWriter {
  readonly #typesetter: Typesetter
  readonly #shape: TableShape
  readonly #nextPlace: () => TablePlace
  readonly #header: readonly (readonly Cell[])[]
  readonly #lineHeight: number
  readonly #padding: number
  #page: Page
  #y: number
  #bottom: number
  readonly #document: PdfDocument
  /** The rows of each page are a table of their own, below titles. */
  #table: Element | undefined
  /** The cells of the row that is drawn. */
  #cells: readonly (Element | undefined)[] = []
  #isRowOpen = false
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
    this.#typesetter = document.typesetter
    this.#shape = shape
    this.#nextPlace = nextPlace
    this.#lineHeight = shape.fontSize * LEADING
    this.#padding = shape.fontSize * PADDING
    this.#header = shape.bands.map((band) => band.map((column) => this.#titleOf(column)))
    this.#page = place.page
    this.#y = place.y
    this.#bottom = place.bottom
    if (this.#y + this.#heightOf(this.#header) * 2 > this.#bottom) this.#beginPage()
    else this.#drawHeader()
  }

  /** The place after the last row. */
  get place(): TablePlace {
    return { page: this.#page, y: this.#y, bottom: this.#bottom }
  }

  /**
   * Draws a row. If a row does not fit below the others, it begins the next page. The gateway may do other work before
   * the row, before a long value, and between two lines of a row that is longer than its page.
   *
   * @returns where the row begins
   */
  async addRow(
    fields: readonly string[],
    turn: Turn,
    weight: FontWeight = 'regular',
  ): Promise<RowPlace> {
    if (turn.isOver) await turn.next()
    const cells: Cell[][] = []
    for (const band of this.#shape.bands) {
      const set: Cell[] = []
      for (const column of band) {
        const text = fields[column.field] ?? ''
        if (text.length > LONG_TEXT && turn.isOver) await turn.next()
        set.push(this.#cellOf(column, text, weight))
      }
      cells.push(set)
    }
    const drawing = this.#drawRow(cells)
    for (;;) {
      const { done, value } = drawing.next()
      if (done) return value
      if (turn.isOver) await turn.next()
    }
  }

  /** Draws a row, and pauses between the lines of a band that is longer than its page. */
  *#drawRow(cells: RowCells): Generator<undefined, RowPlace> {
    const height = this.#heightOf(cells)
    const isDivided = height > this.#bottom * DIVIDED_MIN
    if (!isDivided && this.#rowsOnPage > 0 && this.#y + height > this.#bottom) this.#beginPage()
    const start = { page: this.#page, y: this.#y }
    this.#rows += 1
    this.#rowsOnPage += 1
    if (cells.length > 1 && this.#rows % 2 === 1) this.#shade(height)
    this.#y += this.#padding
    const row = this.#openRow('TD')
    this.#isRowOpen = true
    for (const [index, band] of this.#shape.bands.entries()) {
      yield* this.#drawBand(band, cells[index] ?? [])
    }
    row?.end()
    this.#isRowOpen = false
    this.#y += this.#padding
    this.#rule(ROW_RULE, 0.4)
    return start
  }

  #beginPage(): void {
    const { page, y, bottom } = this.#nextPlace()
    this.#page = page
    this.#y = y
    this.#bottom = bottom
    this.#rowsOnPage = 0
    this.#drawHeader()
  }

  #drawHeader(): void {
    const before = this.#cells
    this.#cells = []
    // A row that goes on below this header belongs to the table above it. The header is then an artifact.
    if (!this.#isRowOpen) this.#table?.end()
    if (!this.#isRowOpen) this.#table = this.#document.open('Table')
    const row = this.#isRowOpen ? undefined : this.#openRow('TH')
    this.#y += this.#padding
    for (const [index, band] of this.#shape.bands.entries()) {
      const cells = this.#header[index] ?? []
      const lines = linesOf(cells)
      for (const [place, column] of band.entries()) {
        const cell = cells[place]
        // Titles stand on the header's last line.
        const first = lines - (cell?.lines.length ?? 0)
        for (const [line, text] of (cell?.lines ?? []).entries()) {
          const y = this.#y + (first + line) * this.#lineHeight
          this.#text(column, text, y, TITLE_INK, undefined, 100)
        }
      }
      this.#y += lines * this.#lineHeight
    }
    row?.end()
    this.#cells = before
    this.#y += this.#padding
    this.#rule(HEADER_RULE, 0.8)
  }

  *#drawBand(band: readonly TableColumn[], cells: readonly Cell[]): Generator<undefined, void> {
    const lines = linesOf(cells)
    if (this.#y + lines * this.#lineHeight <= this.#bottom) {
      // Cell after cell, so that readers find the text of a cell in one place.
      for (const [index, column] of band.entries()) {
        const cell = cells[index]
        for (let line = 0; line < (cell?.lines.length ?? 0); line += 1) {
          this.#drawLine(column, cell, line, this.#y + line * this.#lineHeight)
        }
      }
      this.#y += lines * this.#lineHeight
      return
    }
    for (let line = 0; line < lines; line += 1) {
      if (this.#y + this.#lineHeight > this.#bottom) this.#beginPage()
      for (const [index, column] of band.entries()) {
        this.#drawLine(column, cells[index], line, this.#y)
      }
      this.#y += this.#lineHeight
      yield
    }
  }

  #drawLine(column: TableColumn, cell: Cell | undefined, line: number, y: number): void {
    const text = cell?.lines[line]
    if (cell && text) this.#text(column, text, y, INK, cell.left, cell.scale)
  }

  #text(
    column: TableColumn,
    line: TextLine,
    y: number,
    color: Color,
    left: number | undefined,
    scale: number,
  ): void {
    const { fontSize } = this.#shape
    const isRight = column.alignment === 'point' || line.isRightToLeft
    const rightward = isRight ? column.width - (line.width * fontSize) / 1000 : 0
    const x = left ?? column.left + rightward
    this.#page.element = this.#cells[column.field]
    this.#page.text(line, x, y + fontSize * BASE_LINE, fontSize, color, scale)
    this.#page.element = undefined
  }

  /** Begins a row of the structure, with a cell for each column. */
  #openRow(type: 'TH' | 'TD'): Element | undefined {
    const row = this.#table && this.#document.open('TR', this.#table)
    const columns = this.#shape.bands.flat()
    this.#cells = columns.map(() => row && this.#document.open(type, row))
    return row
  }

  #titleOf({ title, width }: TableColumn): Cell {
    const lines = this.#typesetter.lines(title, this.#inThousandths(width), 'bold')
    return { lines, left: undefined, scale: 100 }
  }

  #cellOf(column: TableColumn, text: string, weight: FontWeight): Cell {
    const widthMax = this.#inThousandths(column.width)
    if (column.alignment === 'left') {
      return { lines: this.#typesetter.lines(text, widthMax, weight), left: undefined, scale: 100 }
    }
    const line = this.#typesetter.line(text, weight)
    if (line.width * SQUEEZE_MIN > widthMax * 100) {
      return { lines: this.#typesetter.lines(text, widthMax, weight), left: undefined, scale: 100 }
    }
    if (line.width > widthMax) {
      return { lines: [line], left: column.left, scale: (widthMax / line.width) * 100 }
    }
    const whole = this.#typesetter.width(text.slice(0, wholeLength(text)), weight)
    const toPoint = column.width - column.fraction - (whole * this.#shape.fontSize) / 1000
    const toEnd = column.width - (line.width * this.#shape.fontSize) / 1000
    const left = column.left + Math.max(0, Math.min(toPoint, toEnd))
    return { lines: [line], left, scale: 100 }
  }

  #heightOf(cells: readonly (readonly Cell[])[]): number {
    let lines = 0
    for (const band of cells) lines += linesOf(band)
    return lines * this.#lineHeight + 2 * this.#padding
  }

  #inThousandths(width: number): number {
    // A hundredth of a point is as small as the places on a page.
    return ((width + 0.01) * 1000) / this.#shape.fontSize
  }

  #rule(color: Color, width: number): void {
    const { left, right } = this.#shape
    this.#page.rule([left, this.#y], [right, this.#y], width, color)
  }

  #shade(height: number): void {
    const { left, right } = this.#shape
    const shaded = Math.min(height, this.#bottom - this.#y)
    this.#page.rectangle([left, this.#y], { width: right - left, height: shaded }, SHADE)
  }
}

function linesOf(cells: readonly Cell[]): number {
  let lines = 1
  for (const cell of cells) if (cell.lines.length > lines) lines = cell.lines.length
  return lines
}
