import type { FileColumn, Paper } from '../../format/format.ts'
import type { Turn } from '@counterfoil/common'
import type { PageSize } from '../document/page.ts'
import type { Typesetter } from '../text/typesetter.ts'
import { beginningOf } from '../limit-text.ts'
import { alignmentOf, type TableColumn, type TableShape, wholeLength } from './table-column.ts'

/** The sheets of paper, upright, in points. */
export const PAPER_SIZES: Readonly<Record<Paper, PageSize>> = {
  A4: { width: 595.28, height: 841.89 },
  Letter: { width: 612, height: 792 },
}

/** The room between the text and the edge of the page, in points. */
export const MARGIN = 40

/** The room between two columns, in points. */
const GAP = 9

// A column of text is at least this wide before it wraps, and at most this wide however long its texts are. In
// thousandths of the font's size.
const TEXT_WIDTH_MIN = 8_000
const TEXT_WIDTH_MAX = 24_000
const ID_WIDTH_MIN = 14_000

/** How much wider than its values a column may become, so that the table fills the page. */
const STRETCH_MAX = 1.6

/** How many different texts of a column are measured, and the characters of each. Every number is measured. */
const MEASURED_TEXTS = 200
const MEASURED_LENGTH = 200

const UPRIGHT_SIZES = [8.5, 8, 7.5]
const ACROSS_SIZES = [8.5, 8, 7.5, 7]
const SIZE_MIN = 6.5

/** The widths of a column's titles and values, in thousandths of the font's size. */
interface ColumnWidths {
  /** The width in which every measured value is in one line. */
  readonly natural: number
  /** The width that the column needs at least. */
  readonly least: number
}

interface MeasuredColumn extends ColumnWidths {
  readonly column: FileColumn
  readonly field: number
  readonly fraction: number
}

/**
 * Chooses how a table lies on its pages: upright or across, the size of its font, and the widths of its columns. A
 * table that is too wide for the page has several bands: a row is several lines of columns.
 *
 * @param rows the rows to measure; later rows wrap where they are wider
 */
export async function shapeTable(
  typesetter: Typesetter,
  columns: readonly FileColumn[],
  rows: readonly (readonly string[])[],
  paper: PageSize,
  turn: Turn,
): Promise<{ readonly page: PageSize; readonly shape: TableShape }> {
  const measured = await measureColumns(typesetter, columns, rows, turn)
  const across = { width: paper.height, height: paper.width }
  for (const [page, sizes] of [
    [paper, UPRIGHT_SIZES],
    [across, ACROSS_SIZES],
  ] as const) {
    for (const fontSize of sizes) {
      const room = roomOf(page, fontSize, measured.length)
      if (sum(measured, 'natural') <= room) {
        const widths = stretched(measured, room)
        return { page, shape: shapeOf([place(measured, widths, fontSize)], fontSize) }
      }
    }
  }
  return { page: across, shape: shapeInBands(measured, across, SIZE_MIN) }
}

/** Places the columns of a table that shares pages with another one. */
export async function shapeTableOn(
  typesetter: Typesetter,
  columns: readonly FileColumn[],
  rows: readonly (readonly string[])[],
  page: PageSize,
  turn: Turn,
): Promise<TableShape> {
  const measured = await measureColumns(typesetter, columns, rows, turn)
  const fontSize = ACROSS_SIZES.find((size) => {
    return sum(measured, 'natural') <= roomOf(page, size, measured.length)
  })
  return shapeInBands(measured, page, fontSize ?? SIZE_MIN)
}

/**
 * Lays the columns in as few lines of each row as fit the page. The columns of all lines stand below each other, so
 * that a reader finds a value's title at its place in the header.
 */
function shapeInBands(
  measured: readonly MeasuredColumn[],
  page: PageSize,
  fontSize: number,
): TableShape {
  for (let bands = 1; bands < measured.length; bands += 1) {
    const perBand = Math.ceil(measured.length / bands)
    const room = roomOf(page, fontSize, perBand)
    const grid = gridOf(measured, perBand)
    const needed = bands === 1 ? 'least' : 'natural'
    if (sum(grid, needed) > room) continue
    const widths = fitted(grid, room)
    const placed = Array.from({ length: bands }, (_, band) => {
      return place(measured.slice(band * perBand, (band + 1) * perBand), widths, fontSize)
    })
    return shapeOf(
      placed.filter((band) => band.length > 0),
      fontSize,
    )
  }
  const room = roomOf(page, fontSize, 1)
  const placed = measured.map((column) => place([column], fitted([column], room), fontSize))
  return shapeOf(placed, fontSize)
}

