import * as z from 'zod'
import {
  CHECKED_TIMEZONE,
  expectedOfAxis,
  expectedOfKind,
  type Queries,
  readRows,
  SELECT_SETTINGS,
} from '@counterfoil/engine'
import type { LedgerTable } from '@counterfoil/ledger'
import { type Choice, compileTemplate, PLAIN_SELECT } from '../template/compile-template.ts'
import { isUnreadable, placeholderOf, placeholderTypes } from '../template/parameters.ts'
import { parametersOf, type Template } from '../template/template.ts'
import { checkTree, explainTree, NO_ROWS } from './check-sql.ts'
import { type CheckedTokens, checkTokens } from './check-tokens.ts'
import {
  ANYTHING,
  bareTemplate,
  type CompleteQuery,
  completeQueries,
  examples,
  isCertain,
  type Known,
  type Path,
  type Piece,
  readExample,
  stagesOf,
  textsOf,
} from './pieces.ts'
import { columnTypes } from './query-tree.ts'

export interface LoadedTemplate {
  readonly template: Template
  readonly file: string
  readonly text: string
  /** The line of the member at a path, from 1. */
  readonly lineOf: (path: Path) => number
}

interface Fault {
  readonly path: Path
  readonly message: string
}

/** A check runs each query once, over no rows. Threads and compiled expressions would cost more than they save. */
const ONE_RUN = { max_threads: 1, compile_expressions: 0, compile_aggregate_expressions: 0 }

/**
 * Checks a report on an engine that has the ledger's tables, without reading a row. It first checks the tokens of each
 * piece, and then the complete queries of each role: with a value for each parameter, and with values for only those
 * parameters that always have one. If a complete query fails, it tries the pieces one by one to find the one at fault.
 *
 * @returns the tables that the report reads, and a line for each fault: file, line, member and expected value
 */
export async function checkTemplate(
  { template, file, lineOf }: Omit<LoadedTemplate, 'text'>,
  known: Known,
  engine: Queries,
) {
  const tables = new Set<LedgerTable>()
  const texts = textsOf(template)
  /** Checks a query and runs it over no rows. Returns the messages of its faults. */
  const tryQuery = async ({ sql, hasValue }: CompleteQuery): Promise<readonly string[]> => {
    const parameters = examples(template, known, hasValue)
    try {
      const checked = await checkTree(engine, { sql, parameters, texts }, known.refused)
      for (const table of checked.tables) tables.add(table)
      // Requests choose different columns and conditions, so a name could be an alias in one request and a table of the
      // engine in another, which the check never saw.
      const instead = 'name it in a sub-select of `from`, or write the expression again'
      const aliases = checked.sharedAliases.map((alias) => {
        return `no alias outside a sub-select, got ${alias}: ${instead}`
      })
      const faults = [...checked.faults, ...aliases].map((text) => `expected ${text}`)
      if (faults.length > 0) return faults
      const settings = { ...SELECT_SETTINGS, ...NO_ROWS, ...ONE_RUN }
      const limited = { sql: `${sql}\nLIMIT 0`, parameters, settings, role: 'report' } as const
      await readRows(engine, z.unknown(), limited)
      return []
    } catch (error) {
      return [engineMessage(error)]
    }
  }
  const faults = await findFaults(template, known, engine, tryQuery)
  const lines = faults.map(({ path, message }) => {
    return `${file}:${lineOf(path)}: ${z.core.toDotPath(path)}: ${message}`
  })
  return { tables, faults: lines }
}

async function findFaults(
  template: Template,
  known: Known,
  engine: Queries,
  tryQuery: (query: CompleteQuery) => Promise<readonly string[]>,
): Promise<readonly Fault[]> {
  const stages = stagesOf(template)
  const pieces = stages.flat()
  const tokens = await checkTokens(engine, pieces)
  const early = [
    ...defaultFaults(template, known),
    ...placeholderFaults(template, pieces, tokens),
    ...pieces.flatMap(({ path }, index) => faultAt(path, tokens[index]?.fault)),
  ]
  if (early.length > 0) return early
  const badKinds = await kindFaults(template, known, engine)
  if (badKinds.length > 0) return badKinds

  for (const query of completeQueries(template)) {
    const wrong = await tryQuery(query)
    if (wrong.length === 0) continue
    for (const stage of stages) {
      const faults: Fault[] = []
      for (const { path, alone, hasValue } of stage) {
        const choice = { columns: alone.columns, hasValue, select: PLAIN_SELECT }
        const messages = await tryQuery({ sql: compileTemplate(alone, choice), hasValue })
        faults.push(...messages.map((message) => ({ path, message })))
      }
      if (faults.length > 0) return faults
    }
    return wrong.map((message) => ({ path: ['identifier'], message }))
  }
  return []
}

