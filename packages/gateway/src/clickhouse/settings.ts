import { literal } from './literals.ts'

/** Settings of a query, by name. */
export type Settings = Readonly<Record<string, string | number>>

// How a large ordered result stays small in memory: the ledger's parts are read in their own order, a few rows
// and a small buffer each. Measured in bench/: with the engine's own values it takes twice the memory.
export const STREAMING_SETTINGS = {
  max_threads: 2,
  max_block_size: 8192,
  max_read_buffer_size: 65_536,
  local_filesystem_read_method: 'pread',
  read_in_order_use_buffering: 0,
  do_not_merge_across_partitions_select_final: 1,
  output_format_parallel_formatting: 0,
} as const satisfies Settings

/**
 * The settings that every report runs under: it reads and nothing else; of a transaction that came again it sees the
 * latest version alone, wherever the ledger is named; and no alias stands in for a column.
 */
export const SELECT_SETTINGS: Settings = {
  readonly: 1,
  final: 1,
  prefer_column_name_to_alias: 1,
}

/** A `SETTINGS` clause. */
export function settingsClause(settings: Settings): string {
  const written = Object.entries(settings).map(([name, value]) => {
    return `${name} = ${typeof value === 'number' ? value : literal(value)}`
  })
  return `SETTINGS ${written.join(', ')}`
}
