import { printedExactly } from '../../../clickhouse/print-columns.ts'
import type { TextFilePlan, ReportFile } from '../../format.ts'
import { type LayoutColumn, STATEMENT_ROLES, type StatementLayout } from '../../layouts.ts'
import { recordOf } from '../../records.ts'
import { limitedField } from '../text/limit-text.ts'
import { writeStatements } from './write-statements.ts'

/** Plans a file of statements: the engine sends the columns of the layout in a record for each statement. */
export function planStatements(
  file: ReportFile,
  layout: StatementLayout,
  rowsMax: number,
  taggedRowsMax: () => number,
): TextFilePlan {
  const field = (column: LayoutColumn): string => {
    const isExact = column.kind === 'money' || column.kind === 'integer'
    return isExact ? printedExactly(column.sql) : limitedField(column, file.values)
  }
  const fields = columnsOf(layout).map(field)
  return {
    contentType: 'application/pdf',
    select: () => recordOf(fields),
    rows: 'texts',
    write: (chunks) => writeStatements(file, layout, chunks, rowsMax, taggedRowsMax()),
  }
}

/** The columns of a layout, in the order of `readStatement`. */
function columnsOf({ columns, entries }: StatementLayout): readonly LayoutColumn[] {
  const ofEntries = entries.flatMap(({ amount, count, fees }) => [amount, count, fees])
  return [...STATEMENT_ROLES.map((role) => columns[role]), ...ofEntries].filter(
    (column) => column !== undefined,
  )
}
