import { PdfReference, type PdfValue } from './parse-pdf.ts'
import { nameOf, type PdfFile } from './pdf-file.ts'
import { allNodes, readStructure, type StructureNode } from './read-structure.ts'

/** The types that an element of a type may have below it. */
const INNER: Readonly<Record<string, readonly string[]>> = {
  Document: ['H1', 'H2', 'P', 'Table'],
  Table: ['TR'],
  TR: ['TH', 'TD'],
}

const SCOPES = ['Row', 'Column', 'Both']

/**
 * Checks the structure of a document: its headings and tables, and that the marked content of each page belongs
 * to one element.
 *
 * @param idsOf the ids of the marked content on each page, by the object of the page
 */
export function checkStructure(
  file: PdfFile,
  idsOf: ReadonlyMap<number, readonly number[]>,
): readonly string[] {
  const faults: string[] = []
  const roots = readStructure(file, faults)
  if (roots.length !== 1 || roots[0]?.type !== 'Document') faults.push('The root is no Document.')
  const nodes = roots.flatMap(allNodes)
  for (const node of nodes) {
    for (const { type } of node.nodes) {
      if (!INNER[node.type]?.includes(type)) faults.push(`A ${node.type} has a ${type} in it.`)
    }
  }
  faults.push(...headingFaults(nodes))
  for (const node of nodes) {
    if (node.type === 'Table') faults.push(...tableFaults(node))
  }
  faults.push(...contentFaults(file, nodes, idsOf))
  return faults
}

function headingFaults(nodes: readonly StructureNode[]): readonly string[] {
  const faults: string[] = []
  let last = 0
  for (const { type, contents } of nodes) {
    const level = Number(/^H([1-6])$/.exec(type)?.[1] ?? 0)
    if (level === 0) continue
    if (level > last + 1) faults.push(`A heading of level ${level} follows one of level ${last}.`)
    if (contents.length === 0) faults.push(`A heading of level ${level} has no text.`)
    last = level
  }
  return last === 0 ? ['The document has no heading.'] : faults
}

function tableFaults({ object, nodes }: StructureNode): readonly string[] {
  const faults: string[] = []
  const columns = columnsOf(nodes)
  if (new Set(columns).size !== 1)
    faults.push(`The rows of table ${object} have ${columns.join(', ')} cells.`)
  const cells = nodes.flatMap((row) => row.nodes)
  for (const { type, table } of cells) {
    if (type === 'TH' && !SCOPES.includes(nameOf(table.get('Scope')) ?? '')) {
      faults.push(`A header cell of table ${object} has no scope.`)
    }
  }
  const hasHeader = nodes[0]?.nodes.every(({ type }) => type === 'TH') === true
  if (!hasHeader) faults.push(`Table ${object} does not begin with header cells.`)
  return faults
}

/** Returns how many columns each row fills, with the cells of rows above that reach into it. */
function columnsOf(rows: readonly StructureNode[]): readonly number[] {
  let reaching: { readonly columns: number; readonly rows: number }[] = []
  return rows.map((row) => {
    const own = row.nodes.map(({ table }) => ({
      columns: Number(table.get('ColSpan') ?? 1),
      rows: Number(table.get('RowSpan') ?? 1),
    }))
    const all = [...reaching, ...own]
    reaching = all.filter((cell) => cell.rows > 1).map((cell) => ({ ...cell, rows: cell.rows - 1 }))
    return all.reduce((sum, cell) => sum + cell.columns, 0)
  })
}

/** Compares the marked content of pages with the structure and with its tree of parents. */
function contentFaults(
  file: PdfFile,
  nodes: readonly StructureNode[],
  idsOf: ReadonlyMap<number, readonly number[]>,
): readonly string[] {
  const faults: string[] = []
  const owners = new Map<string, number>()
  for (const { object, contents } of nodes) {
    for (const { page, id } of contents) {
      const key = `${page} ${id}`
      if (owners.has(key)) faults.push(`Content ${id} of page object ${page} has two elements.`)
      owners.set(key, object)
      if (!idsOf.get(page)?.includes(id)) faults.push(`Page object ${page} has no content ${id}.`)
    }
  }
  const root = file.dictionary(file.catalog.get('StructTreeRoot'))
  const parents = numbersOf(file, root.get('ParentTree'), faults)
  const keys = new Set<PdfValue | undefined>()
  for (const [page, ids] of idsOf) {
    const key = file.dictionary(new PdfReference(page)).get('StructParents')
    const listed = file.array(parents.get(Number(key ?? -1)))
    if (key === undefined || keys.has(key))
      faults.push(`Page object ${page} has no key of its own.`)
    keys.add(key)
    if (new Set(ids).size !== ids.length) faults.push(`Page object ${page} has an id twice.`)
    if (listed.length !== ids.length) {
      faults.push(`The tree of parents has ${listed.length} entries for ${ids.length} contents.`)
    }
    for (const id of ids) {
      const parent = listed[id]
      const object = parent instanceof PdfReference ? parent.object : undefined
      if (object === undefined || owners.get(`${page} ${id}`) !== object) {
        faults.push(`Content ${id} of page object ${page} does not lead to its element.`)
      }
    }
  }
  return faults
}

/** Reads a tree of numbers (ISO 32000-1, 7.9.7). */
function numbersOf(
  file: PdfFile,
  tree: PdfValue | undefined,
  faults: string[],
): ReadonlyMap<number, PdfValue> {
  const entries = file.dictionary(tree)
  const numbers = new Map<number, PdfValue>()
  for (const kid of file.array(entries.get('Kids'))) {
    for (const [key, value] of numbersOf(file, kid, faults)) numbers.set(key, value)
  }
  const own = file.array(entries.get('Nums'))
  for (let at = 0; at < own.length; at += 2) numbers.set(Number(own[at]), own[at + 1] ?? null)
  const keys = [...numbers.keys()]
  const isSorted = keys.every((key, index) => index === 0 || key > (keys[index - 1] ?? 0))
  const limits = file.array(entries.get('Limits'))
  const isLimited = limits.length === 0 || (limits[0] === keys[0] && limits[1] === keys.at(-1))
  if (!isSorted || !isLimited) faults.push('The tree of parents is not in order.')
  return numbers
}
