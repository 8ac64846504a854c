import { type Catalogue, FILTER_NAMES, type FilterName } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { FILTER_COLUMNS, HIERARCHY } from '@counterfoil/ledger'
import { LIMITS } from '@counterfoil/common'
import type { Login } from '@counterfoil/store'
import { viewOf } from './scope.ts'

const row = z.object({
  filter: z.enum(FILTER_NAMES),
  values: z.array(z.object({ id: z.string(), name: z.string() })),
})

/** The filters whose ids have names in the table of the filter. */
const NAMED = FILTER_NAMES.filter((name) => name !== 'currencies')

/**
 * Reads what a login may filter by: the ids of its part of today's hierarchy with their names, and the currencies
 * of its statements. Values are ordered by name. Of each filter it reads `LIMITS.filterValuesListedMax` values, and whether there are more.
 */
export async function readFilterValues(
  viewer: Pick<Login, 'role' | 'sees'>,
  engine: Queries,
  signal: AbortSignal,
): Promise<NonNullable<Catalogue['filterValues']>> {
  const own = viewOf(viewer)
  const where = own === '' ? '' : `WHERE ${own}`
  const max = LIMITS.filterValuesListedMax
  const sql = `
SELECT filter, groupArray(CAST((id, name), 'Tuple(id String, name String)')) AS values
FROM (
  SELECT filter, id, if(filter = 'currencies', id, ifNull(names.name, '')) AS name
  FROM (
    SELECT DISTINCT pair.1 AS filter, pair.2 AS id
    FROM (
      SELECT arrayJoin([${FILTER_NAMES.map(pairOf).join(', ')}]) AS pair FROM (${HIERARCHY}) ${where}
      UNION ALL
      SELECT DISTINCT ('currencies', toString(currency)) AS pair FROM statements ${where}
    )
  ) AS ids
  LEFT JOIN (${NAMED.map(namesOf).join(' UNION ALL ')}) AS names USING (filter, id)
  WHERE id != ''
  ORDER BY filter, name, length(id), id
  LIMIT ${max + 1} BY filter
)
GROUP BY filter`
  const settings = { join_use_nulls: 1, output_format_json_named_tuples_as_objects: 1 }
  const rows = await readRows(engine, row, { sql, parameters: {}, settings }, signal)
  const known = new Map(rows.map(({ filter, values }) => [filter, values]))
  const entries = FILTER_NAMES.map((name) => {
    const values = known.get(name) ?? []
    return [name, { values: values.slice(0, max), more: values.length > max }] as const
  })
  return Object.fromEntries(entries)
}

/** Returns SQL for the name of a filter and the id of a row of the hierarchy. A missing id is an empty text. */
function pairOf(filter: FilterName): string {
  return `('${filter}', ifNull(${FILTER_COLUMNS[filter]}, ''))`
}

/** Returns the SELECT of a filter's names. */
function namesOf(filter: FilterName): string {
  return `SELECT '${filter}' AS filter, ${FILTER_COLUMNS[filter]} AS id, name FROM ${filter} FINAL`
}
