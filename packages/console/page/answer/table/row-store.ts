import type { Cell } from './json-lines.ts'

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
    const page = pages[pageOf(pages, index)]
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

/** Finds the page of a row by bisection. */
function pageOf(pages: readonly Page[], index: number): number {
  let low = 0
  let high = pages.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pages[middle]?.firstRow ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}
