import { type PdfDictionary, PdfReference, type PdfValue } from './parse-pdf.ts'
import { nameOf, type PdfFile } from './pdf-file.ts'

/** Marked content that belongs to an element. */
export interface OwnedContent {
  readonly page: number
  readonly id: number
}

/** An element of the structure, such as a row of a table. */
export interface StructureNode {
  readonly object: number
  readonly type: string
  /** The attributes of tables, such as the scope of a header. */
  readonly table: PdfDictionary
  readonly nodes: readonly StructureNode[]
  readonly contents: readonly OwnedContent[]
}

/** Reads the elements below the root of the structure, and adds what is wrong with them. */
export function readStructure(file: PdfFile, faults: string[]): readonly StructureNode[] {
  const root = file.catalog.get('StructTreeRoot')
  const parent = root instanceof PdfReference ? root.object : 0
  return kidsOf(file, file.dictionary(root).get('K')).map((kid) =>
    nodeOf(file, kid, parent, faults),
  )
}

/** Returns this node and all nodes below it, in the order in which a reader meets them. */
export function allNodes(node: StructureNode): readonly StructureNode[] {
  return [node, ...node.nodes.flatMap(allNodes)]
}

function nodeOf(file: PdfFile, kid: PdfValue, parent: number, faults: string[]): StructureNode {
  const entries = file.dictionary(kid)
  const object = kid instanceof PdfReference ? kid.object : 0
  const type = nameOf(entries.get('S')) ?? ''
  if (object === 0) faults.push(`An element ${type} is no object of its own.`)
  const above = entries.get('P')
  if (!(above instanceof PdfReference && above.object === parent)) {
    faults.push(`The element ${object}, ${type}, does not name its parent.`)
  }
  const own = entries.get('Pg')
  const nodes: StructureNode[] = []
  const contents: OwnedContent[] = []
  for (const inner of kidsOf(file, entries.get('K'))) {
    const content = contentOf(file, inner, own)
    if (content) contents.push(content)
    else nodes.push(nodeOf(file, inner, object, faults))
  }
  const attributes = kidsOf(file, entries.get('A')).map((value) => file.dictionary(value))
  const table = attributes.find((one) => nameOf(one.get('O')) === 'Table') ?? new Map()
  return { object, type, table, nodes, contents }
}

function contentOf(
  file: PdfFile,
  kid: PdfValue,
  ownPage: PdfValue | undefined,
): OwnedContent | undefined {
  const entries = file.dictionary(kid)
  const id = typeof kid === 'number' ? kid : entries.get('MCID')
  if (typeof id !== 'number') return undefined
  const page = entries.get('Pg') ?? ownPage
  return { page: page instanceof PdfReference ? page.object : 0, id }
}

/** Returns the elements of a value that may be one element or an array of them. */
function kidsOf(file: PdfFile, value: PdfValue | undefined): readonly PdfValue[] {
  if (value === undefined || value === null) return []
  return Array.isArray(file.valueOf(value)) ? file.array(value) : [value]
}
