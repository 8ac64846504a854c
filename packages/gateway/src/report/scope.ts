import { FILTER_NAMES, type FilterName, type ProblemFault } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { fieldProblem } from '../errors.ts'
import { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS } from '../ledger/hierarchy.ts'
import type { LedgerTable } from '../ledger/model.ts'
import { LIMITS } from '../limits.ts'
import type { Login } from '../store/store.ts'
import type { CatalogueReport } from '../templates/load-templates.ts'
import { type Template, UNFILTERED } from '../templates/template.ts'
import type { Envelope } from './envelope.ts'

/** Which rows of the ledger a report may see. */
export interface Scope {
  /**
   * SQL over a table's columns, made of ids alone, by the name that a report gives the table. A name without an entry
   * is not restricted. `UNFILTERED` comes first: the engine applies the first entry that matches the alias or the name.
   */
  readonly conditions: ReadonlyMap<LedgerTable | typeof UNFILTERED, string>
}

type Viewer = Pick<Login, 'role' | 'sees'>
type Filters = Envelope['filters']

/** The tables whose rows carry the ids of those that they belong to. */
const FACTS = ['transactions', 'statements'] as const

/** What a project's statement has no column for: there, these filters choose the projects. */
const BELOW_PROJECTS: readonly FilterName[] = ['gates', 'endpoints', 'processors']

// What a merchant does not have is nothing, and not the id 0.
const NULLS = { join_use_nulls: 1 }

/**
 * Reads what a login sees, narrowed by the filters of a request. Of transactions and statements, the login sees the
 * rows with its ids; of every other table, the rows that belong to them in the hierarchy. Filters narrow the table
 * that the report's rows stand for, but not where the report reads that table under the alias `UNFILTERED`. Throws
 * `invalid-filter`, with the same words for an id that is unknown and for one that is another's.
 */
export async function readScope(
  viewer: Viewer,
  report: CatalogueReport,
  filters: Filters,
  engine: Engine,
  signal: AbortSignal,
): Promise<Scope> {
  const own = viewOf(viewer)
  const found = await lookUp(own, report, filters, engine, signal)
  const inRows = await lookUpInRows(own, report.template, filters, found, engine, signal)
  checkFilters(filters, [found, inRows])
  const conditions = new Map<LedgerTable | typeof UNFILTERED, string>()
  const narrowed = narrow(report.template, filters, found)
  if (narrowed.length > 0) conditions.set(UNFILTERED, own === '' ? '1' : own)
  for (const table of FACTS) {
    const all = [...(own === '' ? [] : [own]), ...(table === report.template.rows ? narrowed : [])]
    if (all.length > 0) conditions.set(table, all.join(' AND '))
  }
  for (const table of own === '' ? [] : FILTER_NAMES) {
    const ids = report.tables.has(table) ? (found[`own_${table}`] ?? []) : []
    conditions.set(table, isOneOf(table, ids))
  }
  return { conditions }
}

/** SQL that holds for the transactions and statements that a login may see; empty where the login sees all. */
export function viewOf({ role, sees }: Viewer): string {
  if (role === 'operator') return ''
  // A login without ids sees no row: an empty IN would be no condition at all in some engines.
  return sees.length > 0 ? `${ROLE_COLUMNS[role]} IN (${sees.map(Math.trunc).join(', ')})` : '0'
}

function givenIn(filters: Filters): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name].length > 0)
}

/** SQL that holds where a column is one of some values: digits or three capital letters, as was seen to before. */
function isOneOf(
  name: FilterName,
  values: readonly string[],
  column: string = FILTER_COLUMNS[name],
): string {
  if (values.length === 0) return '0'
  const distinct = [...new Set(values.map(canonical))]
  const literals = name === 'currencies' ? distinct.map((code) => `'${code}'`) : distinct
  return `${column} IN (${literals.join(', ')})`
}

/** SQL over the table that the report's rows stand for. */
function narrow({ rows, currencies }: Template, filters: Filters, found: Found): readonly string[] {
  const given = givenIn(filters)
  const conditionOf = (name: FilterName): string => {
    return isOneOf(name, filters[name], name === 'currencies' ? currencies : FILTER_COLUMNS[name])
  }
  if (rows === 'transactions') return given.map(conditionOf)
  const direct = given.filter((name) => !BELOW_PROJECTS.includes(name))
  return [
    ...direct.map(conditionOf),
    ...(direct.length < given.length ? [isOneOf('projects', found.narrowed_projects ?? [])] : []),
  ]
}

