import { FILTER_NAMES, type FilterName, type ProblemFault } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Engine, readRows } from '../engine/engine.ts'
import { fieldProblem } from '../errors.ts'
import { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS } from '../ledger/hierarchy.ts'
import type { Consumer } from '../store/store.ts'
import type { Envelope } from './envelope.ts'

/** Which rows of the ledger a report may see. */
export interface Scope {
  /** SQL over the ledger's columns, made of ids alone; empty where it is all rows. */
  readonly condition: string
}

// What a merchant does not have is nothing, and not the id 0.
const NULLS = { join_use_nulls: 1 }

type Viewer = Pick<Consumer, 'role' | 'sees'>

/**
 * Narrows what a consumer sees by the filters of a request.
 * Throws `invalid-filter`, with the same words for an id that is unknown and for one that is another's.
 */
export async function readScope(
  viewer: Viewer,
  filters: Envelope['filters'],
  engine: Engine,
  signal: AbortSignal,
): Promise<Scope> {
  const own = viewOf(viewer)
  const given = FILTER_NAMES.filter((name) => filters[name].length > 0)
  if (given.length > 0) await checkFilters(own, filters, given, engine, signal)
  const narrowed = given.map((name) => `${FILTER_COLUMNS[name]} IN (${literals(name, filters)})`)
  return { condition: [own, ...narrowed].filter((condition) => condition !== '').join(' AND ') }
}

function viewOf({ role, sees }: Viewer): string {
  if (role === 'operator') return ''
  // A consumer that sees nothing sees nothing: an empty IN would be no condition at all in some engines.
  return sees.length > 0 ? `${ROLE_COLUMNS[role]} IN (${sees.map(Math.trunc).join(', ')})` : '0'
}

/** The values of a filter as SQL: digits or three capital letters, which the envelope has seen to. */
function literals(name: FilterName, filters: Envelope['filters']): string {
  const values = filters[name]
  return name === 'currencies' ? values.map((code) => `'${code}'`).join(', ') : values.join(', ')
}

/** One look-up for all filters, over everything the consumer sees: its cost does not tell what is there. */
async function checkFilters(
  own: string,
  filters: Envelope['filters'],
  given: readonly FilterName[],
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  const columns = given.map((name) => {
    const text = `ifNull(toString(${FILTER_COLUMNS[name]}), '')`
    return `groupUniqArrayIf(${text}, has({${name}:Array(String)}, ${text})) AS ${name}`
  })
  const sql = `SELECT ${columns.join(', ')} FROM (${HIERARCHY}) ${own === '' ? '' : `WHERE ${own}`}`
  const wanted = Object.fromEntries(given.map((name) => [name, filters[name].map(canonical)]))
  const found = z.partialRecord(z.enum(FILTER_NAMES), z.array(z.string()))
  const [row] = await readRows(engine, found, { sql, parameters: wanted, settings: NULLS }, signal)
  const faults = given.flatMap((name): ProblemFault[] => {
    const known = new Set(row?.[name])
    return filters[name].flatMap((value, index) => {
      if (known.has(canonical(value))) return []
      const expected = `${name} that are yours, or an empty array for all of them`
      return [{ pointer: `/filters/${name}/${index}`, expected }]
    })
  })
  if (faults.length > 0) throw fieldProblem('invalid-filter', faults)
}

/** An id as the ledger prints it, without leading zeros. */
function canonical(value: string): string {
  return /^\d+$/.test(value) ? BigInt(value).toString() : value
}
