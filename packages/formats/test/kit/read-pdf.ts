import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A page as another program reads it. */
export interface ReadPage {
  /** The texts in the order of the file. */
  readonly texts: readonly string[]
  readonly width: number
  readonly height: number
}

/** A bookmark, and the index of its page. */
export interface ReadBookmark {
  readonly title: string
  readonly page: number
  readonly under: readonly ReadBookmark[]
}

/** A PDF document as another program reads it. */
export interface ReadPdf {
  readonly pages: readonly ReadPage[]
  readonly bookmarks: readonly ReadBookmark[]
  readonly info: Readonly<Record<string, unknown>>
  readonly language: string
}

type Document = Awaited<ReturnType<typeof getDocument>['promise']>
type Outline = Awaited<ReturnType<Document['getOutline']>>

/** Reads a PDF document with pdf.js. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0 })
  const document = await task.promise
  const pages: ReadPage[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    const { width, height } = page.getViewport({ scale: 1 })
    const texts = items.flatMap((item) => ('str' in item && item.str.trim() ? [item.str] : []))
    pages.push({ texts, width, height })
  }
  const { info } = await document.getMetadata()
  const read = {
    pages,
    bookmarks: await bookmarksOf(document, (await document.getOutline()) ?? []),
    info: { ...info },
    language: 'Language' in info ? String(info.Language) : '',
  }
  await task.destroy()
  return read
}

async function bookmarksOf(document: Document, outline: Outline): Promise<readonly ReadBookmark[]> {
  const bookmarks: ReadBookmark[] = []
  for (const { title, dest, items } of outline) {
    const page = Array.isArray(dest) ? await document.getPageIndex(dest[0]) : -1
    bookmarks.push({ title, page, under: await bookmarksOf(document, items) })
  }
  return bookmarks
}