/** The widths that fit the columns of every band. */
function gridOf(measured: readonly MeasuredColumn[], perBand: number): readonly ColumnWidths[] {
  return Array.from({ length: Math.min(perBand, measured.length) }, (_, index) => {
    const column = measured.filter((_column, field) => field % perBand === index)
    return {
      natural: Math.max(...column.map(({ natural }) => natural)),
      least: Math.max(...column.map(({ least }) => least)),
    }
  })
}

async function measureColumns(
  typesetter: Typesetter,
  columns: readonly FileColumn[],
  rows: readonly (readonly string[])[],
  turn: Turn,
): Promise<readonly MeasuredColumn[]> {
  const measured: MeasuredColumn[] = []
  for (const [field, column] of columns.entries()) {
    measured.push(await measureColumn(typesetter, column, field, rows, turn))
  }
  return measured
}

async function measureColumn(
  typesetter: Typesetter,
  column: FileColumn,
  field: number,
  rows: readonly (readonly string[])[],
  turn: Turn,
): Promise<MeasuredColumn> {
  const isPoint = alignmentOf(column) === 'point'
  let [whole, fraction] = [0, 0]
  const texts = [...new Set(rows.map((row) => beginningOf(row[field] ?? '', MEASURED_LENGTH)))]
  const step = isPoint ? 1 : Math.ceil(texts.length / MEASURED_TEXTS)
  for (let index = 0; index < texts.length; index += step) {
    if (turn.isOver) await turn.next()
    const text = texts[index] ?? ''
    const length = isPoint ? wholeLength(text) : text.length
    whole = Math.max(whole, typesetter.width(text.slice(0, length)))
    fraction = Math.max(fraction, typesetter.width(text.slice(length)))
  }
  const words = shownTitle(column).split(/(?<=[\s-])/)
  const title = Math.max(...words.map((word) => typesetter.width(word, 'bold')))
  const values = whole + fraction
  const natural = Math.min(Math.max(title, values), TEXT_WIDTH_MAX)
  const leasts: Partial<Record<FileColumn['kind'], number>> = {
    text: TEXT_WIDTH_MIN,
    id: ID_WIDTH_MIN,
  }
  return {
    column,
    field,
    natural,
    // A title breaks between words only.
    least: Math.min(natural, Math.max(title, leasts[column.kind] ?? natural)),
    fraction,
  }
}

/** A title in words: `Merchant Name` for `Merchant_Name`. */
function shownTitle({ title }: Pick<FileColumn, 'title'>): string {
  return title.replaceAll('_', ' ')
}

/** The room for the columns of a page, in thousandths of the font's size. */
function roomOf(page: PageSize, fontSize: number, columns: number): number {
  return ((page.width - 2 * MARGIN - (columns - 1) * GAP) * 1000) / fontSize
}

function stretched(measured: readonly ColumnWidths[], room: number): readonly number[] {
  const factor = Math.min(STRETCH_MAX, room / sum(measured, 'natural'))
  return measured.map(({ natural }) => natural * factor)
}

/** Gives each column its natural width, or its least width and an equal share of the rest. */
function fitted(measured: readonly ColumnWidths[], room: number): readonly number[] {
  if (sum(measured, 'natural') <= room) return stretched(measured, room)
  const widths = measured.map(({ least }) => least)
  let rest = room - sum(measured, 'least')
  let open = measured.flatMap(({ natural, least }, index) => (natural > least ? [index] : []))
  while (rest > 1 && open.length > 0) {
    const share = rest / open.length
    for (const index of open) {
      const added = Math.min(share, (measured[index]?.natural ?? 0) - (widths[index] ?? 0))
      widths[index] = (widths[index] ?? 0) + added
      rest -= added
    }
    open = open.filter((index) => (widths[index] ?? 0) < (measured[index]?.natural ?? 0) - 1)
  }
  const total = widths.reduce((all, width) => all + width, 0)
  return total <= room ? widths : widths.map((width) => (width * room) / total)
}

function place(
  measured: readonly MeasuredColumn[],
  widths: readonly number[],
  fontSize: number,
): readonly TableColumn[] {
  let left = MARGIN
  return measured.map(({ column, field, fraction }, index) => {
    const width = ((widths[index] ?? 0) * fontSize) / 1000
    const placed = {
      title: shownTitle(column),
      alignment: alignmentOf(column),
      field,
      left,
      width,
      fraction: (fraction * fontSize) / 1000,
    }
    left += width + GAP
    return placed
  })
}

function shapeOf(bands: readonly (readonly TableColumn[])[], fontSize: number): TableShape {
  const ends = bands.map((band) => {
    const last = band.at(-1)
    return last ? last.left + last.width : MARGIN
  })
  return { bands, fontSize, left: MARGIN, right: Math.max(...ends) }
}

function sum(measured: readonly ColumnWidths[], width: 'natural' | 'least'): number {
  return measured.reduce((all, column) => all + column[width], 0)
}
