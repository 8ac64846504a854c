import * as z from 'zod'
import { literals, type Queries, readRows } from '@counterfoil/engine'
import { LEDGER_TABLES } from '../model/model.ts'

const TABLES = Object.keys(LEDGER_TABLES)

// An insert adds a block to its partition, and a merge keeps the highest. A mutation ends the names of its parts.
const REVISION = `SELECT
  (SELECT count() FROM system.tables WHERE database = currentDatabase() AND name IN ${literals(TABLES)}
    AND engine LIKE '%MergeTree') AS tables,
  (SELECT toString(groupBitXor(cityHash64(table, partition_id, block, version))) FROM (
    SELECT table, partition_id, max(max_block_number) AS block,
      max(toUInt64OrZero(splitByChar('_', name)[5])) AS version
    FROM system.parts WHERE active AND database = currentDatabase() AND table IN ${literals(TABLES)}
    GROUP BY table, partition_id)) AS revision`

const revisionRow = z.object({ tables: z.coerce.number(), revision: z.string() })

/**
 * Returns a text that changes with every insert, import and deletion of the ledger, but not with a merge. Two queries
 * between two equal revisions have read the same rows.
 *
 * @returns undefined if a table of the ledger is none of this server, such as a view of `Distributed` tables
 */
export async function readRevision(
  engine: Pick<Queries, 'stream'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [row] = await readRows(engine, revisionRow, REVISION, signal)
  return row?.tables === TABLES.length ? row.revision : undefined
}
