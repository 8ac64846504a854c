/** The clauses that the tree of a query shows. */
const TREE_CLAUSES = ['SETTINGS', 'PREWHERE', 'SAMPLE', 'LIMIT', 'OFFSET'] as const

/** A clause that the tree of a query shows. */
export type TreeClause = (typeof TREE_CLAUSES)[number]

/** The content of a query before the engine resolves names. It includes parts that are unused or constant. */
export interface WrittenTree {
  readonly tableFunctions: ReadonlySet<string>
  /** Names of row sources, as they are written: in FROM and JOIN, and after IN. */
  readonly sources: ReadonlySet<string>
  /** Names of the sub-selects in WITH. */
  readonly namedQueries: ReadonlySet<string>
  /** Function names as they are written, in any case. */
  readonly functions: ReadonlySet<string>
  readonly clauses: ReadonlySet<TreeClause>
  /** Aliases of plain names, each with the name that it stands for. */
  readonly aliases: readonly { readonly alias: string; readonly identifier: string }[]
  /** All aliases outside sub-selects. The complete query can use them. */
  readonly sharedAliases: ReadonlySet<string>
  /** Names without a qualifier: columns, and functions that are passed by name, as to `arrayMap`. */
  readonly plainNames: ReadonlySet<string>
  /**
   * Whether the query chooses columns by `COLUMNS(...)` or by a pattern, or applies a function to columns that it does not
   * name. The tree shows patterns unescaped, and no arguments of the function.
   */
  readonly choosesColumns: boolean
  /** Whether the query uses a sub-select as a value. The engine runs such a sub-select before the query begins. */
  readonly hasScalarQuery: boolean
}

/** A node of a tree: its line, and the nodes below it. */
export interface TreeNode {
  readonly text: string
  readonly children: readonly TreeNode[]
}

interface Line {
  readonly depth: number
  readonly text: string
}

/** Parses the engine's `EXPLAIN QUERY TREE run_passes = 0`: one node a line, indented under its parent. */
export function parseWrittenTree(explained: string): WrittenTree {
  const lines = linesOf(explained)
  const clauses = TREE_CLAUSES.filter((clause) => {
    const pattern = clause === 'SAMPLE' ? /, sample_size: / : new RegExp(`^${clause}\\b`)
    return lines.some(({ text }) => pattern.test(text))
  })
  return {
    tableFunctions: allIn(lines, /^TABLE_FUNCTION id: .*\btable_function_name: (\w+)/),
    sources: sourcesOf(lines),
    namedQueries: allIn(lines, NAMED_QUERY),
    functions: allIn(lines, /^FUNCTION id: .*\bfunction_name: (\w+)/),
    clauses: new Set(clauses),
    aliases: lines.flatMap(({ text }) => {
      const [, alias, identifier] = ALIAS.exec(text) ?? []
      return alias === undefined || identifier === undefined ? [] : [{ alias, identifier }]
    }),
    sharedAliases: sharedAliasesOf(lines),
    plainNames: allIn(lines, /^IDENTIFIER id: .*\bidentifier: ([^,.]+)(?:,|$)/),
    choosesColumns: lines.some(({ text }) => COLUMN_CHOICE.test(text)),
    hasScalarQuery: hasScalarQuery(lines),
  }
}

/** Reads the types of a query's columns from the engine's `EXPLAIN QUERY TREE passes = 1`. */
export function parseColumnTypes(explained: string): readonly string[] {
  const lines = linesOf(explained)
  const start = lines.findIndex(({ text }) => text === 'PROJECTION COLUMNS')
  const depth = lines[start]?.depth ?? 0
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.depth <= depth)
  // Each line has the name of a column and its type.
  return rest.slice(0, end).map(({ text }) => text.slice(text.indexOf(' ') + 1))
}

