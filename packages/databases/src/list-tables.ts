import { buffer } from 'node:stream/consumers'
import type { SourceDatabase } from './source-database.ts'

const TABLES = `SELECT table_schema, table_name FROM information_schema.tables WHERE lower(table_schema)
  NOT IN ('information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys', 'system') ORDER BY 1, 2 LIMIT 50`

/** Lists the first tables and views of a database: `public.payments`. */
export async function listTables(database: SourceDatabase): Promise<readonly string[]> {
  const lines = (await buffer(database.read(TABLES))).toString().replaceAll('"', '').split('\n')
  return lines.filter((line) => line !== '').map((line) => line.replace(',', '.'))
}
