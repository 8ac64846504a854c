import type { PdfDocument } from '../document/pdf-document.ts'
import type { StructureElement } from '../document/structure-tree.ts'

/** The cells of a row, by the field of their column. */
export interface RowTags {
  readonly cells: readonly StructureElement[]
  readonly end: () => void
}

// Says that a header belongs to its column.
const COLUMN_SCOPE = '/A<</O/Table/Scope/Column>>'

/**
 * The structure of a table in a tagged document. The rows of each page are a table of their own, below titles: some
 * readers build the complete table again for every page that shows a part of it.
 */
export class TableTags {
  readonly #document: PdfDocument
  readonly #columns: number
  #table: StructureElement | undefined

  constructor(document: PdfDocument, columns: number) {
    this.#document = document
    this.#columns = columns
  }

  /** Begins the table of a page, with the row of titles. */
  header(): RowTags | undefined {
    this.#document.structure?.close(this.#table)
    this.#table = this.#document.structure?.open('Table')
    return this.#row('TH', COLUMN_SCOPE)
  }

  /** Begins a row. */
  row(): RowTags | undefined {
    return this.#row('TD', '')
  }

  #row(type: 'TH' | 'TD', entries: string): RowTags | undefined {
    const tree = this.#document.structure
    if (!tree) return undefined
    const row = tree.open('TR', this.#table)
    // A row has a cell for each column, even without a text.
    const cells = Array.from({ length: this.#columns }, () => tree.open(type, row, entries))
    const end = (): void => {
      for (const cell of cells) tree.close(cell)
      tree.close(row)
    }
    return { cells, end }
  }
}
