import type { ColumnKind } from '../../column-kinds.ts'
import type { FileColumn } from '../columns.ts'

/** How many rows `columnWidths` measures. */
export const MEASURED_ROWS = 100

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

/** Returns the widths of columns that fit the titles and the first rows, in characters. */
export function columnWidths(columns: readonly FileColumn[], rowsXml: string): readonly number[] {
  const rows = rowsXml.split('</row>', MEASURED_ROWS).map((row) => row.match(CELL) ?? [])
  return columns.map(({ title, kind }, index) => {
    const lengths = rows.map((cells) => shownLength(cells[index] ?? ''))
    const isNumber = kind === 'date' || kind === 'time'
    const longest = isNumber ? 0 : Math.max(0, ...lengths)
    const wanted = Math.max(WIDTHS[kind], title.length + BUTTON_WIDTH, longest + PADDING)
    return Math.min(WIDTH_MAX, wanted)
  })
}

const CELL = /<c(?: [^>]*)?(?:\/>|>.*?<\/c>)/gs

function shownLength(cell: string): number {
  return cell.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;|_x[0-9A-F]{4}_/g, ' ').length
}
