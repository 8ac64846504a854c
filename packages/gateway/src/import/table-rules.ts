import { LEDGER_TABLES, type LedgerTable } from '../ledger/model.ts'

/** How rows of a table are told apart, and when one may take another's place. */
export interface TableRules {
  readonly id: string
  /** Columns that are the same in every version of a row. */
  readonly key: readonly string[]
  /** The column by which a version is newer than another, where rows have versions. */
  readonly version?: string
  /** Columns that no two rows of different ids share. */
  readonly unique?: readonly string[]
  /** Whether a row of the same version may have other content than the ledger's: it then takes its place. */
  readonly isReplaceable: boolean
}

/** The rules of a table. */
export function rulesOf(table: LedgerTable): TableRules {
  // The first column of every table is its id.
  const [id = ''] = Object.keys(LEDGER_TABLES[table])
  if (table === 'transactions') {
    return { id, key: ['merchant_id', 'created_at'], version: 'row_version', isReplaceable: false }
  }
  // A statement never changes. A second one for its day would release the reserves of that day twice.
  if (table === 'statements') {
    return { id, key: [], unique: ['project_id', 'business_day', 'currency'], isReplaceable: false }
  }
  // What the digits of every amount were held against does not change either.
  return { id, key: [], isReplaceable: table !== 'currencies' }
}
