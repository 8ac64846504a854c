import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Reads the lines of each page with pdf.js: the texts with the same base line, from left to right. */
export async function readPdfRows(
  bytes: Uint8Array,
): Promise<readonly (readonly (readonly string[])[])[]> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0 })
  const document = await task.promise
  const pages: (readonly (readonly string[])[])[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent()
    const lines = new Map<number, { readonly x: number; readonly text: string }[]>()
    for (const item of items) {
      if (!('str' in item) || item.str.trim() === '') continue
      const [x, y] = [Number(item.transform[4]), Math.round(Number(item.transform[5]))]
      lines.set(y, [...(lines.get(y) ?? []), { x, text: item.str }])
    }
    const fromTop = [...lines].toSorted(([a], [b]) => b - a)
    pages.push(
      fromTop.map(([, line]) => line.toSorted((a, b) => a.x - b.x).map(({ text }) => text)),
    )
  }
  await task.destroy()
  return pages
}

/** Returns a number without the spaces between its digits. Other texts do not change. */
export function ungrouped(text: string): string {
  return /^-?\d{1,3}(?:\s\d{3})+(?:[.,]\d+)?$/.test(text) ? text.replaceAll(/\s/g, '') : text
}
