import { literal } from './literals.ts'
import type { Settings } from './settings.ts'

/**
 * The setting that lays a condition on tables, below whatever a query says of them: by the name of a table with its
 * database, or by an alias. The engine applies the first entry that fits.
 */
export function tableFilters(conditions: Iterable<readonly [name: string, sql: string]>): Settings {
  const filters = [...conditions].map(([name, sql]) => `${literal(name)}: ${literal(sql)}`)
  return filters.length > 0 ? { additional_table_filters: `{${filters.join(', ')}}` } : {}
}
