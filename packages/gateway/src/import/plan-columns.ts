import { nearestName } from '../nearest-name.ts'
import { GatewayError } from '../errors.ts'
import { type LedgerColumns, LEDGER_TABLES, type LedgerTable } from '../ledger/model.ts'
import { cardColumnFault, isTame } from './card-numbers.ts'
import type { Mapping } from './mapping.ts'

/** A file and the columns that it has. */
export interface FileColumns {
  readonly path: string
  /** The columns of its rows, or of the first of them. */
  readonly columns: readonly string[]
  /** Whether each row says which columns it has. */
  readonly isLoose: boolean
}

/** How columns of files become columns of the ledger. */
export interface ColumnPlan {
  /** Every column that the files have, or may have. */
  readonly fileColumns: readonly string[]
  /** By column of the ledger; of one that is not here there are no values. */
  readonly sources: ReadonlyMap<string, PlannedSource>
}

/** The place of a column in `fileColumns`, or the same value for every row. */
export type PlannedSource = number | { readonly constant: string }

/** Whether a column of the ledger must have a value. */
export function isRequired(columns: LedgerColumns, name: string): boolean {
  return !columns[name]?.type.includes('Nullable(') && name !== 'row_version'
}

/**
 * Finds a column of the files for every column of the ledger. Throws `ledger` with a line for each column that is
 * missing, that nobody asked for, or that is for card numbers: nothing is left out silently.
 */
export function planColumns(
  table: LedgerTable,
  mapping: Mapping,
  files: readonly FileColumns[],
): ColumnPlan {
  const ledger: LedgerColumns = LEDGER_TABLES[table]
  const wanted = Object.keys(ledger).flatMap((name) => wantedColumn(ledger, name, mapping))
  const known = new Set([...wanted.map(({ column }) => column), ...mapping.ignore])
  const faults = files.flatMap(({ path, columns, isLoose }) => {
    if (isLoose) return []
    return [...faultsOf(columns, known), ...missingOf(columns, wanted)].map(
      (fault) => `${path}: ${fault}`,
    )
  })
  if (faults.length > 0) throw new GatewayError('ledger', faults.join('\n'))
  // Of loose rows the first one tells whether there are versions: a time must not stand in for one that was forgotten.
  const versions = wanted.find(({ name }) => name === 'row_version')?.column
  const fileColumns = [
    ...new Set(
      files.flatMap(({ columns, isLoose }) => {
        if (!isLoose) return columns
        return [...known].filter((column) => column !== versions || columns.includes(column))
      }),
    ),
  ]
  const sources = new Map<string, PlannedSource>()
  for (const name of Object.keys(ledger)) {
    const source = mapping.columns[name]
    const column = wanted.find((found) => found.name === name)?.column
    if (typeof source === 'object') sources.set(name, source)
    else if (column !== undefined && fileColumns.includes(column)) {
      sources.set(name, fileColumns.indexOf(column))
    }
  }
  return { fileColumns, sources }
}

/** The column of the files that a column of the ledger comes from, and whether it must be there. */
interface WantedColumn {
  readonly name: string
  readonly column: string
  readonly isMust: boolean
}

function wantedColumn(ledger: LedgerColumns, name: string, mapping: Mapping): WantedColumn[] {
  const source = mapping.columns[name]
  if (typeof source === 'object') return []
  if (source !== undefined) return [{ name, column: source, isMust: true }]
  const isMust = isRequired(ledger, name)
  return mapping.ignore.includes(name) && !isMust ? [] : [{ name, column: name, isMust }]
}

function faultsOf(columns: readonly string[], known: ReadonlySet<string>): readonly string[] {
  return columns.flatMap((column, index) => {
    const told = `column ${index + 1}${isTame(column) ? ` "${column}"` : ''}`
    const cardFault = cardColumnFault(column)
    if (cardFault !== undefined) return [`${told}: ${cardFault}`]
    if (columns.indexOf(column) < index) return [`${told}: expected each column once`]
    if (known.has(column)) return []
    const nearest = isTame(column) ? nearestName(column, [...known]) : undefined
    const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
    return [
      `${told}: expected a column of the ledger, or one that the mapping names under "columns" or "ignore"${hint}`,
    ]
  })
}

function missingOf(columns: readonly string[], wanted: readonly WantedColumn[]): readonly string[] {
  return wanted
    .filter(({ column, isMust }) => isMust && !columns.includes(column))
    .map(
      ({ name, column }) => `expected a column "${column}"${name === column ? '' : ` for ${name}`}`,
    )
}
