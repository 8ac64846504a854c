// Reads the operator's databases for syncs.

export { listTables } from './list-tables.ts'
export { openDatabase } from './open-database.ts'
export type { DatabaseSettings, SourceDatabase } from './source-database.ts'
