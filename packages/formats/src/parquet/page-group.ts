import type { Page } from './read-pages.ts'

// Readers are fast with a row group of this size. It stays in memory until it is complete.
const ROWS = 131_072
const BYTES = 8 * 1024 * 1024

/** The pages of a column in a row group. */
export interface ColumnChunk {
  readonly bytes: Uint8Array
  readonly uncompressedBytes: number
}

/** Collects the pages of a row group. The engine writes a page of each column in turn, with the same number of rows. */
export class PageGroup {
  readonly #width: number
  #columns: Page[][]
  #nextColumn = 0
  #rows = 0
  #bytes = 0

  /** @param width the number of columns */
  constructor(width: number) {
    this.#width = width
    this.#columns = emptyColumns(width)
  }

  /** Whether the group has no pages. */
  get isEmpty(): boolean {
    return this.#rows === 0 && this.#nextColumn === 0
  }

  /** Whether the group is large enough to be written. */
  get isFull(): boolean {
    return this.#nextColumn === 0 && (this.#rows >= ROWS || this.#bytes >= BYTES)
  }

  /** Adds the next page. */
  add(page: Page): void {
    const first = this.#nextColumn === 0 ? page : this.#columns[0]?.at(-1)
    if (page.values !== first?.values) {
      throw new Error('The engine wrote pages of different lengths.')
    }
    this.#columns[this.#nextColumn]?.push(page)
    this.#bytes += page.bytes.length
    this.#nextColumn = (this.#nextColumn + 1) % this.#width
    if (this.#nextColumn === 0) this.#rows += page.values
  }

  /** Returns the group, and begins the next one. */
  take(): { readonly rows: number; readonly chunks: readonly ColumnChunk[] } {
    if (this.#nextColumn > 0) throw new Error('The engine wrote a row group without some columns.')
    const taken = { rows: this.#rows, chunks: this.#columns.map(joinPages) }
    this.#columns = emptyColumns(this.#width)
    this.#rows = this.#bytes = 0
    return taken
  }
}

function emptyColumns(width: number): Page[][] {
  return Array.from({ length: width }, () => [])
}

/** Copies the pages, because the reader of a piece owns the piece's memory. */
function joinPages(pages: readonly Page[]): ColumnChunk {
  return {
    bytes: Buffer.concat(pages.map(({ bytes }) => bytes)),
    uncompressedBytes: pages.reduce((sum, page) => sum + page.uncompressedBytes, 0),
  }
}
