import * as z from 'zod'
import {
  type EngineValue,
  parseWrittenTree,
  type Queries,
  readRows,
  SELECT_SETTINGS,
  tableFilters,
  type TreeClause,
  type WrittenTree,
} from '@counterfoil/engine'
import { LEDGER_TABLES, type LedgerTable } from '@counterfoil/ledger'
import { findTextFaults, markText } from './caller-texts.ts'
import { UNFILTERED } from '../template/template.ts'

/** A fault of a report's SQL. */
export interface SqlFault {
  /** The text after `expected`: the valid form, what the file has, and a hint. */
  readonly expected: string
}

/** Clauses that do more than read rows, or that leave rows out, each with what to do instead. */
export const REFUSED_CLAUSES: Readonly<
  Record<TreeClause | 'INTO OUTFILE' | 'FORMAT' | 'COLLATE', string>
> = {
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
    WHERE NOT is_aggregate AND (deterministic IS DISTINCT FROM 1 OR startsWith(name, '__'))
      AND name NOT IN {accepted:Array(String)}`,
    parameters: { accepted: ACCEPTED_FUNCTIONS },
  })
  return new Set([
    ...rows.map(({ lowered }) => lowered),
    ...REFUSED_FUNCTIONS.map((name) => name.toLowerCase()),
  ])
}

/** A query, with values for its parameters. */
export interface QueryToCheck {
  readonly sql: string
  readonly parameters: Readonly<Record<string, EngineValue>>
  /** The parameters whose value may be any text. */
  readonly texts: ReadonlySet<string>
}

/** The result of a check. */
export interface CheckedSql {
  readonly tables: ReadonlySet<LedgerTable>
  /** Aliases outside sub-selects. */
  readonly sharedAliases: ReadonlySet<string>
  readonly faults: readonly SqlFault[]
}

/**
 * Checks that a query uses only the ledger's tables and functions of their columns, and that it compares callers' texts
 * only. The engine explains the query as a tree, as it is written: it resolves, reads and runs nothing.
 */
export async function checkTree(
  engine: Queries,
  { sql, parameters, texts }: QueryToCheck,
  refused: ReadonlySet<string>,
): Promise<CheckedSql> {
  const marked = Object.entries(parameters).map(([name, value]) => {
    const mark = texts.has(name) ? markText(name) : value
    return [name, typeof value === 'object' && texts.has(name) ? [mark] : mark]
  })
  const query = { sql, parameters: Object.fromEntries(marked) }
  const explained = await explainTree(engine, query, 'run_passes = 0')
  const written = parseWrittenTree(explained)
  const textFaults = findTextFaults(explained).map((expected) => ({ expected }))
  const tables = [...written.sources].flatMap((name) => ledgerTable(name) ?? [])
  return {
    tables: new Set(tables),
    sharedAliases: written.sharedAliases,
    faults: [...writtenFaults(written, refused), ...textFaults],
  }
}

/**
 * Has the engine explain a query as a tree.
 *
 * @param passes `run_passes = 0` for the query as it is written, or `passes = 1` for the query with its names resolved
 */
export async function explainTree(
  engine: Queries,
  { sql, parameters }: Omit<QueryToCheck, 'texts'>,
  passes: 'run_passes = 0' | 'passes = 1',
): Promise<string> {
  const lines = await readRows(engine, z.object({ explain: z.string() }), {
    sql: `SELECT * FROM (EXPLAIN QUERY TREE ${passes} ${sql})`,
    parameters,
    // With readonly=1, a query cannot read the result of EXPLAIN.
    settings: { ...SELECT_SETTINGS, ...NO_ROWS, readonly: 2 },
  })
  return lines.map(({ explain }) => explain).join('\n')
}

/** Finds the faults of a query as it is written. */
function writtenFaults(written: WrittenTree, refused: ReadonlySet<string>): readonly SqlFault[] {
  const faults: SqlFault[] = [
    ...[...written.tableFunctions].map((name) => {
      return expectedTable(`the table function ${name}()`)
    }),
    ...[...written.sources].filter((name) => !isSource(name, written)).map(expectedTable),
    ...[...written.namedQueries].filter(isLedgerTable).map(expectedName),
    ...[...written.functions]
      .filter((name) => refused.has(name.toLowerCase()))
      .map(expectedFunction),
    ...[...written.plainNames]
      .filter((name) => !isLedgerColumn(name) && refused.has(name.toLowerCase()))
      .map((name) => {
        const expected = `another name than ${name}, the name of the function ${name}()`
        return { expected }
      }),
    ...[...written.clauses].map(expectedClause),
    // The scope filters tables by their names and also by their aliases.
    ...written.aliases
      .filter(({ alias }) => alias === NO_TABLE || isLedgerTable(alias.split('.').at(-1) ?? ''))
      .map(({ alias }): SqlFault => {
        return { expected: `an alias that is not the name of a table, got ${alias}` }
      }),
    ...written.aliases
      .filter(({ alias, identifier }) => alias === UNFILTERED && !FACTS.includes(identifier))
      .map(({ identifier }): SqlFault => {
        return { expected: `the alias ${UNFILTERED} for ${FACTS.join(' or ')}, got ${identifier}` }
      }),
  ]
  // The tree prints a pattern unescaped, so its text could look like other lines of the tree.
  if (written.choosesColumns)
    faults.push({ expected: 'columns by their names, got a choice of them' })
  if (written.hasScalarQuery) {
    const instead = 'for a single value, join it or use a window function'
    faults.push({ expected: `no sub-select but in FROM, JOIN and IN; ${instead}` })
  }
  return faults
}

/** The ledger table of a name, with or without its database. */
function ledgerTable(name: string): LedgerTable | undefined {
  const table = name.startsWith(LEDGER_DATABASE) ? name.slice(LEDGER_DATABASE.length) : name
  return isLedgerTable(table) ? table : undefined
}

function isSource(name: string, { namedQueries }: WrittenTree): boolean {
  if (name === NO_TABLE || ledgerTable(name) !== undefined) return true
  return namedQueries.has(name) && !name.includes('.')
}

/**
 * Refuses an alias outside a sub-select. Requests choose different columns and conditions, so a name could be an alias
 * in one request and a table of the engine in another, which the check never saw.
 */
export function expectedNoAlias(alias: string): SqlFault {
  const instead = 'name it in a sub-select of `from`, or write the expression again'
  return { expected: `no alias outside a sub-select, got ${alias}: ${instead}` }
}

/** The tables that the filters of a request narrow. */
const FACTS: readonly string[] = ['transactions', 'statements'] satisfies LedgerTable[]

/** The table of a query without FROM: one row without columns of the ledger. */
const NO_TABLE = 'system.one'

const LEDGER_DATABASE = 'default.'

/** A setting that hides every row of the ledger, so that a check costs the same for any ledger. */
export const NO_ROWS = tableFilters(Object.keys(LEDGER_TABLES).map((table) => [table, '0']))

function isLedgerTable(name: string): name is LedgerTable {
  return Object.hasOwn(LEDGER_TABLES, name)
}

function isLedgerColumn(name: string): boolean {
  return Object.values(LEDGER_TABLES).some((columns) => Object.hasOwn(columns, name))
}

function expectedTable(got: string): SqlFault {
  return {
    expected: `a table of the ledger (${Object.keys(LEDGER_TABLES).join(', ')}), got ${got}`,
  }
}

function expectedName(got: string): SqlFault {
  return { expected: `a name after WITH that is not the name of a table, got ${got}` }
}

/** The fault of a clause, with what to write instead. */
export function expectedClause(clause: string): SqlFault {
  const instead = Object.entries(REFUSED_CLAUSES).find(([name]) => name === clause)?.[1] ?? ''
  return { expected: `no ${clause}, but ${instead}` }
}

function expectedFunction(name: string): SqlFault {
  const got = `got the function ${name}()`
  if (/^dict/i.test(name)) {
    return { expected: `the ledger's own name columns, such as merchant_name, ${got}` }
  }
  if (/^(now|today|yesterday|cur_?date|current_?(date|timestamp)|local_?time)/i.test(name)) {
    return {
      expected: `{now:DateTime64(3, 'UTC')}, the time of the request, ${got}`,
    }
  }
  return { expected: `functions whose value follows from their arguments, ${got}` }
}
