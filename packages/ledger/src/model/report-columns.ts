import { LEDGER_TABLES, ownColumns } from './model.ts'
import { NAME_COLUMNS, nameColumnOf } from './names.ts'

/**
 * The columns that reports may read, by table: the ledger's columns and the name columns. The engine has more columns,
 * such as `_part`. They reveal facts about the rows of all merchants.
 */
export const REPORT_COLUMNS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(LEDGER_TABLES).map(([table, columns]) => {
    const named = Object.entries(NAME_COLUMNS).find(([name]) => name === table)?.[1] ?? []
    const own = Object.keys(ownColumns(table))
    return [table, [...Object.keys(columns), ...own, ...named.map(nameColumnOf)]]
  }),
)