/** Parses any tree of the engine into nodes. */
export function parseNodes(explained: string): readonly TreeNode[] {
  const roots: { text: string; children: TreeNode[] }[] = []
  const above: { depth: number; children: TreeNode[] }[] = [{ depth: -1, children: roots }]
  for (const { depth, text } of linesOf(explained)) {
    while ((above.at(-1)?.depth ?? -1) >= depth) above.pop()
    const node = { text, children: [] }
    above.at(-1)?.children.push(node)
    above.push({ depth, children: node.children })
  }
  return roots
}

const ALIAS = /^IDENTIFIER id: \d+, alias: (.+), identifier: ([^,]+)/
const ANY_ALIAS = /^[A-Z_ ]+ id: \d+, alias: ([^,]+)/
const NAMED_QUERY = /^(?:QUERY|UNION) id: .*, cte_name: ([^,]+)/
const COLUMN_CHOICE =
  /^MATCHER id: .*\bmatcher_type: COLUMNS|^EXCEPT COLUMN TRANSFORMER .*: REGEXP|^APPLY COLUMN TRANSFORMER /

function linesOf(explained: string): readonly Line[] {
  return explained.split('\n').map((line) => {
    const text = line.trimStart()
    return { depth: line.length - text.length, text }
  })
}

function allIn(lines: readonly Line[], pattern: RegExp): ReadonlySet<string> {
  return new Set(lines.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []))
}

const QUERY = /^(QUERY|UNION) id: /

function sharedAliasesOf(lines: readonly Line[]): ReadonlySet<string> {
  const queries: number[] = []
  const aliases = lines.flatMap(({ depth, text }) => {
    while ((queries.at(-1) ?? -1) >= depth) queries.pop()
    const isShared = queries.length === 1
    if (QUERY.test(text)) queries.push(depth)
    return isShared ? (ANY_ALIAS.exec(text)?.[1] ?? []) : []
  })
  return new Set(aliases)
}

const SET_FUNCTION = /\bfunction_name: (global)?(not)?(null)?in(ignoreset)?,/i

const SOURCE = /^(JOIN TREE|(LEFT |RIGHT )?TABLE EXPRESSION)$/

/** Yields the index of each line with the texts of its ancestors, the nearest first. */
function* withParents(lines: readonly Line[]): Generator<readonly [number, readonly string[]]> {
  const above: Line[] = []
  for (const [index, line] of lines.entries()) {
    while ((above.at(-1)?.depth ?? -1) >= line.depth) above.pop()
    yield [index, above.map(({ text }) => text).toReversed()]
    above.push(line)
  }
}

/** Whether a line is the second argument of IN. The line before a first argument is that of the list. */
function isSearched(lines: readonly Line[], index: number, parents: readonly string[]): boolean {
  const [, section, call] = parents
  const isSecond = !lines[index - 1]?.text.startsWith('LIST ')
  return isSecond && section === 'ARGUMENTS' && SET_FUNCTION.test(call ?? '')
}

function sourcesOf(lines: readonly Line[]): ReadonlySet<string> {
  const names = [...withParents(lines)].flatMap(([index, parents]) => {
    const [, name] = /^IDENTIFIER id: .*\bidentifier: ([^,]+)/.exec(lines[index]?.text ?? '') ?? []
    const isSource = SOURCE.test(parents[0] ?? '') || isSearched(lines, index, parents)
    return isSource && name !== undefined ? [name] : []
  })
  return new Set(names)
}

/** Whether a query is used as a value: it is not a source, not a part of a union, and not the second argument of IN. */
function hasScalarQuery(lines: readonly Line[]): boolean {
  return [...withParents(lines)].some(([index, parents]) => {
    const text = lines[index]?.text ?? ''
    const [parent, grandparent, call] = parents
    if (!QUERY.test(text) || parent === undefined || SOURCE.test(parent)) return false
    const isPart = grandparent === 'QUERIES' || text.includes(', is_cte: 1')
    const isOfTableFunction = grandparent === 'ARGUMENTS' && call?.startsWith('TABLE_FUNCTION ')
    return !isPart && !isOfTableFunction && !isSearched(lines, index, parents)
  })
}
