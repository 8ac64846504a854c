import { LEDGER_TABLES, type LedgerColumns, type LedgerTable } from '../model/model.ts'

/** How an import identifies rows of a table, and when a row may replace another. */
export interface TableRules {
  readonly id: string
  /** Columns that are the same in every version of a row. */
  readonly key: readonly string[]
  /** The column of the version, if rows have versions. */
  readonly version?: string
  /** Whether a row may replace a row of the same version that has other content. */
  readonly isReplaceable: boolean
  /** The column of the day or the time that decides whether a row is in a closed period. */
  readonly time?: string
}

export function rulesOf(table: LedgerTable): TableRules {
  // The first column of every table is its id.
  const [id = ''] = Object.keys(LEDGER_TABLES[table])
  if (table === 'transactions') {
    // Callers of changes rely on these columns: a row never leaves a merchant, a period or a list of one type.
    const key = ['merchant_id', 'created_at', 'transaction_type']
    return { id, key, version: 'row_version', isReplaceable: false, time: 'created_at' }
  }
  // A statement never changes.
  if (table === 'statements') return { id, key: [], isReplaceable: false, time: 'business_day' }
  return { id, key: [], isReplaceable: true }
}

/** Whether the SELECT of a source has to return a column. */
export function isRequired(columns: LedgerColumns, name: string): boolean {
  return isFilled(columns, name) && columns[name]?.instead === undefined
}

/** Whether a column of the ledger has a value in each row. */
export function isFilled(columns: LedgerColumns, name: string): boolean {
  return !columns[name]?.type.includes('Nullable(') && name !== 'row_version'
}
