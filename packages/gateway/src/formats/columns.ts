import type { ColumnKind } from '../column-kinds.ts'

/** A column of a file. */
export interface FileColumn {
  readonly title: string
  readonly kind: ColumnKind
}

/** A column of a query. */
export interface SelectedColumn {
  readonly kind: ColumnKind
  readonly sql: string
  /** The SQL of an amount's currency, if the report file says which column holds it. */
  readonly currencySql?: string | undefined
}
