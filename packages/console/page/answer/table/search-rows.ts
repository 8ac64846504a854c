import type { Cell } from './json-lines.ts'
import type { RowStore } from './row-store.ts'

/** Longer slices would keep the page from scrolling. */
const SLICE_MS = 8

/** What a search has found so far. */
export interface SearchResult {
  /** The rows with a cell that holds the text. */
  readonly hits: readonly number[]
  readonly searched: number
  readonly isDone: boolean
}

/**
 * Searches all rows for a text in one of their cells, in any case. Yields what it has found after every slice, so that
 * the page stays responsive.
 *
 * @param query in lower case
 */
export async function* searchRows(store: RowStore, query: string): AsyncGenerator<SearchResult> {
  // A row is the text of a JSON array, in which some characters are escaped.
  const escaped = JSON.stringify(query).slice(1, -1).toLowerCase()
  const hits: number[] = []
  let row = 0
  while (row < store.length) {
    const until = performance.now() + SLICE_MS
    for (; row < store.length && performance.now() < until; row += 1) {
      if (!store.text(row).toLowerCase().includes(escaped)) continue
      if (store.cells(row).some((cell) => holds(cell, query))) hits.push(row)
    }
    yield { hits, searched: row, isDone: row >= store.length }
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** Whether a cell holds a text, which is in lower case. */
export function holds(cell: Cell, query: string): boolean {
  return cell !== null && String(cell).toLowerCase().includes(query)
}
