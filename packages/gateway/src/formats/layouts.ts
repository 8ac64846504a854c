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

/** A chart of a report. */
export type FileChart =
  /** The amount of each day, apart for each currency. */
  | {
      readonly chart: 'days'
      readonly title: string
      readonly day: LayoutColumn
      readonly amount: LayoutColumn
      readonly currency: LayoutColumn
    }
  /** How many of the decided payments were approved. Without `count`, rows are counted. */
  | {
      readonly chart: 'approval'
      readonly title: string
      readonly by: LayoutColumn
      readonly status: LayoutColumn
      readonly count: LayoutColumn | undefined
    }
  /** The share of each value of a column. Without `count`, rows are counted. */
  | {
      readonly chart: 'shares'
      readonly title: string
      readonly by: LayoutColumn
      readonly count: LayoutColumn | undefined
    }
