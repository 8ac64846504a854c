import { literal } from './literals.ts'

/** Settings of a query, by name. */
export type Settings = Readonly<Record<string, string | number>>

// These settings keep the memory of a large ordered result small: the engine reads each part of the ledger in its own
// order, with few rows and a small buffer. Measured in bench/: the engine's defaults take twice the memory.
export const STREAMING_SETTINGS = {
  max_threads: 2,
  max_block_size: 8192,
  max_read_buffer_size: 65_536,
  local_filesystem_read_method: 'pread',
  read_in_order_use_buffering: 0,
  do_not_merge_across_partitions_select_final: 1,
  // Compiling an expression to machine code takes longer than most reports, and neither a kill nor a time limit ends it.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
  // The engine would run a sub-select of IN while it plans the query, and that blocks a worker with all its sessions.
  use_index_for_in_with_subqueries: 0,
  output_format_parallel_formatting: 0,
} as const satisfies Settings

/**
 * The settings of every report: read only; read only the latest version of each transaction in every table; and never
 * let an alias replace a column.
 */
export const SELECT_SETTINGS: Settings = {
  readonly: 1,
  final: 1,
  prefer_column_name_to_alias: 1,
}

/** Writes settings as a `SETTINGS` clause. */
export function settingsClause(settings: Settings): string {
  const written = Object.entries(settings).map(([name, value]) => {
    return `${name} = ${typeof value === 'number' ? value : literal(value)}`
  })
  return `SETTINGS ${written.join(', ')}`
}
