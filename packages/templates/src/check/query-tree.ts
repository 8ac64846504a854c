/** A node of the engine's tree of a query: one line, indented under its parent. */
export interface TreeNode {
  readonly text: string
  readonly depth: number
  /** The nodes above it, the nearest first. */
  readonly parents: readonly TreeNode[]
  readonly children: TreeNode[]
}

/** Parses the engine's `EXPLAIN QUERY TREE` into its nodes, in the order of the lines. */
export function parseTree(explained: string): readonly TreeNode[] {
  let above: readonly TreeNode[] = []
  return explained.split('\n').map((line) => {
    const text = line.trim()
    const depth = line.length - line.trimStart().length
    const parents = above.filter((node) => node.depth < depth)
    const node = { text, depth, parents, children: [] }
    parents[0]?.children.push(node)
    above = [node, ...parents]
    return node
  })
}

/** Reads the types of a query's columns from its tree after one pass. */
export function columnTypes(nodes: readonly TreeNode[]): readonly string[] {
  const columns = nodes.find(({ text }) => text === 'PROJECTION COLUMNS')?.children ?? []
  // Each line has the name of a column and its type.
  return columns.map(({ text }) => text.slice(text.indexOf(' ') + 1))
}

/** Returns the first group of a pattern in the nodes that match it, each text once. */
export function readAll(nodes: readonly TreeNode[], pattern: RegExp): readonly string[] {
  return [...new Set(nodes.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []))]
}

const QUERY = /^(QUERY|UNION) id: /
const SOURCE = /^(JOIN TREE|(LEFT |RIGHT )?TABLE EXPRESSION)$/
const SET_FUNCTION = /\bfunction_name: (global)?(not)?(null)?in(ignoreset)?,/i

/** Whether a node is the second argument of IN. */
function isSearched(node: TreeNode): boolean {
  const [list, section, call] = node.parents
  const isSecond = list?.children[0] !== node
  return isSecond && section?.text === 'ARGUMENTS' && SET_FUNCTION.test(call?.text ?? '')
}

/** Returns the names of row sources, as they are written: in FROM and JOIN, and after IN. */
export function sourcesIn(nodes: readonly TreeNode[]): readonly string[] {
  const sources = nodes.filter((node) => {
    return SOURCE.test(node.parents[0]?.text ?? '') || isSearched(node)
  })
  return readAll(sources, /^IDENTIFIER id: .*\bidentifier: ([^,]+)/)
}

/**
 * Whether a query uses a sub-select as a value: it is not a source, not a part of a union, and not the second argument
 * of IN. The engine runs such a sub-select before the query begins.
 */
export function hasScalarQuery(nodes: readonly TreeNode[]): boolean {
  return nodes.some((node) => {
    const [parent, grandparent, call] = node.parents.map(({ text }) => text)
    if (!QUERY.test(node.text) || parent === undefined || SOURCE.test(parent)) return false
    const isPart = grandparent === 'QUERIES' || node.text.includes(', is_cte: 1')
    const isOfTableFunction = grandparent === 'ARGUMENTS' && call?.startsWith('TABLE_FUNCTION ')
    return !isPart && !isOfTableFunction && !isSearched(node)
  })
}

/** Returns the aliases outside sub-selects. The complete query can use them. */
export function sharedAliases(nodes: readonly TreeNode[]): readonly string[] {
  const shared = nodes.filter(({ parents }) => {
    return parents.filter(({ text }) => QUERY.test(text)).length === 1
  })
  return readAll(shared, /^[A-Z_ ]+ id: \d+, alias: ([^,]+)/)
}

/**
 * The functions that may take a caller's text: comparisons, and searches that take linear time and no pattern. Other
 * functions would read a time zone, a type, a pattern or a layout from the text.
 */
const COMPARING_FUNCTIONS: ReadonlySet<string | undefined> = new Set([
  'equals',
  'notEquals',
  'less',
  'greater',
  'lessOrEquals',
  'greaterOrEquals',
  'isDistinctFrom',
  'isNotDistinctFrom',
  'in',
  'notIn',
  'has',
  'hasAny',
  'startsWith',
  'position',
])

/** The value of a text parameter in a query tree. It marks the text that a caller chooses. */
export function markText(parameter: string): string {
  return `{${parameter}:String}`
}

/** Matches a constant of a query tree that is a caller's text, or a list of texts. */
const MARKED = /^CONSTANT .*\bconstant_value: (?:'|Array_\[')\{(\w+):String\}'/

/** Finds callers' texts ({@link markText}) outside of comparisons: where each may stand, and where it does. */
export function findTextFaults(nodes: readonly TreeNode[]): readonly string[] {
  return nodes.flatMap((node) => {
    const name = callerText(node)
    // Between a function and its arguments there are a section and a list.
    const [list, section, call] = node.parents
    const isArgument = section?.text === 'ARGUMENTS' && list?.text.startsWith('LIST ')
    if (name === undefined || (call && callerText(call) !== undefined)) return []
    const [, caller] =
      (isArgument && /^FUNCTION id: .*\bfunction_name: (\w+)/.exec(call?.text ?? '')) || []
    const hasAlias = /^[A-Z]+ id: \d+, alias: /.test(node.text)
    if (!hasAlias && COMPARING_FUNCTIONS.has(caller)) return []
    const got = hasAlias || caller === undefined ? 'got it elsewhere' : `got it in ${caller}()`
    const places = 'a comparison, IN, has(), hasAny(), startsWith() or position()'
    return [`the text {${name}} in ${places}, ${got}`]
  })
}

/** The parameter of a node that is a caller's text. The engine converts a list to its type. */
function callerText({ text, children }: TreeNode): string | undefined {
  const [, name] = MARKED.exec(text) ?? []
  if (name !== undefined || !/\bfunction_name: _CAST,/.test(text)) return name
  const value = children[0]?.children[0]?.children[0]?.text ?? ''
  return value.includes('Array_[') ? MARKED.exec(value)?.[1] : undefined
}
