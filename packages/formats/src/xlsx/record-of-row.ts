import { exponentOf, type SheetCell, sheetCell } from '@counterfoil/engine'
import type { FileSums, ReportFile, SelectedColumn } from '../format/format.ts'
import { recordOf } from '../documents/records.ts'
import { totalFields } from '../documents/totals.ts'
import { STYLES } from './styles.ts'

/**
 * Returns the SQL of a row's record: its XML, how many of its texts are hard, how many of its numbers are text, and, if
 * the report can be summed, the fields of `Totals`.
 */
export function recordOfRow(
  columns: readonly SelectedColumn[],
  { sums, exponents = new Map() }: Pick<ReportFile, 'sums' | 'exponents'>,
): string {
  const cells = columns.map((column, index) => {
    const digits = exponentOf(column.currencySql, exponents)
    return sheetCell(column, STYLES, `_cell${index}`, digits)
  })
  const xml = cells.map((cell, index) => `(${cell.xml} AS _cell${index})`)
  return recordOf([
    `concat('<row>', ${xml.join(', ')}, '</row>')`,
    countOf(cells.map(({ isHard }) => isHard)),
    countOf(cells.map(({ isNumberAsText }) => isNumberAsText)),
    ...(sums ? totalFields(keysOf(sums, columns, cells), sums, exponents) : []),
  ])
}

function countOf(flags: readonly (string | undefined)[]): string {
  const counted = flags.filter((flag) => flag !== undefined)
  return counted.length > 0 ? `toString(${counted.join(' + ')})` : `'0'`
}

function keysOf(
  { by }: FileSums,
  columns: readonly SelectedColumn[],
  cells: readonly SheetCell[],
): readonly string[] {
  return by.map((column, index) => {
    const known = columns.findIndex(({ kind, sql }) => kind === column.kind && sql === column.sql)
    const cell = cells[known]
    if (cell) return cell.content
    const own = sheetCell(column, STYLES, `_key${index}`)
    // The content needs the names that the XML gives. The XML is never empty.
    return `if(empty((${own.xml} AS _key${index})), '', ${own.content})`
  })
}
