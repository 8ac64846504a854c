import type { PdfObjects } from './pdf-objects.ts'
import { pdfArray, pdfRef } from './pdf-values.ts'

// A reader finds a page of a million by reading four nodes.
const KIDS_MAX = 32

interface TreeNode {
  readonly object: number
  readonly kids: readonly number[]
  readonly pages: number
}

/** The tree of a document's pages. A page knows its parent when it is written. The nodes are written at the end. */
export class PageTree {
  readonly #objects: PdfObjects
  readonly #leaves: { readonly object: number; readonly kids: number[] }[] = []
  #pages = 0

  constructor(objects: PdfObjects) {
    this.#objects = objects
  }

  get pages(): number {
    return this.#pages
  }

  /** Adds a page, and returns the object of its parent. */
  add(page: number): number {
    const last = this.#leaves.at(-1)
    const leaf =
      last && last.kids.length < KIDS_MAX ? last : { object: this.#objects.reserve(), kids: [] }
    if (leaf !== last) this.#leaves.push(leaf)
    leaf.kids.push(page)
    this.#pages += 1
    return leaf.object
  }

  /** Writes the nodes, and returns the object of the root. */
  write(): number {
    let level: readonly TreeNode[] = this.#leaves.map(({ object, kids }) => {
      return { object, kids, pages: kids.length }
    })
    while (level.length > 1) level = this.#writeUnderParents(level)
    const root = level[0] ?? { object: this.#objects.reserve(), kids: [], pages: 0 }
    this.#writeNode(root, undefined)
    return root.object
  }

  #writeUnderParents(level: readonly TreeNode[]): readonly TreeNode[] {
    const parents: TreeNode[] = []
    for (let start = 0; start < level.length; start += KIDS_MAX) {
      const children = level.slice(start, start + KIDS_MAX)
      const object = this.#objects.reserve()
      for (const child of children) this.#writeNode(child, object)
      const pages = children.reduce((sum, child) => sum + child.pages, 0)
      parents.push({ object, kids: children.map((child) => child.object), pages })
    }
    return parents
  }

  #writeNode({ object, kids, pages }: TreeNode, parent: number | undefined): void {
    const above = parent === undefined ? '' : `/Parent ${pdfRef(parent)}`
    this.#objects.write(
      `<</Type/Pages${above}/Count ${pages}/Kids${pdfArray(kids.map(pdfRef))}>>`,
      object,
    )
  }
}
