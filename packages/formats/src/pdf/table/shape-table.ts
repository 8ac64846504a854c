import type { ColumnKind } from '@counterfoil/engine'
import type { Turn } from '@counterfoil/common'
import { wholeLength } from '../../documents/amounts.ts'
import { beginningOf } from '../../documents/limit-text.ts'
import type { FileColumn } from '../../format/format.ts'
import type { PageSize } from '../document/page.ts'
import { MARGIN } from '../document/style.ts'
import type { Typesetter } from '../text/typesetter.ts'

/** How a column's values stand: at its left end, or with their decimal points in one line near its right end. */
export type Alignment = 'left' | 'point'

const POINT_KINDS: ReadonlySet<ColumnKind> = new Set(['money', 'rate', 'integer', 'ratio'])

export function alignmentOf({ kind }: Pick<FileColumn, 'kind'>): Alignment {
  return POINT_KINDS.has(kind) ? 'point' : 'left'
}

export interface TableColumn {
  readonly title: string
  readonly alignment: Alignment
  /** Where its values are in a row. */
  readonly field: number
  /** The left end, in points from the left end of the page. */
  readonly left: number
  readonly width: number
  /** The room right of the decimal points, in points. */
  readonly fraction: number
}

/** The columns of a table: each band is a line of every row. A table that fits the page has one band. */
export interface TableShape {
  readonly bands: readonly (readonly TableColumn[])[]
  readonly fontSize: number
  /** The ends of the table, in points from the left end of the page. */
  readonly left: number
  readonly right: number
}

const GAP = 9

// A column of text is at least this wide before it wraps, and at most this wide however long its texts are. In
// thousandths of the font's size.
const WIDTHS_MIN: Partial<Record<ColumnKind, number>> = { text: 8_000, id: 14_000 }
const TEXT_WIDTH_MAX = 24_000

/** How much wider than its values a column may become, so that the table fills the page. */
const STRETCH_MAX = 1.6

/** How many different texts of a column are measured, and the characters of each. Every number is measured. */
const MEASURED_TEXTS = 200
const MEASURED_LENGTH = 200

const SIZES = [8.5, 8, 7.5]
/** The size with which a table may stay in one band, and the size of tables with several. */
const SIZE_OF_WIDE = 7
const SIZE_MIN = 6.5

/** The widths of a column's titles and values, in thousandths of the font's size. */
interface ColumnWidths {
  /** The width in which every measured value is in one line. */
  readonly natural: number
  readonly least: number
}

interface MeasuredColumn extends ColumnWidths {
  readonly column: FileColumn
  readonly field: number
  readonly fraction: number
}

/** Chooses the page of a table, the size of its font, and the widths of its columns by some of its rows. */
export async function shapeTable(
  typesetter: Typesetter,
  columns: readonly FileColumn[],
  rows: readonly (readonly string[])[],
  pages: readonly [PageSize, ...PageSize[]],
  turn: Turn,
): Promise<{ readonly page: PageSize; readonly shape: TableShape }> {
  const measured = await measureColumns(typesetter, columns, rows, turn)
  const natural = sum(measured, 'natural')
  const last = pages.at(-1) ?? pages[0]
  const tries = pages.flatMap((page) => SIZES.map((size) => [page, size] as const))
  const [page, fontSize] = [...tries, [last, SIZE_OF_WIDE] as const].find(([tried, size]) => {
    return natural <= roomOf(tried, size, measured.length)
  }) ?? [last, SIZE_MIN]
  return { page, shape: shapeInBands(measured, page, fontSize) }
}

/** Lays the columns in as few lines of each row as fit the page. Titles stand in the same places. */
function shapeInBands(
  measured: readonly MeasuredColumn[],
  page: PageSize,
  fontSize: number,
  count = 1,
): TableShape {
  const perBand = Math.ceil(measured.length / count)
  const room = roomOf(page, fontSize, perBand)
  const bands = Array.from({ length: count }, (_, band) => {
    return measured.slice(band * perBand, (band + 1) * perBand)
  })
  // The widths that fit the columns of every band.
  const grid = Array.from({ length: perBand }, (_, place) => {
    const below = bands.flatMap((band) => band[place] ?? [])
    return {
      natural: Math.max(...below.map(({ natural }) => natural)),
      least: Math.max(...below.map(({ least }) => least)),
    }
  })
  const fits = sum(grid, count === 1 ? 'least' : 'natural') <= room
  if (!fits && perBand > 1) return shapeInBands(measured, page, fontSize, count + 1)
  const widths = fitted(grid, room)
  const columns = bands
    .filter((band) => band.length > 0)
    .map((band) => placed(band, widths, fontSize))
  const ends = columns.flat().map(({ left, width }) => left + width)
  return { bands: columns, fontSize, left: MARGIN, right: Math.max(MARGIN, ...ends) }
}

async function measureColumns(
  typesetter: Typesetter,
  columns: readonly FileColumn[],
  rows: readonly (readonly string[])[],
  turn: Turn,
): Promise<readonly MeasuredColumn[]> {
  const measured: MeasuredColumn[] = []
  for (const [field, column] of columns.entries()) {
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
    // A title breaks between words only.
    const words = shownTitle(column).split(/(?<=[\s-])/)
    const title = Math.max(...words.map((word) => typesetter.width(word, 'bold')))
    const natural = Math.min(Math.max(title, whole + fraction), TEXT_WIDTH_MAX)
    const least = Math.min(natural, Math.max(title, WIDTHS_MIN[column.kind] ?? natural))
    measured.push({ column, field, natural, least, fraction })
  }
  return measured
}

/** A title in words: `Merchant Name` for `Merchant_Name`. */
function shownTitle({ title }: Pick<FileColumn, 'title'>): string {
  return title.replaceAll('_', ' ')
}

/** The room for the columns of a page, in thousandths of the font's size. */
function roomOf(page: PageSize, fontSize: number, columns: number): number {
  return ((page.width - 2 * MARGIN - (columns - 1) * GAP) * 1000) / fontSize
}

/** Gives each column its natural width or more, or its least width and a part of the rest. */
function fitted(measured: readonly ColumnWidths[], room: number): readonly number[] {
  const [allNatural, allLeast] = [sum(measured, 'natural'), sum(measured, 'least')]
  if (allNatural <= room) {
    const factor = Math.min(STRETCH_MAX, room / allNatural)
    return measured.map(({ natural }) => natural * factor)
  }
  if (allLeast >= room) return measured.map(({ least }) => (least * room) / allLeast)
  const part = (room - allLeast) / (allNatural - allLeast)
  return measured.map(({ natural, least }) => least + (natural - least) * part)
}

function placed(
  measured: readonly MeasuredColumn[],
  widths: readonly number[],
  fontSize: number,
): readonly TableColumn[] {
  let left = MARGIN
  return measured.map(({ column, field, fraction }, index) => {
    const width = ((widths[index] ?? 0) * fontSize) / 1000
    const one = {
      title: shownTitle(column),
      alignment: alignmentOf(column),
      field,
      left,
      width,
      fraction: (fraction * fontSize) / 1000,
    }
    left += width + GAP
    return one
  })
}

function sum(measured: readonly ColumnWidths[], width: 'natural' | 'least'): number {
  return measured.reduce((all, column) => all + column[width], 0)
}
