import type { PdfObjects } from './pdf-objects.ts'
import { pdfNumber, pdfRef, pdfText } from './pdf-values.ts'

interface Bookmark {
  readonly title: string
  readonly page: number
  /** The place on the page, in points from its bottom. */
  readonly top: number
  readonly under: Bookmark[]
}

/** The bookmarks of a document, in two levels. */
export class Outline {
  readonly #top: Bookmark[] = []

  /** Adds a bookmark. A bookmark of level 2 belongs to the last one of level 1. */
  add(level: 1 | 2, title: string, page: number, top: number): void {
    const siblings = level === 2 ? this.#top.at(-1)?.under : undefined
    const target = siblings ?? this.#top
    target.push({ title, page, top, under: [] })
  }

  /** Writes the bookmarks, and returns the object of their root. Without bookmarks, there is none. */
  write(objects: PdfObjects): number | undefined {
    if (this.#top.length === 0) return undefined
    const root = objects.reserve()
    const { first, last } = writeSiblings(objects, this.#top, root)
    const count = this.#top.length
    objects.write(
      `<</Type/Outlines/First ${pdfRef(first)}/Last ${pdfRef(last)}/Count ${count}>>`,
      root,
    )
    return root
  }
}

function writeSiblings(
  objects: PdfObjects,
  siblings: readonly Bookmark[],
  parent: number,
): { readonly first: number; readonly last: number } {
  const numbers = siblings.map(() => objects.reserve())
  for (const [index, { title, page, top, under }] of siblings.entries()) {
    const object = numbers[index] ?? objects.reserve()
    const [before, after] = [numbers[index - 1], numbers[index + 1]]
    const links = [
      `/Title ${pdfText(title)}/Parent ${pdfRef(parent)}`,
      `/Dest[${pdfRef(page)}/XYZ null ${pdfNumber(top)} null]`,
      before === undefined ? '' : `/Prev ${pdfRef(before)}`,
      after === undefined ? '' : `/Next ${pdfRef(after)}`,
    ]
    if (under.length > 0) {
      const { first, last } = writeSiblings(objects, under, object)
      // A negative count says that a reader shows the bookmark closed.
      links.push(`/First ${pdfRef(first)}/Last ${pdfRef(last)}/Count -${under.length}`)
    }
    objects.write(`<<${links.join('')}>>`, object)
  }
  return { first: numbers[0] ?? parent, last: numbers.at(-1) ?? parent }
}
