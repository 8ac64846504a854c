import type { ColumnKind } from '@counterfoil/engine'
import type { FileColumn } from '../format/format.ts'

/** How many rows `ColumnWidths` measures. */
const MEASURED_ROWS = 100

const WIDTH_MAX = 60
/** The room that the button of a filter takes, and the room beside a text with its indent. */
const BUTTON_WIDTH = 4
const PADDING = 3

/** The width of a kind, in characters: a number in a sheet is shorter than the text that the reader sees. */
const WIDTHS: Record<ColumnKind, number> = {
  text: 8,
  id: 8,
  money: 14,
  rate: 12,
  integer: 9,
  date: 12,
  time: 20,
  ratio: 10,
}

/** Measures the first rows of a report, to find the widths of columns that fit them. */
export class ColumnWidths {
  readonly #columns: readonly FileColumn[]
  readonly #longest: number[]
  #rows = 0

  constructor(columns: readonly FileColumn[]) {
    this.#columns = columns
    this.#longest = columns.map(() => 0)
  }

  /** Whether further rows do not count. */
  get areMeasured(): boolean {
    return this.#rows >= MEASURED_ROWS
  }

  /** Measures rows in XML. */
  add(rowsXml: string): void {
    for (const row of rowsXml.split('</row>', MEASURED_ROWS - this.#rows)) {
      // The end of the last row.
      if (row === '') continue
      this.#rows += 1
      const cells = row.match(CELL) ?? []
      for (const [index, longest] of this.#longest.entries()) {
        this.#longest[index] = Math.max(longest, shownLength(cells[index] ?? ''))
      }
    }
  }

  /** Returns the widths of the columns, which also fit the titles, in characters. */
  widths(): readonly number[] {
    return this.#columns.map(({ title, kind }, index) => {
      const isNumber = kind === 'date' || kind === 'time'
      const longest = isNumber ? 0 : (this.#longest[index] ?? 0)
      const wanted = Math.max(WIDTHS[kind], title.length + BUTTON_WIDTH, longest + PADDING)
      return Math.min(WIDTH_MAX, wanted)
    })
  }
}

const CELL = /<c(?: [^>]*)?(?:\/>|>.*?<\/c>)/gs

function shownLength(cell: string): number {
  return cell.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;|_x[0-9A-F]{4}_/g, ' ').length
}
