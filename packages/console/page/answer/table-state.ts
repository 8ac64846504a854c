import { batch, type Signal, signal } from '@preact/signals'
import { toTsv } from './columns.ts'
import { holds, searchRows, type SearchResult } from './row-store.ts'
import type { LoadedRows } from './rows.ts'
import { scrollTopFor, type TableSize, type TableWindow, windowAt } from './table-window.ts'

/** Rows that one copy takes, because the clipboard holds them as one text. */
export const COPIED_ROWS_MAX = 100_000

/** What a person does with a table: where they look, what they select, what they search. */
export interface TableState {
  readonly rows: LoadedRows
  readonly scrollTop: Signal<number>
  readonly viewPx: Signal<number>
  readonly active: Signal<{ readonly row: number; readonly column: number }>
  /** The other end of the selection. */
  readonly anchor: Signal<number>
  /** In lower case. */
  readonly query: Signal<string>
  readonly found: Signal<SearchResult>
  /** What the last copy took, or why it failed. */
  readonly copied: Signal<number | Error | undefined>
}

const NOTHING: SearchResult = { hits: [], searched: 0, isDone: true }

/** Creates the state of a table that nobody has touched. */
export function createTableState(rows: LoadedRows): TableState {
  return {
    rows,
    scrollTop: signal(0),
    viewPx: signal(0),
    active: signal({ row: 0, column: 0 }),
    anchor: signal(0),
    query: signal(''),
    found: signal(NOTHING),
    copied: signal(undefined),
  }
}

/** The number of rows, as far as the page shows it. */
export function countRows({ rows }: TableState): number {
  return rows.transfer.end.value ? rows.store.length : rows.transfer.progress.value.rows
}

/** Returns what the table shows. */
export function shownRows(state: TableState): TableWindow {
  return windowAt(sizeOf(state), state.scrollTop.value)
}

/** Makes a cell the active one, and scrolls so that it is in view. */
export function goTo(state: TableState, row: number, column: number, extend = false): void {
  const to = Math.max(0, Math.min(row, countRows(state) - 1))
  const columns = state.rows.columns.value.length
  batch(() => {
    state.active.value = { row: to, column: Math.max(0, Math.min(column, columns - 1)) }
    if (!extend) state.anchor.value = to
    state.scrollTop.value = scrollTopFor(sizeOf(state), state.scrollTop.value, to)
  })
}

/** The first and the last row of the selection. */
export function selectionOf({ active, anchor }: TableState): readonly [number, number] {
  const { row } = active.value
  return [Math.min(row, anchor.value), Math.max(row, anchor.value)]
}

/** Selects all rows. */
export function selectAll(state: TableState): void {
  batch(() => {
    state.anchor.value = 0
    state.active.value = { ...state.active.value, row: countRows(state) - 1 }
  })
}

/** Copies rows as tab-separated values. */
export async function copyRows(state: TableState, first: number, last: number): Promise<void> {
  const { store, columns } = state.rows
  const count = Math.min(last - first + 1, COPIED_ROWS_MAX)
  const cells = Array.from({ length: count }, (_, index) => store.cells(first + index))
  try {
    await navigator.clipboard.writeText(toTsv(columns.value, cells))
    state.copied.value = count
  } catch (error) {
    state.copied.value = error instanceof Error ? error : new Error(String(error))
  }
}

/** Searches the rows, and goes to the first hit. A new search ends the one before. */
export async function search(state: TableState, text: string): Promise<void> {
  const query = text.toLowerCase()
  state.query.value = query
  state.found.value = NOTHING
  if (query === '') return
  let isFirst = true
  for await (const found of searchRows(state.rows.store, query)) {
    if (state.query.value !== query) return
    state.found.value = found
    if (isFirst && found.hits.length > 0) {
      goToHit(state, found.hits[0])
      isFirst = false
    }
  }
}

/** Goes to the next or the previous hit after the active row, and from the last to the first. */
export function goToNextHit(state: TableState, step: 1 | -1): void {
  const { hits } = state.found.value
  const { row } = state.active.value
  const next = step === 1 ? hits.find((hit) => hit > row) : hits.findLast((hit) => hit < row)
  goToHit(state, next ?? hits.at(step === 1 ? 0 : -1))
}

function goToHit(state: TableState, row: number | undefined): void {
  if (row === undefined) return
  const column = state.rows.store.cells(row).findIndex((cell) => holds(cell, state.query.value))
  goTo(state, row, column)
}

function sizeOf(state: TableState): TableSize {
  return { rows: countRows(state), viewPx: state.viewPx.value }
}
