import {
  exponentOf,
  hashed,
  literal,
  type SheetCell,
  sheetCell,
  summand,
} from '@counterfoil/engine'
import type { FileSums, ReportFile, SelectedColumn } from '../format/format.ts'
import { recordOf } from '../documents/records.ts'
import { STYLES } from './styles.ts'

/** Stands between the parts of a group's key: the cells, and the fraction digits of each sum. */
export const KEY_SEPARATOR = '\x1c'

/**
 * Returns the SQL of a row's record: its XML, how many of its texts are hard, how many of its numbers are text, and, if
 * the report can be summed, the key of its group, the values to sum, and a hash of the account whose balances are
 * among them.
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
    ...(sums ? summedFields(sums, columns, cells, exponents) : []),
  ])
}

function countOf(flags: readonly (string | undefined)[]): string {
  const counted = flags.filter((flag) => flag !== undefined)
  return counted.length > 0 ? `toString(${counted.join(' + ')})` : `'0'`
}

function summedFields(
  sums: FileSums,
  columns: readonly SelectedColumn[],
  cells: readonly SheetCell[],
  exponents: ReadonlyMap<string, number>,
): readonly string[] {
  const keys = sums.by.map((column, index) => {
    const known = columns.findIndex(({ kind, sql }) => kind === column.kind && sql === column.sql)
    const cell = cells[known]
    if (cell) return cell.content
    const own = sheetCell(column, STYLES, `_key${index}`)
    // The content needs the names that the XML gives. The XML is never empty.
    return `if(empty((${own.xml} AS _key${index})), '', ${own.content})`
  })
  const digits = sums.columns.map(({ kind, currencySql }) => {
    return kind === 'money' ? `toString(${exponentOf(currencySql, exponents)})` : `'0'`
  })
  const key = [...keys, ...digits].join(`, ${literal(KEY_SEPARATOR)}, `)
  return [
    `concat(${key}, '')`,
    ...sums.columns.map(({ kind, sql }) => summand(kind, sql)),
    ...(sums.accounts ? [hashed(sums.accounts)] : []),
  ]
}
