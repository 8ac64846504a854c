import { FILTER_NAMES, type FilterName, type ProblemFault } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { fieldProblem } from '../errors.ts'
import { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS } from '../ledger/hierarchy.ts'
import type { LedgerTable } from '../ledger/model.ts'
import { LIMITS } from '../limits.ts'
import type { Consumer } from '../store/store.ts'
import type { CatalogueReport } from '../templates/load-templates.ts'
import type { Envelope } from './envelope.ts'

/** Which rows of the ledger a report may see. */
export interface Scope {
  /** SQL over a table's columns, made of ids alone; no entry for a table of which it is all rows. */
  readonly conditions: ReadonlyMap<LedgerTable, string>
}

type Viewer = Pick<Consumer, 'role' | 'sees'>
type Filters = Envelope['filters']

/** The tables whose rows carry the ids of those that they belong to. */
const FACTS = ['transactions', 'statements'] as const

/** What a project's statement has no column for: there, these filters choose the projects. */
const BELOW_PROJECTS: readonly FilterName[] = ['gates', 'endpoints', 'processors']

// What a merchant does not have is nothing, and not the id 0.
const NULLS = { join_use_nulls: 1 }

/**
 * Tells what a consumer sees, narrowed by the filters of a request. Of transactions and statements, it is what carries
 * the consumer's ids; of every other table, what hangs together with them in the hierarchy. Filters narrow the table
 * that the report's rows stand for. Throws `invalid-filter`, with the same words for an id that is unknown and for one
 * that is another's.
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
  checkFilters(filters, found)
  const conditions = new Map<LedgerTable, string>()
  const { rows } = report.template
  for (const table of FACTS) {
    const narrowed = table === rows ? narrow(table, filters, found) : []
    const all = [...(own === '' ? [] : [own]), ...narrowed]
    if (all.length > 0) conditions.set(table, all.join(' AND '))
  }
  for (const table of own === '' ? [] : FILTER_NAMES) {
    const ids = report.tables.has(table) ? (found[`own_${table}`] ?? []) : []
    conditions.set(table, isOneOf(table, ids))
  }
  return { conditions }
}

function viewOf({ role, sees }: Viewer): string {
  if (role === 'operator') return ''
  // A consumer that sees nothing sees nothing: an empty IN would be no condition at all in some engines.
  return sees.length > 0 ? `${ROLE_COLUMNS[role]} IN (${sees.map(Math.trunc).join(', ')})` : '0'
}

function givenIn(filters: Filters): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name].length > 0)
}

/** SQL that holds where a column is one of some values: digits or three capital letters, as was seen to before. */
function isOneOf(name: FilterName, values: readonly string[]): string {
  if (values.length === 0) return '0'
  const distinct = [...new Set(values.map(canonical))]
  const literals = name === 'currencies' ? distinct.map((code) => `'${code}'`) : distinct
  return `${FILTER_COLUMNS[name]} IN (${literals.join(', ')})`
}

function narrow(table: (typeof FACTS)[number], filters: Filters, found: Found): readonly string[] {
  const given = givenIn(filters)
  if (table === 'transactions') return given.map((name) => isOneOf(name, filters[name]))
  const direct = given.filter((name) => !BELOW_PROJECTS.includes(name))
  return [
    ...direct.map((name) => isOneOf(name, filters[name])),
    ...(direct.length < given.length ? [isOneOf('projects', found.narrowed_projects ?? [])] : []),
  ]
}

/** Lists of ids as text: of a filter those that are the consumer's, of a table all that are, and projects. */
type Found = Readonly<Record<string, readonly string[]>>

/** One look-up for everything, over all that the consumer sees: its cost does not tell what is there. */
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
  const parameters = Object.fromEntries(
    given.map((name) => [name, [...new Set(filters[name].map(canonical))].join(',')]),
  )
  const row = z.record(z.string(), z.array(z.string()))
  const [found] = await readRows(engine, row, { sql, parameters, settings: NULLS }, signal)
  return found ?? {}
}

function checkFilters(filters: Filters, found: Found): void {
  const faults: ProblemFault[] = []
  let count = 0
  for (const name of givenIn(filters)) {
    const known = new Set(found[name])
    for (const [index, value] of filters[name].entries()) {
      if (known.has(canonical(value))) continue
      count += 1
      if (faults.length >= LIMITS.faultsToldMax) continue
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
