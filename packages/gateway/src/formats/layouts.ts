import type { FileColumn, SelectedColumn } from './columns.ts'

/** A column that a layout reads. The file need not show it. */
export type LayoutColumn = FileColumn & SelectedColumn

/** An entry of statements: sales, fees, a payment. */
export interface StatementEntry {
  readonly title: string
  readonly count: LayoutColumn | undefined
  readonly fees: LayoutColumn | undefined
  readonly amount: LayoutColumn
  /** Whether the amount adds to the balance. */
  readonly isCredit: boolean
}

/** The columns of a report whose rows are statements of accounts. */
export interface StatementLayout {
  readonly columns: Readonly<Record<StatementRole, LayoutColumn>>
  readonly entries: readonly StatementEntry[]
}

/** What the columns of a statement say. */
export const STATEMENT_ROLES = [
  'holder',
  'holderId',
  'account',
  'accountId',
  'currency',
  'statement',
  'day',
  'opening',
  'closing',
] as const

/** What a column says in a statement. */
export type StatementRole = (typeof STATEMENT_ROLES)[number]
