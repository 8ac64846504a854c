import type { Cell } from './columns.ts'

type OnRow = (row: Readonly<Record<string, Cell>>) => boolean

/**
 * Creates a reader of JSON lines, whose chunks may end anywhere. It passes on the rows that a chunk completes until
 * `onRow` returns false, and returns whether it did not. The client compares the bytes with the gateway's digest, so a
 * row is what it says.
 */
export function createLineReader(): (chunk: Uint8Array, onRow: OnRow) => boolean {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk, onRow) => {
    const text = rest + decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const row = JSON.parse(text.slice(start, end)) as Readonly<Record<string, Cell>>
      start = end + 1
      if (!onRow(row)) return false
    }
    rest = text.slice(start)
    return true
  }
}

/** Rows as UTF-8 text in a few large pieces of memory: a million objects would take five times as much. */
export interface RowStore {
  readonly length: number
  /** The memory of the rows. */
  readonly bytes: number
  append(cells: readonly Cell[]): void
  /** Returns the cells of a row. */
  cells(index: number): readonly Cell[]
  /** Returns the cells of a row as the text of a JSON array, for a search. */
  text(index: number): string
}

interface Page {
  readonly bytes: Uint8Array
  readonly firstRow: number
  /** Where each row ends. */
  readonly ends: number[]
}

const PAGE_BYTES = 1 << 20

/** Creates a store without rows. */
export function createRowStore(): RowStore {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const pages: Page[] = []
  let length = 0
  let bytes = 0

  const write = (page: Page | undefined, text: string): boolean => {
    if (!page) return false
    const start = page.ends.at(-1) ?? 0
    const { read, written } = encoder.encodeInto(text, page.bytes.subarray(start))
    if (read < text.length) return false
    page.ends.push(start + written)
    return true
  }
  const text = (index: number): string => {
    const page = pages.findLast(({ firstRow }) => firstRow <= index)
    const row = index - (page?.firstRow ?? 0)
    return decoder.decode(page?.bytes.subarray(page.ends[row - 1] ?? 0, page.ends[row]))
  }
  return {
    get length() {
      return length
    },
    get bytes() {
      return bytes
    },
    append(cells) {
      const line = JSON.stringify(cells)
      if (!write(pages.at(-1), line)) {
        // A character has up to three bytes of UTF-8.
        const memory = new Uint8Array(Math.max(PAGE_BYTES, 3 * line.length))
        const page = { bytes: memory, firstRow: length, ends: [] }
        pages.push(page)
        bytes += memory.length
        write(page, line)
      }
      length += 1
    },
    cells(index) {
      // `append` wrote it.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return JSON.parse(text(index)) as readonly Cell[]
    },
    text,
  }
}

/** Longer slices of a search would keep the page from scrolling. */
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
