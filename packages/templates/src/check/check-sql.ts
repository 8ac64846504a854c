import * as z from 'zod'
import {
  type EngineValue,
  type Queries,
  readRows,
  SELECT_SETTINGS,
  tableFilters,
} from '@counterfoil/engine'
import { isLedgerTable, LEDGER_TABLES, type LedgerTable } from '@counterfoil/ledger'
import { UNFILTERED } from '../template/template.ts'
import {
  findTextFaults,
  hasScalarQuery,
  markText,
  parseTree,
  readAll,
  sharedAliases,
  sourcesIn,
  type TreeNode,
} from './query-tree.ts'

/** Clauses that do more than read rows, or that leave rows out, each with what to do instead. */
export const REFUSED_CLAUSES: Readonly<Record<string, string>> = {
  'INTO OUTFILE': 'a report goes to its caller and nowhere else',
  FORMAT: 'the caller chooses the format',
  SETTINGS: 'the gateway sets what a report runs under',
  PREWHERE: 'WHERE: before it, versions that a transaction no longer has are seen',
  COLLATE: 'lower(...): the engine prints a collation into the query tree as it is written',
  SAMPLE: 'all rows: a report is complete',
  LIMIT: 'all rows: a report is complete; row_number() in a sub-select tells the first of several',
  OFFSET: 'all rows: a report is complete',
}

// They take the call of an aggregate function as a text, and evaluate the sub-selects in it.
const REFUSED_FUNCTIONS = ['arrayReduce', 'arrayReduceInRanges', 'initializeAggregation']

// The engine does not call it deterministic, because one row becomes several. Its values are deterministic.
const ACCEPTED_FUNCTIONS = ['arrayJoin']

/**
 * Reads from the engine which functions a report may not use, in lower case: internal functions, and functions whose
 * value depends on more than their arguments.
 */
export async function readRefusedFunctions(engine: Queries): Promise<ReadonlySet<string>> {
  const rows = await readRows(engine, z.object({ lowered: z.string() }), {
    sql: `SELECT lower(name) AS lowered FROM system.functions
    WHERE (NOT is_aggregate AND (deterministic IS DISTINCT FROM 1 OR startsWith(name, '__'))
      AND name NOT IN {accepted:Array(String)}) OR name IN {refused:Array(String)}`,
    parameters: { accepted: ACCEPTED_FUNCTIONS, refused: REFUSED_FUNCTIONS },
  })
  return new Set(rows.map(({ lowered }) => lowered))
}

interface QueryToCheck {
  readonly sql: string
  readonly parameters: Readonly<Record<string, EngineValue>>
  /** The parameters whose value may be any text. */
  readonly texts: ReadonlySet<string>
}

/**
 * Checks that a query uses only the ledger's tables and functions of their columns, and that it compares callers' texts
 * only. The engine explains the query as a tree, as it is written: it resolves, reads and runs nothing.
 */
export async function checkTree(
  engine: Queries,
  { sql, parameters, texts }: QueryToCheck,
  refused: ReadonlySet<string>,
) {
  const marked = Object.entries(parameters).map(([name, value]) => {
    const mark = texts.has(name) ? markText(name) : value
    return [name, typeof value === 'object' && texts.has(name) ? [mark] : mark]
  })
  const query = { sql, parameters: Object.fromEntries(marked) }
  const nodes = await explainTree(engine, query, 'run_passes = 0')
  return {
    tables: sourcesIn(nodes).flatMap((name) => ledgerTable(name) ?? []),
    /** Aliases outside sub-selects. */
    sharedAliases: sharedAliases(nodes),
    /** For each fault the text after `expected`: the valid form, what the file has, and a hint. */
    faults: [...writtenFaults(nodes, refused), ...findTextFaults(nodes)],
  }
}

/** Explains a query as a tree: as it is written (`run_passes = 0`), or with its names resolved (`passes = 1`). */
export async function explainTree(
  engine: Queries,
  { sql, parameters }: Omit<QueryToCheck, 'texts'>,
  passes: 'run_passes = 0' | 'passes = 1',
): Promise<readonly TreeNode[]> {
  const lines = await readRows(engine, z.object({ explain: z.string() }), {
    sql: `SELECT * FROM (EXPLAIN QUERY TREE ${passes} ${sql})`,
    parameters,
    // With readonly=1, a query cannot read the result of EXPLAIN.
    settings: { ...SELECT_SETTINGS, ...NO_ROWS, readonly: 2 },
  })
  return parseTree(lines.map(({ explain }) => explain).join('\n'))
}

/** The clauses that a tree shows, in the lines that match their patterns. */
const CLAUSES = ['SETTINGS', 'PREWHERE', 'LIMIT', 'OFFSET'].map((clause) => {
  return [clause, new RegExp(`^${clause}\\b`)] as const
})

