import { FILTER_NAMES, type FilterName, type ProblemFault } from '@counterfoil/protocol'
import * as z from 'zod'
import { literal, type Queries, readRows } from '@counterfoil/engine'
import { fieldProblem, LIMITS } from '@counterfoil/common'
import { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS } from '@counterfoil/ledger'
import type { Login } from '@counterfoil/store'
import { type CatalogueReport, UNFILTERED } from '@counterfoil/templates'
import type { Envelope } from './envelope.ts'

/**
 * The rows of the ledger that a report may see: the SQL condition of each table, by the name that a report gives the
 * table. A condition holds ids and codes as literals. A name without an entry is not restricted. `UNFILTERED` comes
 * first, because the engine applies the first entry that matches the alias or the name.
 */
export type Scope = ReadonlyMap<string, string>

/** A login, as far as it decides about rows. */
export type Viewer = Pick<Login, 'role' | 'sees'>
type Filters = Envelope['filters']

interface Asked {
  /** See {@link viewOf}. */
  readonly own: string
  readonly report: CatalogueReport
  readonly filters: Filters
  readonly engine: Queries
  readonly signal: AbortSignal
}

const FACTS = ['transactions', 'statements'] as const

/** The filters for which a statement has no column. They choose the statements of the projects that have used the ids. */
const BELOW_PROJECTS: readonly FilterName[] = ['gates', 'endpoints', 'processors']

/** The settings of look-ups: a missing id is NULL, and not empty; only the latest version of a row counts. */
const LOOK_UP = { join_use_nulls: 1, final: 1 }

/**
 * Reads the scope of a login, narrowed by the filters of a request. In transactions and statements, the login sees the
 * rows with its ids. In every other table, it sees the rows that belong to its ids in the hierarchy. Filters narrow the
 * table of the report's rows, except where the report reads that table under the alias `UNFILTERED`. If the rows are
 * statements, that alias has every row of the merchants whose statements the login sees: a statement of today's
 * manager may settle transactions of the manager before.
 *
 * @throws `invalid-filter`, with the same text for an unknown id and for an id outside the login's scope
 */
export async function readScope(
  viewer: Viewer,
  report: CatalogueReport,
  filters: Filters,
  engine: Queries,
  signal: AbortSignal,
): Promise<Scope> {
  const own = viewOf(viewer)
  const asked = { own, report, filters, engine, signal }
  const lists = await lookUp(asked)
  checkFilters(filters, [lists, ...(await lookUpInRows(asked, lists))])
  const conditions = new Map<string, string>()
  const narrowed = await narrow(asked)
  const whole = await wholeOf(asked, viewer)
  if (narrowed.length > 0 || whole !== own) conditions.set(UNFILTERED, whole === '' ? '1' : whole)
  for (const table of FACTS) {
    const all = [...(own === '' ? [] : [own]), ...(table === report.template.rows ? narrowed : [])]
    if (all.length > 0) conditions.set(table, all.join(' AND '))
  }
  for (const table of own === '' ? [] : FILTER_NAMES) {
    const ids = report.tables.has(table) ? (lists[`own_${table}`] ?? []) : []
    conditions.set(table, isOneOf(FILTER_COLUMNS[table], ids))
  }
  return conditions
}

/** Returns the SQL condition for the transactions and statements that a login may see. Empty if it sees all. */
export function viewOf({ role, sees }: Viewer): string {
  if (role === 'operator') return ''
  // A login without ids sees no row.
  return isOneOf(ROLE_COLUMNS[role], sees)
}

function usedFilters(filters: Filters): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name].length > 0)
}

function isOneOf(column: string, values: readonly string[]): string {
  if (values.length === 0) return '0'
  return `${column} IN (${[...new Set(values)].map(literal).join(', ')})`
}

async function narrow(asked: Asked): Promise<readonly string[]> {
  const { own, report, filters } = asked
  const { rows, currencies } = report.template
  const names = usedFilters(filters)
  const conditionOf = (name: FilterName): string => {
    return isOneOf(name === 'currencies' ? currencies : FILTER_COLUMNS[name], filters[name])
  }
  const below = rows === 'statements' ? names.filter((name) => BELOW_PROJECTS.includes(name)) : []
  const direct = names.filter((name) => !below.includes(name)).map(conditionOf)
  if (below.length === 0) return direct
  const isUsed = below
    .map((name) => `${FILTER_COLUMNS[name]} IN ${boundValues(name)}`)
    .join(' AND ')
  const sql = `SELECT groupUniqArray(assumeNotNull(project_id)) AS projects FROM (
    SELECT project_id FROM (${HIERARCHY}) WHERE ${isUsed}
    UNION ALL
    SELECT project_id FROM transactions WHERE ${isUsed} AND ${own || '1'})`
  const { projects = [] } = await readIdLists(asked, sql, below)
  return [...direct, isOneOf(FILTER_COLUMNS.projects, projects)]
}

