import { inflateSync } from 'node:zlib'

/** A page of a document, and how many nodes of the tree are above it. */
interface PageNode {
  readonly object: number
  readonly depth: number
}

/**
 * Reads the objects of a PDF file strictly: each must begin at its place, have its length and end. Readers of PDF mend
 * a wrong place silently.
 *
 * @throws an Error that names the fault
 */
export function readObjects(bytes: Buffer): {
  readonly objects: ReadonlyMap<number, string>
  readonly pages: readonly PageNode[]
} {
  const text = bytes.toString('latin1')
  const [, start = ''] = /startxref\n(\d+)\n%%EOF\n$/.exec(text) ?? fail('the end')
  const table = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [nf]\r\n)+)trailer\n(.*)\n/.exec(
    text.slice(Number(start)),
  )
  const [, size = '', entries = '', trailer = ''] = table ?? fail('the table')
  const places = entries.split('\r\n').slice(0, -1)
  if (places.length !== Number(size)) fail('the size of the table')
  if (!trailer.includes(`/Size ${size}/`)) fail('the size in the trailer')
  const objects = new Map<number, string>()
  for (const [object, entry] of places.entries()) {
    if (object > 0) objects.set(object, readObject(bytes, text, object, Number(entry.slice(0, 10))))
  }
  const root = referenceIn(trailer, 'Root')
  const tree = referenceIn(objects.get(root) ?? '', 'Pages')
  return { objects, pages: pagesUnder(objects, tree, undefined, 0).pages }
}

function readObject(bytes: Buffer, text: string, object: number, place: number): string {
  const head = `${object} 0 obj\n`
  if (!text.startsWith(head, place)) fail(`the place of object ${object}`)
  const start = place + head.length
  const lineEnd = text.indexOf('\n', start)
  const [, length] = /\/Length (\d+)>>$/.exec(text.slice(start, lineEnd)) ?? []
  if (length === undefined || !text.startsWith('stream\n', lineEnd + 1)) {
    const end = text.indexOf('\nendobj\n', start)
    return text.slice(start, end)
  }
  const content = lineEnd + 1 + 'stream\n'.length
  const end = content + Number(length)
  if (!text.startsWith('\nendstream\nendobj\n', end)) fail(`the stream of object ${object}`)
  const dictionary = text.slice(start, lineEnd)
  if (dictionary.includes('/FlateDecode')) inflateSync(bytes.subarray(content, end))
  return dictionary
}

function pagesUnder(
  objects: ReadonlyMap<number, string>,
  object: number,
  parent: number | undefined,
  depth: number,
): { readonly pages: readonly PageNode[] } {
  const node = objects.get(object) ?? ''
  const above = /\/Parent (\d+) 0 R/.exec(node)?.[1]
  if (above !== (parent === undefined ? undefined : String(parent))) fail(`the parent of ${object}`)
  if (node.startsWith('<</Type/Page/')) return { pages: [{ object, depth }] }
  const [, list = ''] = /\/Kids\[([^\]]*)\]/.exec(node) ?? fail(`the kids of ${object}`)
  const kids = [...list.matchAll(/(\d+) 0 R/g)].map(([, kid]) => Number(kid))
  const pages = kids.flatMap((kid) => pagesUnder(objects, kid, object, depth + 1).pages)
  if (!node.includes(`/Count ${pages.length}/`)) fail(`the count of ${object}`)
  return { pages }
}

function referenceIn(dictionary: string, name: string): number {
  const [, object] = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary) ?? fail(name)
  return Number(object)
}

function fail(what: string): never {
  throw new Error(`The PDF file has a fault: ${what}.`)
}
