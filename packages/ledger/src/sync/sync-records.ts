import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'

/** What the ledger keeps of the last sync of a source. */
export interface SyncRecord {
  readonly source: string
  readonly table: string
  /** When the last sync began, in UTC. */
  readonly triedAt: string
  /** When the last sync that succeeded began: the ledger has what the database had then. Undefined if none did. */
  readonly syncedAt: string | undefined
  /** A hash of the source. */
  readonly definition: string
  /** The newest change that a sync saw: a text that sorts as the times do, or empty. */
  readonly newestChange: string
  /** Rows that the last sync wrote and deleted, and rows of the database that are refused. */
  readonly taken: number
  readonly deleted: number
  readonly refused: number
  /** Why the last sync failed. Empty if it succeeded. */
  readonly error: string
}

const recordRow = z.object({
  source: z.string(),
  table: z.string(),
  triedAt: z.string(),
  syncedAt: z.string().transform((time) => (time === '' ? undefined : time)),
  definition: z.string(),
  newestChange: z.string(),
  taken: z.coerce.number(),
  deleted: z.coerce.number(),
  refused: z.coerce.number(),
  error: z.string(),
})

/** Lists the last sync of every source. */
export async function listSyncs(engine: Pick<Queries, 'stream'>): Promise<readonly SyncRecord[]> {
  const time = (name: string): string => `ifNull(formatDateTime(${name}, '%FT%TZ', 'UTC'), '')`
  return await readRows(engine, recordRow, {
    sql: `SELECT source, toString(ledger_table) AS table, ${time('tried_at')} AS triedAt, ${time('synced_at')} AS syncedAt,
      definition, newest_change AS newestChange, taken, deleted, refused, error
    FROM ledger_syncs FINAL ORDER BY source`,
    parameters: {},
  })
}

/** Writes the record of a sync, which replaces the one before. */
export async function writeSync(
  engine: Queries,
  { source, table, syncedAt, definition, newestChange, ...counts }: Omit<SyncRecord, 'triedAt'>,
): Promise<void> {
  const { taken, deleted, refused, error } = counts
  await engine.execute(
    `INSERT INTO ledger_syncs SELECT {source:String}, {table:String}, now64(3),
      parseDateTime64BestEffortOrNull({syncedAt:String}, 3, 'UTC'), {definition:String}, {newestChange:String},
      {taken:UInt64}, {deleted:UInt64}, {refused:UInt64}, {error:String}`,
    {
      source,
      table,
      syncedAt: syncedAt ?? '',
      definition,
      newestChange,
      taken,
      deleted,
      refused,
      error,
    },
  )
}
