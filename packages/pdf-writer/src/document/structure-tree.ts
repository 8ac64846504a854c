import type { PdfObjects } from '../objects/pdf-objects.ts'
import { pdfArray, pdfRef } from '../objects/pdf-values.ts'

/** What a part of a document is (ISO 32000-1, 14.8.4). */
export type StructureType = 'Document' | 'H1' | 'H2' | 'P' | 'Table' | 'TR' | 'TH' | 'TD'

/** A part of a document, until it is written. */
export interface StructureElement {
  readonly type: StructureType
  readonly object: number
  readonly parent: number
  /** Further entries of its dictionary. */
  readonly entries: string
  /** Its kids, each after a space. */
  kids: string
  /** The page of its first content. */
  page: number | undefined
}

/** A row of a table with its cells, until it is written. */
export interface StructureRow {
  readonly element: StructureElement
  readonly cells: readonly StructureElement[]
}

/** The marked content of a page. */
export interface PageTags {
  /** The page's key in the tree of parents. */
  readonly key: number
  readonly page: number
  /** References to the element of each marked content, each after a space. */
  elements: string
  count: number
}

// Readers of old versions take no longer arrays in one node.
const NODE_PAGES_MAX = 1000

/**
 * The structure of a tagged document. Elements are written when they close, so that memory holds the open ones and a
 * number for each closed one.
 */
export class StructureTree {
  readonly #objects: PdfObjects
  readonly #rowsMax: number
  readonly #root: number
  readonly #document: StructureElement
  readonly #open = new Set<StructureElement>()
  /** The object with the parents of each page's content, by the page's key. */
  readonly #parents: number[] = []
  #rows = 0

  constructor(objects: PdfObjects, rowsMax: number) {
    this.#objects = objects
    this.#rowsMax = rowsMax
    this.#root = objects.reserve()
    this.#document = this.#add('Document', this.#root, '')
  }

  /** Whether the document has more rows than a tagged document may have. Its file then has no structure. */
  get isFull(): boolean {
    return this.#rows > this.#rowsMax
  }

  /** Begins an element after the other kids of its parent. */
  open(
    type: StructureType,
    parent: StructureElement = this.#document,
    entries = '',
  ): StructureElement {
    const element = this.#add(type, parent.object, entries)
    parent.kids += ` ${pdfRef(element.object)}`
    return element
  }

  /** Ends an element, and writes it. */
  close(element: StructureElement | undefined): void {
    if (element && this.#open.delete(element)) this.#write(element)
  }

  /** Begins a row of a table with `columns` cells. `closeRow` ends it. */
  openRow(
    type: 'TH' | 'TD',
    columns: number,
    table: StructureElement = this.#document,
    entries = '',
  ): StructureRow {
    this.#rows += 1
    const element = this.#element('TR', table.object, '')
    table.kids += ` ${pdfRef(element.object)}`
    const cells: StructureElement[] = []
    for (let column = 0; column < columns; column += 1) {
      const cell = this.#element(type, element.object, entries)
      element.kids += ` ${pdfRef(cell.object)}`
      cells.push(cell)
    }
    return { element, cells }
  }

  /** Ends a row with its cells, and writes them. */
  closeRow({ element, cells }: StructureRow): void {
    for (const cell of cells) this.#write(cell)
    this.#write(element)
  }

  /** Begins the marked content of a page. */
  beginPage(page: number): PageTags {
    const key = this.#parents.push(this.#objects.reserve()) - 1
    return { key, page, elements: '', count: 0 }
  }

  /** Ends a page. */
  endPage({ key, elements }: PageTags): void {
    this.#objects.writePacked(`[${elements}]`, this.#parents[key] ?? 0)
  }

  /** Writes the tree, with all elements that are open, and returns its object. */
  write(): number {
    for (const element of this.#open) this.close(element)
    const nodes: string[] = []
    for (let start = 0; start < this.#parents.length; start += NODE_PAGES_MAX) {
      const some = this.#parents.slice(start, start + NODE_PAGES_MAX)
      const entries = some.map((object, index) => `${start + index} ${pdfRef(object)}`)
      const limits = `/Limits[${start} ${start + some.length - 1}]`
      nodes.push(pdfRef(this.#objects.write(`<<${limits}/Nums${pdfArray(entries)}>>`)))
    }
    const parents = this.#objects.write(`<</Kids${pdfArray(nodes)}>>`)
    return this.#objects.write(
      `<</Type/StructTreeRoot/K ${pdfRef(this.#document.object)}/ParentTree ${pdfRef(parents)}` +
        `/ParentTreeNextKey ${this.#parents.length}>>`,
      this.#root,
    )
  }

  #add(type: StructureType, parent: number, entries: string): StructureElement {
    const element = this.#element(type, parent, entries)
    this.#open.add(element)
    return element
  }

  #element(type: StructureType, parent: number, entries: string): StructureElement {
    return { type, object: this.#objects.reserve(), parent, entries, kids: '', page: undefined }
  }

  #write({ type, object, parent, page, entries, kids }: StructureElement): void {
    const place = page === undefined ? '' : `/Pg ${pdfRef(page)}`
    // A cell is a single number as a rule, which needs no list.
    const isList = kids.includes(' ', 1)
    const content = kids === '' ? '' : `/K${isList ? `[${kids}]` : kids}`
    this.#objects.writePacked(
      `<</Type/StructElem/S/${type}/P ${pdfRef(parent)}${place}${entries}${content}>>`,
      object,
    )
  }
}

/** Begins shapes that belong to no element, such as rules. */
export const SHAPES_MARK = '/Artifact BMC\n'

/** Texts of a page that belong to no element: those above and below its content (ISO 14289-1, 7.8). */
export type Furniture = 'Header' | 'Footer'

/** Begin texts that belong to no element. */
export const FURNITURE_MARKS: Readonly<Record<Furniture, string>> = {
  Header: '/Artifact<</Type/Pagination/Subtype/Header>>BDC\n',
  Footer: '/Artifact<</Type/Pagination/Subtype/Footer>>BDC\n',
}

/** Marks content of a page as a part of an element, and returns the operator that begins the content. */
export function markContent(tags: PageTags, element: StructureElement): string {
  const id = tags.count
  tags.count += 1
  tags.elements += ` ${pdfRef(element.object)}`
  element.page ??= tags.page
  element.kids += element.page === tags.page ? ` ${id}` : contentOn(tags.page, id)
  return `/${element.type}<</MCID ${id}>>BDC\n`
}

function contentOn(page: number, id: number): string {
  return `<</Type/MCR/Pg ${pdfRef(page)}/MCID ${id}>>`
}
