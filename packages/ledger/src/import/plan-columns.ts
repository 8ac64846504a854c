import { nearestName } from '@counterfoil/protocol'
import { GatewayError, LIMITS } from '@counterfoil/common'
import { type LedgerColumns, LEDGER_TABLES, type LedgerTable } from '../model/model.ts'
import { cardColumnFault, isTame } from './card-numbers.ts'
import type { Mapping } from './mapping.ts'

/** A file and its columns. */
export interface FileColumns {
  readonly path: string
  /** The columns of all rows, or of the first row of a loose file. */
  readonly columns: readonly string[]
  /** Whether each row names its own columns. */
  readonly isLoose: boolean
}

/** How columns of files become columns of the ledger. */
export interface ColumnPlan {
  /** Every column that the files have, or may have. */
  readonly fileColumns: readonly string[]
  /** By ledger column. A column that is missing here has no values. */
  readonly sources: ReadonlyMap<string, PlannedSource>
}

/** The index of a column in `fileColumns`, or one value for every row. */
export type PlannedSource = number | { readonly constant: string }

/** Whether a ledger column must have a value. */
export function isRequired(columns: LedgerColumns, name: string): boolean {
  return !columns[name]?.type.includes('Nullable(') && name !== 'row_version'
}

/**
 * Finds a file column for every ledger column.
 *
 * @throws {GatewayError} `ledger` with a line for each column that is missing, unknown, or for card numbers: nothing is
 *   left out silently
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
  if (faults.length > 0) throw new GatewayError('ledger', listed(faults))
  // The first row of a loose file decides whether its rows have versions. A time must not replace a version that one
  // row lacks.
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
    const column = wanted.find((other) => other.name === name)?.column
    if (typeof source === 'object') sources.set(name, source)
    else if (column !== undefined && fileColumns.includes(column)) {
      sources.set(name, fileColumns.indexOf(column))
    }
  }
  return { fileColumns, sources }
}

function listed(faults: readonly string[]): string {
  const others = faults.length - LIMITS.faultsShownMax
  const shown = faults.slice(0, LIMITS.faultsShownMax)
  return [...shown, ...(others > 0 ? [`… and ${others} more`] : [])].join('\n')
}

/** The file column of a ledger column, and whether the file must have it. */
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
  const seen = new Set<string>()
  return columns.flatMap((column, index) => {
    const label = `column ${index + 1}${isTame(column) ? ` "${column}"` : ''}`
    const cardFault = cardColumnFault(column)
    if (cardFault !== undefined) return [`${label}: ${cardFault}`]
    if (seen.has(column)) return [`${label}: expected each column once`]
    seen.add(column)
    if (known.has(column)) return []
    const nearest = isTame(column) ? nearestName(column, [...known]) : undefined
    const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
    return [
      `${label}: expected a column of the ledger, or one that the mapping names under "columns" or "ignore"${hint}`,
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