/** An alias of a plain name, with the name that it stands for. */
const ALIAS = /^IDENTIFIER id: \d+, alias: (.+), identifier: ([^,]+)/

const COLUMN_CHOICE =
  /^MATCHER id: .*\bmatcher_type: COLUMNS|^EXCEPT COLUMN TRANSFORMER .*: REGEXP|^APPLY COLUMN TRANSFORMER /

function writtenFaults(
  nodes: readonly TreeNode[],
  refused: ReadonlySet<string>,
): readonly string[] {
  const has = (pattern: RegExp): boolean => nodes.some(({ text }) => pattern.test(text))
  const isRefused = (name: string): boolean => refused.has(name.toLowerCase())
  const namedQueries = readAll(nodes, /^(?:QUERY|UNION) id: .*, cte_name: ([^,]+)/)
  const isSource = (name: string): boolean => {
    const isNamed = namedQueries.includes(name) && !name.includes('.')
    return name === NO_TABLE || ledgerTable(name) !== undefined || isNamed
  }
  // Columns, and functions that are passed by name, as to `arrayMap`.
  const plainNames = readAll(nodes, /^IDENTIFIER id: .*\bidentifier: ([^,.]+)(?:,|$)/)
  return [
    ...readAll(nodes, /^TABLE_FUNCTION id: .*\btable_function_name: (\w+)/).map((name) => {
      return expectedTable(`the table function ${name}()`)
    }),
    ...sourcesIn(nodes)
      .filter((name) => !isSource(name))
      .map(expectedTable),
    ...namedQueries
      .filter(isLedgerTable)
      .map((name) => `a name after WITH that is not the name of a table, got ${name}`),
    ...readAll(nodes, /^FUNCTION id: .*\bfunction_name: (\w+)/)
      .filter(isRefused)
      .map(expectedFunction),
    ...plainNames
      .filter((name) => isRefused(name) && !isLedgerColumn(name))
      .map((name) => `another name than ${name}, the name of the function ${name}()`),
    ...CLAUSES.filter(([, pattern]) => has(pattern)).map(([clause]) => expectedClause(clause)),
    ...(has(/, sample_size: /) ? [expectedClause('SAMPLE')] : []),
    ...nodes.flatMap(({ text }) => aliasFaults(text)),
    // The tree prints a pattern unescaped, so its text could look like other lines of the tree.
    ...(has(COLUMN_CHOICE) ? ['columns by their names, got a choice of them'] : []),
    ...(hasScalarQuery(nodes)
      ? [
          'no sub-select but in FROM, JOIN and IN; for a single value, join it or use a window function',
        ]
      : []),
  ]
}

/** Finds the faults of an alias. The scope filters tables by their names and also by their aliases. */
function aliasFaults(text: string): readonly string[] {
  const [, alias, name = ''] = ALIAS.exec(text) ?? []
  if (alias === undefined) return []
  if (alias === NO_TABLE || isLedgerTable(alias.split('.').at(-1) ?? '')) {
    return [`an alias that is not the name of a table, got ${alias}`]
  }
  return alias === UNFILTERED && !FACTS.includes(name)
    ? [`the alias ${UNFILTERED} for ${FACTS.join(' or ')}, got ${name}`]
    : []
}

/** The tables that the filters of a request narrow. */
const FACTS: readonly string[] = ['transactions', 'statements'] satisfies LedgerTable[]

/** The table of a query without FROM: one row without columns of the ledger. */
const NO_TABLE = 'system.one'

const LEDGER_DATABASE = 'default.'

/** A setting that hides every row of the ledger, so that a check costs the same for any ledger. */
export const NO_ROWS = tableFilters(Object.keys(LEDGER_TABLES).map((table) => [table, '0']))

function ledgerTable(name: string): LedgerTable | undefined {
  const table = name.startsWith(LEDGER_DATABASE) ? name.slice(LEDGER_DATABASE.length) : name
  return isLedgerTable(table) ? table : undefined
}

function isLedgerColumn(name: string): boolean {
  return Object.values(LEDGER_TABLES).some((columns) => Object.hasOwn(columns, name))
}

function expectedTable(got: string): string {
  return `a table of the ledger (${Object.keys(LEDGER_TABLES).join(', ')}), got ${got}`
}

export function expectedClause(clause: string): string {
  return `no ${clause}, but ${REFUSED_CLAUSES[clause] ?? ''}`
}

function expectedFunction(name: string): string {
  const got = `got the function ${name}()`
  if (/^dict/i.test(name)) return `the ledger's own name columns, such as merchant_name, ${got}`
  if (/^(now|today|yesterday|cur_?date|current_?(date|timestamp)|local_?time)/i.test(name)) {
    return `{now:DateTime64(3, 'UTC')}, the time of the request, ${got}`
  }
  return `functions whose value follows from their arguments, ${got}`
}