/** Returns the engine's message in one line, without codes and stack traces. */
function engineMessage(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const message = cause instanceof Error ? cause.message : String(cause)
  const match = /DB::Exception: (.*?)(?: In scope SELECT| in scope SELECT|\. \([A-Z_]+\)|$)/s.exec(
    message,
  )
  return (match?.[1] ?? message).replaceAll(/\s+/g, ' ').trim()
}

function faultAt(path: Path, expected: string | undefined): readonly Fault[] {
  return expected === undefined ? [] : [{ path, message: `expected ${expected}` }]
}

function defaultFaults({ parameters }: Template, known: Known): readonly Fault[] {
  return parameters.flatMap((parameter, index) => {
    if (parameter.default === undefined) return []
    const value = readExample(parameter, known)
    return isUnreadable(value) ? faultAt(['parameters', index, 'default'], value.expected) : []
  })
}

/** Finds placeholders whose type cannot hold every value. The engine would silently bind another value. */
function placeholderFaults(
  template: Template,
  pieces: readonly Piece[],
  tokens: readonly CheckedTokens[],
): readonly Fault[] {
  const types = new Map([
    ['now', ["DateTime64(3, 'UTC')"]],
    ['timezoneName', ['String']],
    ...parametersOf(template).map((parameter) => {
      return [placeholderOf(parameter.name), placeholderTypes(parameter)] as const
    }),
  ])
  const bare = (type: string): string => type.replaceAll(/\s/g, '')
  return pieces.flatMap(({ path }, index) => {
    return (tokens[index]?.placeholders ?? []).flatMap(({ written, name, type }) => {
      const accepted = types.get(name)
      // `checkTokens` has a better error for the type Identifier.
      const isName = bare(type) === 'Identifier'
      if (!accepted || isName || accepted.some((known) => bare(known) === bare(type))) return []
      const wanted = accepted.map((known) => `{${name}:${known}}`).join(' or ')
      return faultAt(path, `${wanted}, got ${written}`)
    })
  })
}

/** Finds columns whose type their kind cannot print, and axes of the period that are not times or days. */
async function kindFaults(
  template: Template,
  known: Known,
  engine: Queries,
): Promise<readonly Fault[]> {
  const hasValue = isCertain(template)
  const texts = textsOf(template)
  const parameters = { ...examples(template, known, hasValue), timezone: CHECKED_TIMEZONE }
  const select: Choice['select'] = (columns) => {
    return columns.map(({ sql }, index) => `(${sql}\n) AS column_${index}`)
  }
  const typesOf = async (checked: Template): Promise<readonly string[]> => {
    try {
      const sql = compileTemplate(checked, { hasValue, select, columns: checked.columns })
      const { faults } = await checkTree(engine, { sql, parameters, texts }, known.refused)
      // To resolve names, the engine would open the file or address of a table function.
      if (faults.length > 0) return []
      return columnTypes(await explainTree(engine, { sql, parameters }, 'passes = 1'))
    } catch {
      // SQL that the engine refuses has no type. The later checks report its fault.
      return []
    }
  }
  const axes = Object.entries(template.period?.axes ?? {})
  const columns = axes.map(([, { sql }]) => ({ ...ANYTHING, sql }))
  const axisTypes = axes.length > 0 ? await typesOf({ ...bareTemplate(template), columns }) : []
  const types = await typesOf(template)
  return [
    ...axes.flatMap(([name, { kind }], index) => {
      return faultAt(['period', 'axes', name, 'sql'], expectedOfAxis(kind, axisTypes[index]))
    }),
    ...template.columns.flatMap(({ kind }, index) => {
      return faultAt(['columns', index, 'sql'], expectedOfKind(kind, types[index]))
    }),
  ]
}
