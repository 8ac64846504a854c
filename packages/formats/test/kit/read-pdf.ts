import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A page as another program reads it. */
export interface ReadPage {
  /** The texts in the order of the file. */
  readonly texts: readonly string[]
  readonly width: number
  readonly height: number
}

/** A PDF document as another program reads it. */
export interface ReadPdf {
  readonly pages: readonly ReadPage[]
  /** Their titles. */
  readonly bookmarks: readonly string[]
  readonly info: Readonly<Record<string, unknown>>
  readonly language: string
}

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
    bookmarks: ((await document.getOutline()) ?? []).map(({ title }) => title),
    info: { ...info },
    language: 'Language' in info ? String(info.Language) : '',
  }
  await task.destroy()
  return read
}
