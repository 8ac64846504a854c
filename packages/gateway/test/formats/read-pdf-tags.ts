import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A part of a page in the structure of a tagged document. */
export interface TaggedPart {
  readonly role: string
  readonly text: string
  /** Which cells the header of a table belongs to, such as `Column`. */
  readonly scope: string | undefined
  readonly parts: readonly TaggedPart[]
}

/** A page of a tagged document. */
export interface TaggedPage extends TaggedPart {
  /** The texts that a screen reader skips, such as the number of the page. */
  readonly artifacts: readonly string[]
  /** The texts that are in no part of the structure and in no artifact. */
  readonly untagged: readonly string[]
}

/** The structure of a document, as another program reads it. */
export interface PdfTags {
  readonly isTagged: boolean
  readonly showsTitle: boolean
  readonly metadata: string
  readonly keywords: unknown
  readonly language: unknown
  readonly pages: readonly TaggedPage[]
}

interface Node {
  readonly role?: string
  readonly type?: string
  readonly id?: string
  readonly scope?: string | undefined
  readonly children?: readonly Node[]
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>

/** Reads the structure of each page with pdf.js. */
export async function readPdfTags(bytes: Uint8Array): Promise<PdfTags> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0 })
  const document = await task.promise
  const pages: TaggedPage[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    pages.push(await readPage(await document.getPage(number)))
  }
  const { info, metadata } = await document.getMetadata()
  // The package's types say that these are objects.
  const preferences: unknown = await document.getViewerPreferences()
  const marks: unknown = await document.getMarkInfo()
  const read = {
    isTagged: marks instanceof Map && marks.get('Marked') === true,
    showsTitle: preferences instanceof Map && preferences.get('DisplayDocTitle') === true,
    metadata: metadata?.getRaw() ?? '',
    keywords: 'Keywords' in info ? info.Keywords : undefined,
    language: 'Language' in info ? info.Language : undefined,
    pages,
  }
  await task.destroy()
  return read
}

async function readPage(page: Page): Promise<TaggedPage> {
  const { items } = await page.getTextContent({ includeMarkedContent: true })
  const texts = new Map<string, string>()
  const artifacts: string[] = []
  const untagged: string[] = []
  const open: { readonly id: unknown; readonly tag: unknown }[] = []
  for (const item of items) {
    if (!('str' in item)) {
      if (item.type === 'endMarkedContent') open.pop()
      else open.push({ id: 'id' in item && item.id, tag: 'tag' in item && item.tag })
      continue
    }
    const { id, tag } = open.at(-1) ?? {}
    if (typeof id === 'string') texts.set(id, (texts.get(id) ?? '') + item.str)
    else if (item.str.trim() !== '') (tag === 'Artifact' ? artifacts : untagged).push(item.str)
  }
  const tree: Node = (await page.getStructTree()) ?? {}
  const part = readPart(tree, texts)
  // `readPart` takes the texts of the structure.
  return { ...part, artifacts, untagged: [...untagged, ...texts.values()] }
}

/** Reads a part with the texts of its marked content, and removes them from `texts`. */
function readPart(
  { role = '', scope, children = [] }: Node,
  texts: Map<string, string>,
): TaggedPart {
  const own = children.filter(({ type }) => type === 'content').map(({ id = '' }) => id)
  const text = own.map((id) => texts.get(id)?.trim() ?? '').join(' ')
  for (const id of own) texts.delete(id)
  const parts = children.filter(({ type }) => type !== 'content')
  return { role, text, scope, parts: parts.map((child) => readPart(child, texts)) }
}

/** Returns the parts of a role, at any depth. */
export function partsOf(part: TaggedPart, role: string): readonly TaggedPart[] {
  return part.role === role ? [part] : part.parts.flatMap((inner) => partsOf(inner, role))
}
