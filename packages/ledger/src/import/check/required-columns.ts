import type { LedgerColumns } from '../../model/model.ts'

/** Columns of a transaction that have the value of another column, unless they have one of their own. */
const SAME_AS: Readonly<Record<string, string>> = {
  order_id: 'transaction_id',
  client_order_id: 'order_id',
  updated_at: 'created_at',
}

/** Ids of the hierarchy, and texts, that may be empty. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  'gate_id',
  'company_id',
  'project_id',
  'endpoint_id',
  'processor_id',
  'manager_id',
  'login',
  'country',
  'timezone',
  'mcc',
])

/** What a column has without a value of its own: the value of another column, or an empty text. */
export type Fallback = { readonly column: string } | 'empty'

/** Returns what a column of the ledger has without a value. Undefined if a row without a value is refused. */
export function fallbackOf(columns: LedgerColumns, name: string): Fallback | undefined {
  const [id] = Object.keys(columns)
  const column = id === 'transaction_id' ? SAME_AS[name] : undefined
  if (column !== undefined) return { column }
  return MAY_BE_EMPTY.has(name) && name !== id ? 'empty' : undefined
}

/** Whether the SELECT of a source has to return a column. */
export function isRequired(columns: LedgerColumns, name: string): boolean {
  return isFilled(columns, name) && fallbackOf(columns, name) === undefined
}

/** Whether a column of the ledger has a value in each row. */
export function isFilled(columns: LedgerColumns, name: string): boolean {
  return !columns[name]?.type.includes('Nullable(') && name !== 'row_version'
}
