import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A part of a page in the structure of a tagged document. */
export interface TaggedPart {
  readonly role: string
  readonly text: string
  readonly parts: readonly TaggedPart[]
}

/** The structure of a document, as another program reads it. */
export interface PdfTags {
  readonly isTagged: boolean
  readonly metadata: string
  readonly keywords: unknown
  readonly pages: readonly TaggedPart[]
}

interface Node {
  readonly role?: string
  readonly type?: string
  readonly id?: string
  readonly children?: readonly Node[]
}

/** Reads the structure of each page with pdf.js. */
export async function readPdfTags(bytes: Uint8Array): Promise<PdfTags> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0 })
  const document = await task.promise
  const pages: TaggedPart[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent({ includeMarkedContent: true })
    const texts = new Map<string, string>()
    const open: string[] = []
    for (const item of items) {
      if ('str' in item) {
        const id = open.at(-1) ?? ''
        texts.set(id, (texts.get(id) ?? '') + item.str)
      } else if (item.type === 'endMarkedContent') {
        open.pop()
      } else {
        open.push('id' in item ? item.id : '')
      }
    }
    const tree: Node | null = await page.getStructTree()
    if (tree) pages.push(partOf(tree, texts))
  }
  const { info, metadata } = await document.getMetadata()
  // The package's types say that this is an object.
  const marks: unknown = await document.getMarkInfo()
  const read = {
    isTagged: marks instanceof Map && marks.get('Marked') === true,
    metadata: metadata?.getRaw() ?? '',
    keywords: 'Keywords' in info ? info.Keywords : undefined,
    pages,
  }
  await task.destroy()
  return read
}

function partOf(
  { role = '', children = [] }: Node,
  texts: ReadonlyMap<string, string>,
): TaggedPart {
  const own = children.filter(({ type }) => type === 'content')
  return {
    role,
    text: own.map(({ id = '' }) => texts.get(id)?.trim() ?? '').join(' '),
    parts: children.filter(({ type }) => type !== 'content').map((child) => partOf(child, texts)),
  }
}

/** Returns the parts of a role, at any depth. */
export function partsOf(part: TaggedPart, role: string): readonly TaggedPart[] {
  return part.role === role ? [part] : part.parts.flatMap((inner) => partsOf(inner, role))
}
