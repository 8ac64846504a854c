import * as z from 'zod'
import { type Queries, readRows } from '../engine/engine.ts'

// The functions of the build need no list of their own. `log_comment` is the id of the query.
const FACTS = `SELECT fact, name, text FROM (
  SELECT 'version' AS fact, version() AS name, buildId() AS text
  UNION ALL SELECT 'zones', '', toString(sum(cityHash64(time_zone))) FROM system.time_zones
  UNION ALL SELECT 'function', name, create_query FROM system.functions WHERE origin != 'System'
  UNION ALL SELECT 'table', name, create_table_query FROM system.tables
    WHERE database = 'default' AND NOT match(name, '^(import|before_import)_')
  UNION ALL SELECT 'setting', name, value FROM system.settings WHERE changed AND name != 'log_comment'
) ORDER BY fact, name, text`

const factRow = z.object({ fact: z.string(), name: z.string(), text: z.string() })

/**
 * Reads everything of a ClickHouse server that decides about the check of a report file: its build, its time zones, the
 * functions that its operator added, the tables, and the settings of the gateway's user. One query reads it, so all of
 * it is of one server.
 */
export async function readServerFingerprint(engine: Pick<Queries, 'stream'>): Promise<string> {
  return JSON.stringify(await readRows(engine, factRow, { sql: FACTS, parameters: {} }))
}
