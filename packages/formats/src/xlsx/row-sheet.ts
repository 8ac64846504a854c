import type { ColumnKind } from '@counterfoil/engine'
import type { FileColumn } from '../format/format.ts'
import { textElement } from './sheet-text.ts'
import { headerStyle } from './styles.ts'

export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`
}

/** The cells of a header and its rows, as in `A1:I100`. */
export function rangeOf(columns: number, rows: number, sign: '' | '$' = ''): string {
  return `${sign}A${sign}1:${sign}${lettersOf(columns)}${sign}${rows + 1}`
}

function lettersOf(column: number): string {
  const [before, last] = [Math.floor((column - 1) / 26), (column - 1) % 26]
  return `${before > 0 ? lettersOf(before) : ''}${String.fromCharCode(65 + last)}`
}

/** How many rows decide how wide columns are. */
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

const CELL = /<c(?: [^>]*)?(?:\/>|>.*?<\/c>)/gs

/** Returns the widths of columns, in characters, that fit the titles and the first rows in XML. */
export function columnWidths(columns: readonly FileColumn[], rowsXml: string): readonly number[] {
  const rows = rowsXml.split('</row>', MEASURED_ROWS).map((row) => row.match(CELL) ?? [])
  return columns.map(({ title, kind }, index) => {
    const isNumber = kind === 'date' || kind === 'time'
    const lengths = isNumber ? [] : rows.map((cells) => shownLength(cells[index] ?? '') + PADDING)
    return Math.min(WIDTH_MAX, Math.max(WIDTHS[kind], title.length + BUTTON_WIDTH, ...lengths))
  })
}

function shownLength(cell: string): number {
  return cell.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;|_x[0-9A-F]{4}_/g, ' ').length
}

/** Begins a sheet of rows with a header of columns of some widths. */
export function startOfSheet(columns: readonly FileColumn[], widths: readonly number[]): string {
  const cols = widths.map((width, index) => {
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  })
  const titles = columns.map(({ title, kind }) => {
    return `<c s="${headerStyle(kind)}" t="inlineStr"><is>${textElement(title)}</is></c>`
  })
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">\
<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>\
<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>\
<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>\
<cols>${cols.join('')}</cols><sheetData><row>${titles.join('')}</row>`
}

/** Ends a sheet with a filter over its rows. */
export function endOfSheet(columns: number, rows: number): string {
  const range = rangeOf(columns, rows)
  return `</sheetData><autoFilter ref="${range}"/>\
<pageMargins left="0.5" right="0.5" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>\
<pageSetup orientation="landscape" fitToHeight="0"/>\
<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`
}
