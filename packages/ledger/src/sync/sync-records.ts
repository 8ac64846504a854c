import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'

const syncRecord = z.object({
  source: z.string(),
  table: z.string(),
  /** When the last sync began, in UTC. */
  triedAt: z.string(),
  /** When the last sync that succeeded began: the ledger has what the database had then. Undefined if none did. */
  syncedAt: z.string().transform((time) => (time === '' ? undefined : time)),
  /** A hash of the source. */
  definition: z.string(),
  /** The newest change that a sync saw: a text that sorts as the times do, or empty. */
  newestChange: z.string(),
  /** Rows that the last sync wrote and deleted, and rows of the database that are refused. */
  taken: z.coerce.number(),
  deleted: z.coerce.number(),
  refused: z.coerce.number(),
  /** Why the last sync failed. Empty if it succeeded. */
  error: z.string(),
})

/** What the ledger keeps of the last sync of a source. */
export type SyncRecord = Readonly<z.output<typeof syncRecord>>

export async function listSyncs(engine: Pick<Queries, 'stream'>): Promise<readonly SyncRecord[]> {
  const time = (name: string): string => `ifNull(formatDateTime(${name}, '%FT%TZ', 'UTC'), '')`
  const sql = `SELECT *, ledger_table AS table, ${time('tried_at')} AS triedAt, ${time('synced_at')} AS syncedAt,
      newest_change AS newestChange
    FROM ledger_syncs FINAL ORDER BY source`
  return await readRows(engine, syncRecord, sql)
}

/** Writes the record of a sync, which replaces the one before. */
export async function writeSync(
  engine: Queries,
  record: Omit<SyncRecord, 'triedAt'>,
): Promise<void> {
  await engine.execute(
    `INSERT INTO ledger_syncs SELECT {source:String}, {table:String}, now64(3),
      parseDateTime64BestEffortOrNull({syncedAt:String}, 3, 'UTC'), {definition:String}, {newestChange:String},
      {taken:UInt64}, {deleted:UInt64}, {refused:UInt64}, {error:String}`,
    { ...record, syncedAt: record.syncedAt ?? '' },
  )
}