/** Returns the condition of `UNFILTERED`. A merchant keeps its id, but not its manager and its reseller. */
async function wholeOf(asked: Asked, { role }: Viewer): Promise<string> {
  const { own, report } = asked
  if (report.template.rows !== 'statements' || own === '' || role === 'merchant') return own
  const sql = `SELECT groupUniqArray(merchant_id) AS merchants
    FROM statements WHERE ${own}`
  const { merchants = [] } = await readIdLists(asked, sql, [])
  return isOneOf(FILTER_COLUMNS.merchants, merchants)
}

/** No id has a control character. */
const SEPARATOR = '\n'

/** Returns SQL: the values of a filter. They are one text, because the engine takes much longer to bind an array of 10,000. */
function boundValues(name: FilterName): string {
  return `splitByChar(${literal(SEPARATOR)}, {${name}:String})`
}

/**
 * Lists of ids that belong to the login: by the name of a filter, the filter's ids; under `own_` and the name
 * of a table, all ids.
 */
type IdLists = Readonly<Record<string, readonly string[]>>

/** Looks up ids in the login's complete hierarchy, so that the cost does not reveal which ids exist. */
async function lookUp(asked: Asked): Promise<IdLists> {
  const { own, report, filters } = asked
  const names = usedFilters(filters)
  const text = (name: FilterName): string => `ifNull(${FILTER_COLUMNS[name]}, '')`
  const columns = [
    ...names.map((name) => {
      return `groupUniqArrayIf(${text(name)}, has(${boundValues(name)}, ${text(name)})) AS ${name}`
    }),
    ...FILTER_NAMES.filter((name) => own !== '' && report.tables.has(name)).map((name) => {
      return `groupUniqArrayIf(${text(name)}, ${text(name)} != '') AS own_${name}`
    }),
  ]
  if (columns.length === 0) return {}
  const sql = `SELECT ${columns.join(', ')} FROM (${HIERARCHY}) ${own === '' ? '' : `WHERE ${own}`}`
  return await readIdLists(asked, sql, names)
}

/**
 * Looks up filter values that the hierarchy lacks in the login's own rows: the gate of an earlier endpoint, or a
 * currency without an endpoint. Most requests need no such look-up. The query reads the same rows for an unknown id as
 * for an id outside the login's scope.
 */
async function lookUpInRows(asked: Asked, lists: IdLists): Promise<readonly IdLists[]> {
  const { own, report, filters } = asked
  const { rows, currencies: currency } = report.template
  const missing = usedFilters(filters).filter((name) => {
    const known = new Set(lists[name])
    return !filters[name].every((value) => known.has(value))
  })
  const found: IdLists[] = []
  for (const table of FACTS) {
    const names = missing.filter((name) => {
      return table === (BELOW_PROJECTS.includes(name) ? 'transactions' : rows)
    })
    if (names.length === 0) continue
    const columns = names.map((name) => {
      const column = name === 'currencies' ? currency : FILTER_COLUMNS[name]
      return `groupUniqArrayIf(${column}, ${column} IN ${boundValues(name)}) AS ${name}`
    })
    const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${own || '1'}`
    found.push(await readIdLists(asked, sql, names))
  }
  return found
}

async function readIdLists(
  { engine, filters, signal }: Asked,
  sql: string,
  names: readonly FilterName[],
): Promise<IdLists> {
  const parameters = Object.fromEntries(
    names.map((name) => [name, [...new Set(filters[name])].join(SEPARATOR)]),
  )
  const row = z.record(z.string(), z.array(z.string()))
  const [lists] = await readRows(engine, row, { sql, parameters, settings: LOOK_UP }, signal)
  return lists ?? {}
}

function checkFilters(filters: Filters, lists: readonly IdLists[]): void {
  const faults: ProblemFault[] = []
  let count = 0
  for (const name of usedFilters(filters)) {
    const known = new Set(lists.flatMap((ids) => ids[name] ?? []))
    for (const [index, value] of filters[name].entries()) {
      if (known.has(value)) continue
      count += 1
      if (faults.length >= LIMITS.faultsShownMax) continue
      const expected = `${name} that are yours, or an empty array for all of them`
      faults.push({ pointer: `/filters/${name}/${index}`, expected })
    }
  }
  if (count > 0) throw fieldProblem('invalid-filter', faults, count)
}
