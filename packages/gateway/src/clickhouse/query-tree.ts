/** Clauses that the tree of a query names. */
const TREE_CLAUSES = ['SETTINGS', 'PREWHERE', 'SAMPLE', 'LIMIT', 'OFFSET'] as const

/** A clause that the tree of a query names. */
export type TreeClause = (typeof TREE_CLAUSES)[number]

/** What stands in a query, before anything was looked up: also what is never used or comes to a constant. */
export interface WrittenTree {
  readonly tableFunctions: ReadonlySet<string>
  /** Names that stand for rows, as they are written: sources, and what IN looks into. */
  readonly sources: ReadonlySet<string>
  /** Names that WITH gives to sub-selects. */
  readonly namedQueries: ReadonlySet<string>
  /** As they are written, in any case. */
  readonly functions: ReadonlySet<string>
  readonly clauses: ReadonlySet<TreeClause>
  /** Other names that are given to what was named before, with that name. */
  readonly aliases: readonly { readonly alias: string; readonly identifier: string }[]
  /** Aliases outside sub-selects, of anything: all of the query can use them. */
  readonly sharedAliases: ReadonlySet<string>
  /** Names without a dot before them: of columns, and of functions that are passed by their name, as to `arrayMap`. */
  readonly plainNames: ReadonlySet<string>
  /** Names of the engine's own columns, as `_part`. */
  readonly engineColumns: ReadonlySet<string>
  /** Whether columns are chosen by `COLUMNS(...)` or by a pattern, which the tree shows without escaping it. */
  readonly choosesColumns: boolean
  /** Whether a sub-select stands for a value: the engine runs it before the query begins. */
  readonly hasScalarQuery: boolean
}

/** What a query reads, once every name was looked up. */
export interface ResolvedTree {
  /** The types of its columns. */
  readonly types: readonly string[]
  /** With their database: `default.transactions`. */
  readonly tables: ReadonlySet<string>
  /** Columns of tables that are the engine's own, as `_part`. */
  readonly engineColumns: ReadonlySet<string>
  /** Whether a function is passed by its name alone. */
  readonly passesFunction: boolean
}

/** A node of a tree: its line, and those below it. */
export interface TreeNode {
  readonly text: string
  readonly children: readonly TreeNode[]
}

interface Line {
  readonly depth: number
  readonly text: string
}

/** Reads the engine's `EXPLAIN QUERY TREE run_passes = 0`: a node a line, indented under its parent. */
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
    engineColumns: allIn(lines, /^IDENTIFIER id: .*\bidentifier: (?:\S+\.)?(_\w+)/),
    hasScalarQuery: hasScalarQuery(lines),
  }
}

/** Reads the engine's `EXPLAIN QUERY TREE passes = 1`, as above. */
export function parseResolvedTree(explained: string): ResolvedTree {
  const lines = linesOf(explained)
  const tables = allIn(lines, /^TABLE id: .*\btable_name: (\S+?)(?:,|$)/)
  const tableIds = allIn(lines, /^TABLE id: (\d+)/)
  const engineColumns = lines.flatMap(({ text }) => {
    const [, name = '', source = ''] = ENGINE_COLUMN.exec(text) ?? []
    return tableIds.has(source) ? [name] : []
  })
  return {
    types: typesOf(lines),
    tables,
    engineColumns: new Set(engineColumns),
    passesFunction: lines.some(({ text }) => text.includes(' column_name: __function_ref_arg')),
  }
}

/** Reads any of the engine's trees as nodes. */
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
const COLUMN_CHOICE = /^MATCHER id: .*\bmatcher_type: COLUMNS|^EXCEPT COLUMN TRANSFORMER .*: REGEXP/
const ENGINE_COLUMN = /^COLUMN id: .*\bcolumn_name: (_\w*), .*\bsource_id: (\d+)$/

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

/** Visits each line with the lines above it in the tree, the nearest first. */
function* withParents(lines: readonly Line[]): Generator<readonly [number, readonly string[]]> {
  const above: Line[] = []
  for (const [index, line] of lines.entries()) {
    while ((above.at(-1)?.depth ?? -1) >= line.depth) above.pop()
    yield [index, above.map(({ text }) => text).toReversed()]
    above.push(line)
  }
}

/** Whether a line is what IN looks into: the line before that of a first argument is that of the list. */
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

/** Whether a query stands where none makes rows: it is neither a source, nor a part of a union, nor what IN looks into. */
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

/** Those of the outermost query: below its first line `PROJECTION COLUMNS`, each after its column's name. */
function typesOf(lines: readonly Line[]): readonly string[] {
  const start = lines.findIndex(({ text }) => text === 'PROJECTION COLUMNS')
  const depth = lines[start]?.depth ?? 0
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.depth <= depth)
  return rest.slice(0, end).map(({ text }) => text.slice(text.indexOf(' ') + 1))
}