/** Lists of ids as text: of a filter those that are the login's, of a table all that are, and projects. */
type Found = Readonly<Record<string, readonly string[]>>

/** One look-up in the hierarchy, over all that the login sees: its cost does not tell what is there. */
async function lookUp(
  own: string,
  { template, tables }: CatalogueReport,
  filters: Filters,
  engine: Engine,
  signal: AbortSignal,
): Promise<Found> {
  const given = givenIn(filters)
  const text = (name: FilterName): string => `ifNull(toString(${FILTER_COLUMNS[name]}), '')`
  // One text for all ids: the engine takes much longer to bind an array of 10,000.
  const isWanted = (name: FilterName): string => {
    return `has(splitByChar(',', {${name}:String}), ${text(name)})`
  }
  const wantsProjects =
    template.rows === 'statements' && given.some((name) => BELOW_PROJECTS.includes(name))
  const columns = [
    ...given.map((name) => `groupUniqArrayIf(${text(name)}, ${isWanted(name)}) AS ${name}`),
    ...FILTER_NAMES.filter((name) => own !== '' && tables.has(name)).map((name) => {
      return `groupUniqArrayIf(${text(name)}, ${text(name)} != '') AS own_${name}`
    }),
    ...(wantsProjects
      ? [
          `groupUniqArrayIf(${text('projects')}, ${given.map(isWanted).join(' AND ')}) AS narrowed_projects`,
        ]
      : []),
  ]
  if (columns.length === 0) return {}
  const sql = `SELECT ${columns.join(', ')} FROM (${HIERARCHY}) ${own === '' ? '' : `WHERE ${own}`}`
  return await readFound(engine, sql, given, filters, signal)
}

/**
 * Looks for what the hierarchy lacks in the login's own rows of the report's table: the gate of an earlier endpoint,
 * a currency without an endpoint. Most requests need no such look-up. Whether an id is another's or unknown makes no
 * difference to what is read.
 */
async function lookUpInRows(
  own: string,
  { rows, currencies: currency }: Template,
  filters: Filters,
  found: Found,
  engine: Engine,
  signal: AbortSignal,
): Promise<Found> {
  const missing = givenIn(filters).filter((name) => {
    const isColumn = rows === 'transactions' || !BELOW_PROJECTS.includes(name)
    return isColumn && !filters[name].every((value) => found[name]?.includes(canonical(value)))
  })
  if (missing.length === 0) return {}
  const columns = missing.map((name) => {
    const wanted = `splitByChar(',', {${name}:String})`
    const [column, values] =
      name === 'currencies'
        ? [currency, wanted]
        : [FILTER_COLUMNS[name], `arrayMap(id -> toInt64(id), ${wanted})`]
    return `arrayMap(id -> toString(id), groupUniqArrayIf(${column}, ${column} IN ${values})) AS ${name}`
  })
  const sql = `SELECT ${columns.join(', ')} FROM ${rows} FINAL ${own === '' ? '' : `WHERE ${own}`}`
  return await readFound(engine, sql, missing, filters, signal)
}

async function readFound(
  engine: Engine,
  sql: string,
  names: readonly FilterName[],
  filters: Filters,
  signal: AbortSignal,
): Promise<Found> {
  const parameters = Object.fromEntries(
    names.map((name) => [name, [...new Set(filters[name].map(canonical))].join(',')]),
  )
  const row = z.record(z.string(), z.array(z.string()))
  const [found] = await readRows(engine, row, { sql, parameters, settings: NULLS }, signal)
  return found ?? {}
}

function checkFilters(filters: Filters, found: readonly Found[]): void {
  const faults: ProblemFault[] = []
  let count = 0
  for (const name of givenIn(filters)) {
    const known = new Set(found.flatMap((ids) => ids[name] ?? []))
    for (const [index, value] of filters[name].entries()) {
      if (known.has(canonical(value))) continue
      count += 1
      if (faults.length >= LIMITS.faultsShownMax) continue
      const expected = `${name} that are yours, or an empty array for all of them`
      faults.push({ pointer: `/filters/${name}/${index}`, expected })
    }
  }
  if (count > 0) throw fieldProblem('invalid-filter', faults, count)
}

/** An id as the ledger prints it, without leading zeros. */
function canonical(value: string): string {
  return value.startsWith('0') && value.length > 1 ? value.replace(/^0+(?=.)/, '') : value
}
