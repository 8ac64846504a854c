import type {
  PdfDocument,
  StructureElement,
  StructureRow,
  StructureTree,
} from '@counterfoil/pdf-writer'

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
  #tree: StructureTree | undefined

  constructor(document: PdfDocument, columns: number) {
    this.#document = document
    this.#columns = columns
  }

  /** Begins the table of a page, with the row of titles. */
  header(): StructureRow | undefined {
    this.#document.structure?.close(this.#table)
    this.#table = this.#document.structure?.open('Table')
    return this.#row('TH', COLUMN_SCOPE)
  }

  /** Begins a row. */
  row(): StructureRow | undefined {
    return this.#row('TD', '')
  }

  /** Ends a row. A document that is full, and so has no structure, still needs the objects of the row. */
  end(row: StructureRow | undefined): void {
    if (row) this.#tree?.closeRow(row)
  }

  #row(type: 'TH' | 'TD', entries: string): StructureRow | undefined {
    const { structure } = this.#document
    if (structure) this.#tree = structure
    // A row has a cell for each column, even without a text.
    return structure?.openRow(type, this.#columns, this.#table, entries)
  }
}
