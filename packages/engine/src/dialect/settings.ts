import { LIMITS } from '@counterfoil/common'
import { literal } from './literals.ts'

/** Settings of a query, by name. */
export type Settings = Readonly<Record<string, string | number>>

// These settings keep the memory of a large ordered result small: the engine reads each part of the ledger in its own
// order, with few rows and a small buffer. Measured in bench/: the engine's defaults take twice the memory. Blocks of
// half the rows would take 140 MiB less and 1.24 times the processor time (docs/decisions/0027-a-row-is-one-text.md).
export const STREAMING_SETTINGS = {
  max_threads: 2,
  max_block_size: 8192,
  max_read_buffer_size: 65_536,
  local_filesystem_read_method: 'pread',
  read_in_order_use_buffering: 0,
  do_not_merge_across_partitions_select_final: 1,
  // Compiling an expression to machine code takes longer than most reports, and neither a kill nor a time limit ends
  // it.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
  // The engine would run a sub-select of IN while it plans the query, and no kill ends that.
  use_index_for_in_with_subqueries: 0,
  // To see whether a join can be an inner one, the engine would compute the conditions while it plans the query.
  query_plan_convert_outer_join_to_inner_join: 0,
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

/**
 * The settings of every query and statement on a server. A server knows them before it parses the query. Most of them
 * replace settings that the server's own profiles may have, and that would truncate or change a result.
 */
export const SERVER_SETTINGS = {
  distinct_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  timeout_overflow_mode: 'throw',
  transfer_overflow_mode: 'throw',
  additional_result_filter: '',
  extremes: 0,
  limit: 0,
  offset: 0,
  session_timezone: '',
  // On `Distributed` tables, every server answers or the query fails, and a report keeps the order of the rows.
  skip_unavailable_shards: 0,
  optimize_skip_unused_shards: 0,
  distributed_group_by_no_merge: 0,
  enable_parallel_replicas: 0,
  enable_analyzer: 1,
  query_plan_remove_redundant_sorting: 0,
  // The text of a query holds its scope, and a scope has as many ids as fit into a request's body.
  max_query_size: 4 * LIMITS.bodyBytesMax,
  // The gateway reads as fast as its caller does, and a caller may pause.
  http_send_timeout: (2 * LIMITS.stalledReaderMs) / 1000,
  // The server would write an error as one more row.
  http_write_exception_in_output_format: 0,
  cancel_http_readonly_queries_on_client_close: 1,
} as const satisfies Settings

/**
 * Returns the setting that keeps the sub-selects of `IN` on the server that got the query. `Distributed` tables of an
 * operator would send them to other servers as conditions, and a report has no right to run them there.
 */
export function subSelectSettings(sql: string): Settings {
  const hasSubSelect = /\bIN\s*\(\s*(?:SELECT|WITH)\b/i.test(sql)
  return hasSubSelect ? { allow_push_predicate_ast_for_distributed_subqueries: 0 } : {}
}

/** Writes settings as a `SETTINGS` clause. */
export function settingsClause(settings: Settings): string {
  const written = Object.entries(settings).map(([name, value]) => {
    return `${name} = ${typeof value === 'number' ? value : literal(value)}`
  })
  return `SETTINGS ${written.join(', ')}`
}

/**
 * The setting that adds a condition to tables, below anything that a query says about them. A name is an alias, or a
 * table with its database. The engine applies the first entry that matches.
 */
export function tableFilters(conditions: Iterable<readonly [name: string, sql: string]>): Settings {
  const filters = [...conditions].map(([name, sql]) => `${literal(name)}: ${literal(sql)}`)
  return filters.length > 0 ? { additional_table_filters: `{${filters.join(', ')}}` } : {}
}
