import { literal } from './literals.ts'
import type { Settings } from './settings.ts'

/**
 * The setting that adds a condition to tables, below anything that a query says about them. A name is an alias, or a
 * table with its database. The engine applies the first entry that matches.
 */
export function tableFilters(conditions: Iterable<readonly [name: string, sql: string]>): Settings {
  const filters = [...conditions].map(([name, sql]) => `${literal(name)}: ${literal(sql)}`)
  return filters.length > 0 ? { additional_table_filters: `{${filters.join(', ')}}` } : {}
}
