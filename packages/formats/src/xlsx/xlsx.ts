import { fieldProblem } from '@counterfoil/common'
import { exponentOf, type SheetCell, sheetCell } from '@counterfoil/engine'
import { recordOf } from '../documents/records.ts'
import { totalFields } from '../documents/totals.ts'
import type { FileSums, Format, ReportFile, SelectedColumn } from '../format/format.ts'
import { STYLES } from './styles.ts'
import { writeWorkbook } from './write-workbook.ts'

const MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const COLUMNS_MAX = 16_384

/** XLSX (ECMA-376). The engine writes the XML of each row; the gateway counts and sums, and writes the archive. */
export const xlsx: Format = {
  extension: 'xlsx',
  mediaType: MEDIA_TYPE,
  encodings: ['UTF-8'],
  parameters: ['dateFormat'],
  isDocument: true,
  needsExponents: true,
  plan: (file) => {
    if (file.columns.length > COLUMNS_MAX) {
      const expected = `at most ${COLUMNS_MAX} columns for XLSX, got ${file.columns.length}`
      throw fieldProblem('invalid-parameter', [{ pointer: '/outputReportParameters', expected }])
    }
    return {
      contentType: MEDIA_TYPE,
      select: (columns) => recordOfRow(columns, file),
      rows: 'texts',
      // A chunk of 1,024 rows fits into the processor's cache, and takes less memory.
      settings: { max_block_size: 1024 },
      write: (chunks) => writeWorkbook(file, chunks),
    }
  },
}

/** Returns the SQL of a row's record: its XML and, if the report can be summed, the fields of `Totals`. */
function recordOfRow(
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
    ...(sums ? totalFields(keysOf(sums, columns, cells), sums, exponents) : []),
  ])
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
