import { printedExactly } from '@counterfoil/engine'
import {
  type LayoutColumn,
  type ReportFile,
  STATEMENT_ROLES,
  type StatementLayout,
  type TextFilePlan,
} from '../../format/format.ts'
import { recordOf } from '../../documents/records.ts'
import { limitedField } from '../limit-text.ts'
import { type AccountBalances, checkStatements } from './check-statements.ts'
import { writeStatements } from './write-statements.ts'

/** Plans a file of statements: the engine sends the columns of the layout in a record for each statement. */
export function planStatements(
  file: ReportFile,
  layout: StatementLayout,
  rowsMax: number,
  taggedMax: number,
): Omit<TextFilePlan, 'contentType'> {
  const field = (column: LayoutColumn): string => {
    const isExact = column.kind === 'money' || column.kind === 'integer'
    return isExact ? printedExactly(column.sql) : limitedField(column, file.values)
  }
  const select = (columns: readonly LayoutColumn[]) => () => recordOf(columns.map(field))
  let rows: number | undefined
  let accounts: readonly AccountBalances[] = []
  return {
    select: select(columnsOf(layout)),
    rows: 'texts',
    write: (chunks) => {
      const limits = { rowsMax, isTagged: (rows ?? 0) <= taggedMax }
      return writeStatements(file, layout, accounts, chunks, limits)
    },
    check: {
      select: select(STATEMENT_ROLES.map((role) => layout.columns[role])),
      read: async (chunks) => {
        const checked = await checkStatements(chunks, rowsMax)
        rows = checked.rows
        accounts = checked.accounts ?? []
      },
    },
  }
}

/** The columns of a layout, in the order of `readStatement`. */
function columnsOf({ columns, entries }: StatementLayout): readonly LayoutColumn[] {
  const ofEntries = entries.flatMap(({ amount, count, fees }) => [amount, count, fees])
  return [...STATEMENT_ROLES.map((role) => columns[role]), ...ofEntries].filter(
    (column) => column !== undefined,
  )
}
