import { LIMITS } from '../limits.ts'
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
  // The engine would run a sub-select of IN while it plans the query, and that blocks a worker with all its sessions.
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
  // On a sharded ledger, every shard answers or the query fails, and a report keeps the order of the shards' rows.
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

// IN before anything but a list of literals or a bound value: a sub-select, or its name. ANY and ALL take sub-selects.
const SEARCHED_QUERY =
  /\b(?:(?:global|not|null)*in(?:ignoreset)?\b[\s(]*[a-z_]|(?:any|all)\s*\([\s(]*(?:select|with)\b)/i
const TEXT = /'(?:[^'\\]|\\.|'')*'|‘[^’]*’|\$(?<tag>\w*)\$.*?\$\k<tag>\$/
const QUOTED_NAME = /"(?:[^"\\]|\\.|"")*"|`(?:[^`\\]|\\.|``)*`|“[^”]*”/
const LINE_COMMENT = /(?:--|#[ !])[^\n]*/
// A dollar sign inside a word begins no text.
const OTHER = /\/\*|[a-z_][\w$]*|[^'‘$"`“#/a-z_-]+|./
const IN_QUERY = new RegExp(
  `(?<text>${TEXT.source}|${LINE_COMMENT.source})|(?<name>${QUOTED_NAME.source})|${OTHER.source}`,
  'gisy',
)
const IN_COMMENT = /\/\*|\*\/|[^*/]+|./gsy

/**
 * Returns the settings that a query needs on a sharded ledger. Shards filter the rows by the conditions of a query. A
 * sub-select of IN is a condition too, but a shard must not run it: there, its tables have other names and no filter.
 * Conditions with very early or very late instants stay on the first server too.
 */
export function shardSettings(
  sql: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Settings {
  const staysHere = SEARCHED_QUERY.test(withoutTexts(sql)) || hasDistantInstant(parameters)
  return staysHere ? { allow_push_predicate_ast_for_distributed_subqueries: 0 } : {}
}

// Seconds since 1970 have nine or ten digits from 1973-03-03 to 2286-11-20.
const DISTANT_INSTANT = /^(?:1[0-8]\d\d|19[0-6]\d|197[0-3]|228[6-9]|229\d)-\d\d-\d\d /

/**
 * Whether a bound value is an instant that no shard can read. ClickHouse sends an instant as its seconds since 1970,
 * and takes fewer than nine digits, more than ten, or a negative number for a date ("Cannot read DateTime").
 */
export function hasDistantInstant(parameters: Readonly<Record<string, unknown>>): boolean {
  return Object.values(parameters).some((value) => {
    return typeof value === 'string' && DISTANT_INSTANT.test(value)
  })
}

/**
 * Replaces every text and comment of a query with a space. A name in quotes loses its quotes, and everything but
 * letters and digits. Comments may contain comments.
 */
function withoutTexts(sql: string): string {
  let rest = ''
  let depth = 0
  for (let at = 0; at < sql.length; ) {
    const pattern = depth > 0 ? IN_COMMENT : IN_QUERY
    pattern.lastIndex = at
    const { 0: token = '', groups: { text, name } = {} } = pattern.exec(sql) ?? {}
    at += token.length
    if (token === '/*') depth += 1
    else if (depth > 0) depth -= token === '*/' ? 1 : 0
    else if (text !== undefined) rest += ' '
    else rest += name?.slice(1, -1).replaceAll(/\W/g, '_') ?? token
  }
  return rest
}

/** Writes settings as a `SETTINGS` clause. */
export function settingsClause(settings: Settings): string {
  const written = Object.entries(settings).map(([name, value]) => {
    return `${name} = ${typeof value === 'number' ? value : literal(value)}`
  })
  return `SETTINGS ${written.join(', ')}`
}
